"""The positional encoding as a picture: its matrix, its dimensions as waves, its variants (§3.5).

A table is (S, D), a row a position. What relates its rows to each other, dot products, distances
and rotations, is in `core.reading.position_relations`; what it does to the words of a sentence in
`core.reading.placed_words`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core.errors import GlassformerError
from core.model.embedding import frequency, position_encoding
from core.model.transformer import Transformer
from core.reading.blocks import Stack
from core.reading.vectors import Numbers, check_index
from core.trace.tables import as_numpy

Variant = Literal["paper", "notes", "halves"]  # those made of sines and cosines
Wave = Literal["sine", "cosine"]
Table = NDArray[np.float32]  # (S, D)
VARIANTS: tuple[Variant, ...] = ("paper", "notes", "halves")

EQUATIONS = {
    "sine": r"PE_{(t, j)} = \sin(\omega_j t)",
    "cosine": r"PE_{(t, j)} = \cos(\omega_j t)",
    "frequency": r"\omega_j = 10000^{-e_j / D}",
    "wavelength": r"\lambda_j = 2 \pi / \omega_j = 2 \pi \cdot 10000^{e_j / D}",
}  # LaTeX; e_j is `Column.exponent`


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
        """The wave at any positions, whole or not, of any shape: what a smooth line is drawn of."""
        angle = positions * self.frequency
        wave: Numbers = np.sin(angle) if self.wave == "sine" else np.cos(angle)
        return wave


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
    """The encodings of positions 0 .. length − 1, (length, d_model) float32.

    Raises `GlassformerError` (`config`) for an odd width or a length below 1.
    """
    if d_model < 2 or d_model % 2:
        _refuse(f"d_model {d_model} is not even; sine and cosine come in pairs")
    if length < 1:
        _refuse(f"a table of {length} positions is empty")
    table: Table = as_numpy(position_encoding(length, d_model, variant))
    return table


def model_table(model: Transformer, stack: Stack, length: int | None = None) -> Table:
    """What a model adds at positions 0 .. length − 1 (its `max_length` when None), (length, D).

    Learned tables are read, sines and cosines computed; without positions it is all zero. A
    learned table ends at `max_length`: `GlassformerError` (`out_of_range`) beyond it.
    """
    size = model.config.max_length if length is None else length
    if model.config.positions == "learned":
        check_index("position", size - 1, model.config.max_length)
    embedding = model.source_embedding if stack == "encoder" else model.target_embedding
    table: Table = as_numpy(embedding.positions(0, size)).astype(np.float32)
    return table


def column(d_model: int, dimension: int, variant: Variant = "paper") -> Column:
    """Which wave stands in a dimension.

    Raises `GlassformerError` (`out_of_range`) for a dimension beyond the width.
    """
    check_index("feature", dimension, d_model)
    if variant == "halves":
        wave: Wave = "sine" if dimension < d_model // 2 else "cosine"
        exponent = 2 * (dimension % (d_model // 2))
    else:
        wave = "cosine" if dimension % 2 else "sine"
        exponent = dimension if variant == "notes" else dimension - dimension % 2
    turns = float(frequency(torch.tensor(exponent, dtype=torch.float64), d_model))
    return Column(dimension, wave, exponent, turns, d_model)


def columns(d_model: int, variant: Variant = "paper") -> tuple[Column, ...]:
    """The waves of all dimensions, (D,)."""
    return tuple(column(d_model, dimension, variant) for dimension in range(d_model))


def pairs(d_model: int, variant: Variant = "paper") -> NDArray[np.int64]:
    """The two dimensions of each (sine, cosine) pair, (D / 2, 2): neighbours, or half a row apart.

    Also for a learned table, whose pairs mean nothing: neighbours.
    """
    half = d_model // 2
    if variant == "halves":
        return np.stack([np.arange(half), np.arange(half) + half], axis=1)
    return np.arange(2 * half).reshape(half, 2)


def pair_of(d_model: int, dimension: int, variant: Variant = "paper") -> int:
    """The row of `pairs` that a dimension stands in.

    Raises `GlassformerError` (`out_of_range`) for a dimension beyond the width.
    """
    check_index("feature", dimension, d_model)
    return int(np.argwhere(pairs(d_model, variant) == dimension)[0, 0])


def compare(length: int, d_model: int, variant: Variant) -> Comparison:
    """A variant beside the paper's table of the same size.

    Raises `GlassformerError` (`config`) as `position_table` does.
    """
    paper, table = (position_table(length, d_model, each) for each in ("paper", variant))
    difference = table - paper
    at = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    in_order = table[:, pairs(d_model, variant).reshape(-1)]  # (S, D), sine, cosine, sine, …
    return Comparison(
        variant=variant,
        table=table,
        difference=difference,
        columns=tuple(int(each) for each in np.flatnonzero(difference.any(axis=0))),
        largest=float(np.abs(difference[at])),
        at=(int(at[0]), int(at[1])),
        reordered=float(np.abs(in_order - paper).max()),
    )


def _refuse(problem: str) -> None:
    raise GlassformerError("config", problem=problem)
