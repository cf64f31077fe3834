"""The positional encoding as a picture: its matrix, its dimensions as waves, its variants (§3.5).

A table is (S, D), a row a position. "For any fixed offset k, PE_{pos+k} can be represented as a
linear function of PE_pos": with a sine and a cosine of one frequency ω that function is a rotation
by k ω in their plane; where the two frequencies differ (the notes' exponent, a learned table) no
rotation does it, and what is left over is measured here. What the table does to the words of a
sentence is in `core.analysis.placed_words`.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from glassformer.core.analysis.vectors import Numbers, lengths
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.embedding import dimension_frequency, position_encoding
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import Stack
from glassformer.core.trace.tables import as_numpy

Variant = Literal["paper", "notes", "halves"]  # those made of sines and cosines
Wave = Literal["sine", "cosine"]
Table = NDArray[np.float32]  # (S, D)
VARIANTS: tuple[Variant, ...] = ("paper", "notes", "halves")


@dataclass(frozen=True)
class Column:
    """One dimension of a table of sines and cosines: a wave over the positions."""

    dimension: int  # j, 0 .. D − 1
    wave: Wave
    exponent: int  # e in 10000^(−e / D): even for the paper, odd in the notes' cosines
    frequency: float  # radians a position
    d_model: int

    @property
    def wavelength(self) -> float:
        """Positions until the wave repeats: 2π (the fastest) to about 10000 · 2π."""
        return math.tau / self.frequency

    def at(self, positions: Numbers) -> Numbers:
        """The wave at any positions, whole or not: what a smooth line is drawn of.

        Args:
            positions: of any shape, from 0.

        Returns:
            The sine or the cosine at each, in the same shape.
        """
        angle = positions * self.frequency
        return np.sin(angle) if self.wave == "sine" else np.cos(angle)


@dataclass(frozen=True)
class Comparison:
    """A variant against the paper's table, cell by cell.

    `halves` differs in most cells and still holds the same numbers: its columns are only laid out
    in another order. `reordered` is what is left once they are put back.
    """

    variant: Variant
    table: Table  # (S, D)
    difference: Table  # (S, D) variant − paper
    columns: tuple[int, ...]  # the dimensions that differ at any of these positions
    largest: float  # the largest |difference|
    at: tuple[int, int]  # (position, dimension) of it
    reordered: float  # the largest |difference| with each column beside the paper's own


def position_table(length: int, d_model: int, variant: Variant = "paper") -> Table:
    """The positional encoding of the paper or of a variant, one row a position (§3.5).

    Args:
        length: how many positions, at least 1.
        d_model: the width D, even.
        variant: `paper`; `notes` with exponents of its own in the cosines; `halves` with all sines
            before all cosines.

    Returns:
        (length, D) float32.

    Raises:
        GlassformerError: `config` for an odd width or one below 2, or for less than one position.
    """
    if d_model < 2 or d_model % 2:
        problem = f"d_model {d_model} is not even; sine and cosine come in pairs"
        raise GlassformerError("config", problem=problem)
    if length < 1:
        raise GlassformerError("config", problem=f"a table of {length} positions is empty")
    return as_numpy(position_encoding(length, d_model, variant))


def model_table(model: Transformer, stack: Stack, length: int | None = None) -> Table:
    """What a model adds at positions 0 .. length − 1.

    Learned tables are read, sines and cosines computed; without positions it is all zero. A
    learned table ends at `max_length`.

    Args:
        model: whose embedding is asked.
        stack: which stack's.
        length: how many positions; None for the model's `max_length`.

    Returns:
        (length, D) float32.

    Raises:
        GlassformerError: `out_of_range` for a length that a learned table does not have.
    """
    size = model.config.max_length if length is None else length
    if model.config.positions == "learned":
        check_index("position", size - 1, model.config.max_length)
    embedding = model.source_embedding if stack == "encoder" else model.target_embedding
    return as_numpy(embedding.positions(0, size)).astype(np.float32)


def wave_of(d_model: int, dimension: int, variant: str) -> tuple[Wave, int]:
    """The wave that stands in a dimension, and the e of its frequency 10000^(−e / D).

    Of `spread` the frequency is 10000^(−e / (D − 2)).

    Args:
        d_model: the width D, even.
        dimension: counted from 0.
        variant: `notes`, `halves` and `spread` have waves of their own; every other one counts as
            the paper's.

    Returns:
        Sine or cosine, and e.
    """
    half = d_model // 2
    if variant in ("halves", "spread"):
        return "sine" if dimension < half else "cosine", 2 * (dimension % half)
    wave: Wave = "cosine" if dimension % 2 else "sine"
    # The cosine of the notes has an exponent of its own.
    return wave, dimension if variant == "notes" else dimension - dimension % 2


def column(d_model: int, dimension: int, variant: Variant = "paper") -> Column:
    """Which wave stands in a dimension of the table.

    Args:
        d_model: the width D, even.
        dimension: counted from 0.
        variant: of the table.

    Returns:
        The wave with its frequency in radians a position.

    Raises:
        GlassformerError: `out_of_range` for a dimension beyond the width.
    """
    check_index("feature", dimension, d_model)
    wave, exponent = wave_of(d_model, dimension, variant)
    turns = float(dimension_frequency(torch.tensor(exponent, dtype=torch.float64), d_model))
    return Column(dimension, wave, exponent, turns, d_model)


def pair_dimensions(d_model: int, variant: Variant = "paper") -> NDArray[np.int64]:
    """The dimensions of each (sine, cosine) pair: neighbours, or half a row apart in `halves`.

    Args:
        d_model: the width D, even.
        variant: of the table.

    Returns:
        (D / 2, 2) integers, from 0.
    """
    half = d_model // 2
    if variant == "halves":
        return np.stack([np.arange(half), np.arange(half) + half], axis=1)
    return np.arange(2 * half).reshape(half, 2)


def pair_of(d_model: int, dimension: int, variant: Variant = "paper") -> int:
    """The row of `pair_dimensions` that has a dimension.

    Args:
        d_model: the width D, even.
        dimension: counted from 0.
        variant: of the table.

    Returns:
        The row, from 0.

    Raises:
        GlassformerError: `out_of_range` for a dimension beyond the width.
    """
    check_index("feature", dimension, d_model)
    return int(np.argwhere(pair_dimensions(d_model, variant) == dimension)[0, 0])


def compare_with_paper(length: int, d_model: int, variant: Variant) -> Comparison:
    """A variant beside the paper's table of the same size.

    Args:
        length: how many positions S, at least 1.
        d_model: the width D, even.
        variant: what is compared.

    Returns:
        Variant − paper, (S, D), the dimensions that differ and the largest difference.

    Raises:
        GlassformerError: `config` as in `position_table`.
    """
    paper, table = (position_table(length, d_model, each) for each in ("paper", variant))
    difference = table - paper
    at = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    in_order = table[
        :, pair_dimensions(d_model, variant).reshape(-1)
    ]  # (S, D), sine, cosine, sine, …
    return Comparison(
        variant=variant,
        table=table,
        difference=difference,
        columns=tuple(int(each) for each in np.flatnonzero(difference.any(axis=0))),
        largest=float(np.abs(difference[at])),
        at=(int(at[0]), int(at[1])),
        reordered=float(np.abs(in_order - paper).max()),
    )


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
        return np.stack([cosine, sine, -sine, cosine], axis=-1).reshape(-1, 2, 2)

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
        return self.residuals.max(axis=0)

    def carry(self, row: Numbers) -> Numbers:
        """R_k applied to the encoding of one position.

        Args:
            row: (D,).

        Returns:
            (D,) float64.
        """
        return self.matrix @ row.astype(np.float64)


def nearness(table: Table) -> Nearness:
    """Dot products and Euclidean distances of all positions of a table.

    Args:
        table: (S, D).

    Returns:
        (S, S) float64 each.
    """
    rows = table.astype(np.float64)
    exact = torch.from_numpy(rows)
    apart = torch.cdist(exact, exact, compute_mode="donot_use_mm_for_euclid_dist")  # (S, S)
    return Nearness(rows @ rows.T, as_numpy(apart))


def by_offset(table: Table) -> ByOffset:
    """The dot products of a table, gathered by how far apart the two positions are.

    Args:
        table: (S, D).

    Returns:
        Mean, least and most of each offset 0 .. S − 1, (S,) each.
    """
    rows = table.astype(np.float64)
    dots = rows @ rows.T  # (S, S)
    lines = [np.diagonal(dots, offset) for offset in range(len(rows))]
    return ByOffset(
        offsets=np.arange(len(rows)),
        mean=np.array([line.mean() for line in lines]),
        least=np.array([line.min() for line in lines]),
        most=np.array([line.max() for line in lines]),
    )


def rotation_by_offset(
    length: int, d_model: int, offset: int, variant: Variant = "paper"
) -> Rotation:
    """R_k with the angles of the formula: k times the frequency of each pair's sine.

    Args:
        length: how many positions S of the table it is measured on.
        d_model: the width D, even.
        offset: k, from 0 to S − 1.
        variant: of the table.

    Returns:
        The D / 2 rotations, and by how much each misses at each position.

    Raises:
        GlassformerError: `config` as in `position_table`, `out_of_range` for an offset beyond the
            table.
    """
    table = position_table(length, d_model, variant)
    places = pair_dimensions(d_model, variant)  # (D / 2, 2)
    turns = [column(d_model, int(sine), variant).frequency for sine in places[:, 0]]
    return _measured(table, offset, places, offset * np.array(turns))


def fitted_rotation(table: Table, offset: int, places: NDArray[np.int64] | None = None) -> Rotation:
    """R_k with the angles that miss least on a table of any kind.

    The angle is that of least squares over all t, atan2(Σ cross, Σ dot) in the plane of each pair
    of `places`, in −π .. π. What it leaves over no fixed rotation of these pairs can take away.

    Args:
        table: (S, D), D even.
        offset: k, from 0 to S − 1.
        places: (D / 2, 2) the dimensions of each pair, from 0; None for neighbours.

    Returns:
        The D / 2 rotations, and by how much each misses at each position.

    Raises:
        GlassformerError: `out_of_range` for an offset beyond the table.
    """
    known = pair_dimensions(table.shape[1]) if places is None else places
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
