"""How the positions of a table relate: dot products, distances, one as a turn of another.

§3.5: "for any fixed offset k, PE_{pos+k} can be represented as a linear function of PE_pos". With a
sine and a cosine of one frequency ω that function is a rotation by k ω in their plane; where the
two frequencies differ (the notes' exponent, a learned table) no rotation does it, and what is left
over is measured here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.reading.positions import Table, Variant, column, pairs, position_table
from core.reading.vectors import Numbers, check_index, lengths
from core.trace.tables import as_numpy

EQUATIONS = {
    "dot": r"PE_i \cdot PE_j = \sum_m \cos(\omega_m (i - j))",
    "distance": r"\lVert PE_i - PE_j \rVert",
    "rotation": r"\begin{pmatrix} \sin \omega (t + k) \\ \cos \omega (t + k) \end{pmatrix} = "
    r"\begin{pmatrix} \cos \omega k & \sin \omega k \\ -\sin \omega k & \cos \omega k "
    r"\end{pmatrix} \begin{pmatrix} \sin \omega t \\ \cos \omega t \end{pmatrix}",
    "residual": r"\max_t \lVert R_k PE_t - PE_{t+k} \rVert",
}  # LaTeX; `dot` and `rotation` hold where the two of a pair share their frequency


@dataclass(frozen=True)
class Nearness:
    """How alike each two positions are."""

    dots: Numbers  # (S, S) PE_i · PE_j
    distances: Numbers  # (S, S) ‖PE_i − PE_j‖


@dataclass(frozen=True)
class ByOffset:
    """PE_i · PE_{i+k} over all i, for each offset k: one number where only the offset counts."""

    offsets: NDArray[np.int64]  # (S,) 0 .. S − 1
    mean: Numbers  # (S,)
    least: Numbers  # (S,)
    most: Numbers  # (S,)

    @property
    def spread(self) -> float:
        """The largest most − least: 0 up to rounding where the place itself does not matter."""
        return float((self.most - self.least).max())


@dataclass(frozen=True)
class Rotation:
    """R_k: a turn of each pair of dimensions that should carry PE_t to PE_{t+k}, for every t.

    A positive angle turns (sine, cosine) forwards: (0, 1) goes to (sin angle, cos angle).
    """

    offset: int  # k
    pairs: NDArray[np.int64]  # (D / 2, 2) the dimensions each block works on
    angles: Numbers  # (D / 2,) radians
    residuals: Numbers  # (S − k, D / 2) ‖R_k PE_t − PE_{t+k}‖ in each pair's plane

    @property
    def blocks(self) -> Numbers:
        """The 2×2 blocks, (D / 2, 2, 2)."""
        cosine, sine = np.cos(self.angles), np.sin(self.angles)
        blocks: Numbers = np.stack([cosine, sine, -sine, cosine], axis=-1).reshape(-1, 2, 2)
        return blocks

    @property
    def matrix(self) -> Numbers:
        """R_k whole, (D, D): the blocks at their pairs' rows and columns, 0 elsewhere."""
        whole = np.zeros((2 * len(self.pairs), 2 * len(self.pairs)))
        for pair, block in zip(self.pairs, self.blocks, strict=True):
            whole[np.ix_(pair, pair)] = block
        return whole

    @property
    def residual(self) -> float:
        """The largest ‖R_k PE_t − PE_{t+k}‖ of any position, over all dimensions."""
        return float(lengths(self.residuals).max())

    @property
    def worst(self) -> Numbers:
        """The largest residual of each pair over all positions, (D / 2,)."""
        most: Numbers = self.residuals.max(axis=0)
        return most

    def carry(self, row: Numbers) -> Numbers:
        """R_k applied to the encoding of one position, (D,) -> (D,)."""
        carried: Numbers = self.matrix @ row.astype(np.float64)
        return carried

    @property
    def worst_pair(self) -> int:
        """The pair that misses most, at any position."""
        return int(self.residuals.max(axis=0).argmax())


def nearness(table: Table) -> Nearness:
    """Dot products and Euclidean distances of all positions of a table (S, D)."""
    rows = table.astype(np.float64)
    exact = torch.from_numpy(rows)
    apart = torch.cdist(exact, exact, compute_mode="donot_use_mm_for_euclid_dist")  # (S, S)
    return Nearness(rows @ rows.T, as_numpy(apart))


def by_offset(table: Table) -> ByOffset:
    """The dot products of a table (S, D), gathered by how far apart the two positions are."""
    rows = table.astype(np.float64)
    dots = rows @ rows.T  # (S, S)
    lines = [np.diagonal(dots, offset) for offset in range(len(rows))]
    return ByOffset(
        offsets=np.arange(len(rows)),
        mean=np.array([line.mean() for line in lines]),
        least=np.array([line.min() for line in lines]),
        most=np.array([line.max() for line in lines]),
    )


def rotation(length: int, d_model: int, offset: int, variant: Variant = "paper") -> Rotation:
    """R_k with the angles of the formula: k times the frequency of each pair's sine.

    Raises `GlassformerError`: `config` as `position_table` does, `out_of_range` for an offset that
    leaves no two positions to compare.
    """
    table = position_table(length, d_model, variant)
    places = pairs(d_model, variant)  # (D / 2, 2)
    turns = [column(d_model, int(sine), variant).frequency for sine in places[:, 0]]
    return _measured(table, offset, places, offset * np.array(turns))


def fitted_rotation(table: Table, offset: int, places: NDArray[np.int64] | None = None) -> Rotation:
    """R_k with the angles that miss least on a given table, of any kind.

    The angle is that of least squares over all t, atan2(Σ cross, Σ dot) in each pair's plane, in
    −π .. π. What it leaves over no fixed rotation of these pairs can take away.

    Args:
        table: (S, D), D even.
        offset: k, 0 .. S − 1.
        places: (D / 2, 2) the pairs; None takes neighbours.

    Raises `GlassformerError` (`out_of_range`) for an offset beyond the table.
    """
    known = pairs(table.shape[1]) if places is None else places
    check_index("offset", offset, len(table))
    before, after = _in_pairs(table, known, offset)  # (S − k, D / 2, 2) each
    dot = (before * after).sum(axis=(0, 2))
    cross = (after[..., 0] * before[..., 1] - after[..., 1] * before[..., 0]).sum(axis=0)
    return _measured(table, offset, known, np.arctan2(cross, dot))


def _measured(table: Table, offset: int, places: NDArray[np.int64], angles: Numbers) -> Rotation:
    check_index("offset", offset, len(table))
    turned = Rotation(offset, places, angles, np.zeros((0, len(places))))
    before, after = _in_pairs(table, places, offset)
    carried = np.einsum("pij,tpj->tpi", turned.blocks, before)  # (S − k, D / 2, 2)
    return Rotation(offset, places, angles, lengths(carried - after))


def _in_pairs(table: Table, places: NDArray[np.int64], offset: int) -> tuple[Numbers, Numbers]:
    planes = table.astype(np.float64)[:, places]  # (S, D / 2, 2)
    return planes[: len(table) - offset], planes[offset:]
