"""Which words have vectors like a word's: cosines in a table of embeddings, and one-hot vectors."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.lab.inputs import read_choice

TABLES = ("trained", "untrained")
ORIGINS = ("zero", "mean")
MOST = 10  # nearest words of each
DRAWN = 1000  # words whose pairs are counted


@dataclass(frozen=True)
class Vectors:
    """One way to write two words as vectors."""

    numbers: int  # of a vector
    filled: int  # that are not 0, in the first word's
    product: float
    cosine: float


@dataclass(frozen=True)
class Likeness:
    """Two words in a table of V words; words by their rows."""

    dense: Vectors  # rows of the table
    sparse: Vectors  # one-hot: V numbers, a 1 at the word
    nearest: tuple[list[tuple[int, float]], list[tuple[int, float]]]  # (word, cosine) of each
    rank: int  # of the second word among the first one's neighbours, from 1; 0: the same word
    positive: float  # share of pairs of words whose cosine is above 0
    mean: float  # cosine of such a pair
    pairs: int  # that were counted


def word_likeness(
    table: Tensor, words: tuple[int, int], first: int = 0, trained: Any = "trained",
    origin: Any = "zero",
) -> Likeness:  # fmt: skip
    """Compares two words of a table of embeddings with each other and with all others.

    Args:
        table: (V, D).
        words: the rows of the two.
        first: rows before it are no words; they are no neighbours.
        trained: "untrained" for random numbers in the place of the table's.
        origin: what cosines are seen from: "zero", or the "mean" of all words' vectors.

    Returns:
        Cosines and neighbours, float64; pairs are those of words drawn at random, by a seed.

    Raises:
        GlassformerError: `lab_choice`.
    """
    rows = table.detach().double().cpu()  # (V, D)
    generator = torch.Generator().manual_seed(0)
    if read_choice("trained", trained, TABLES) == "untrained":
        rows = torch.randn(rows.shape, generator=generator, dtype=rows.dtype)
    if read_choice("origin", origin, ORIGINS) == "mean":
        rows = rows - rows[first:].mean(dim=0)
    unit = functional.normalize(rows, dim=-1)
    cosines = unit[list(words)] @ unit.T  # (2, V)
    orders = []
    for own, row in zip(words, cosines, strict=True):
        ranked = row.argsort(descending=True, stable=True).tolist()
        orders.append([each for each in ranked if each >= first and each != own])
    drawn = unit[first:][torch.randperm(len(unit) - first, generator=generator)[:DRAWN]]
    several = (drawn @ drawn.T)[torch.ones(len(drawn), len(drawn)).triu(1).bool()]
    one, other = words
    return Likeness(
        dense=_vectors(rows[one], rows[other]),
        sparse=_vectors(*functional.one_hot(torch.tensor(words), len(rows)).double()),
        nearest=(
            [(at, float(cosines[0, at])) for at in orders[0][:MOST]],
            [(at, float(cosines[1, at])) for at in orders[1][:MOST]],
        ),
        rank=0 if one == other else orders[0].index(other) + 1,
        positive=float((several > 0).double().mean()),
        mean=float(several.mean()),
        pairs=len(several),
    )


def _vectors(one: Tensor, other: Tensor) -> Vectors:
    cosine = functional.cosine_similarity(one, other, dim=0)
    return Vectors(len(one), int((one != 0).sum()), float(one @ other), float(cosine))
