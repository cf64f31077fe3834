"""What makes a key like a query: their dot product, or how near they lie."""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from glassformer.core.lab.inputs import array, read_choice
from glassformer.core.lab.softmax import NEAR, normalize_scores

Measure = Literal["distance", "squared"]
QUERY = (1.0, 0.2)  # what time is it?
KEYS = ((1.2, 0.1), (1.6, 1.4), (-0.6, 1.0))  # time, date, weather
UNIT = ((1.0, 0.0), (0.8, 0.6), (-0.6, 0.8))  # the same directions, more or less, of length 1


@dataclass(frozen=True)
class Alike:
    """One measure of all keys."""

    scores: Tensor  # (S,) the larger, the more alike
    weights: Tensor  # (S,) their softmax
    best: int  # the first key with the largest score


@dataclass(frozen=True)
class Compared:
    """A query and S keys by the dot product and by their distance."""

    query: Tensor  # (K,)
    keys: Tensor  # (S, K)
    lengths: Tensor  # (S,) ‖k‖
    product: Alike  # q · k
    distance: Alike  # −‖q − k‖, or −½ ‖q − k‖²
    same_length: bool  # of all keys: then both put the keys in the same order
    identical: bool  # the same weights, too


def compare_measures(query: Any = QUERY, keys: Any = KEYS, measure: Any = "distance") -> Compared:
    """Scores keys against a query by their dot product and by their distance.

    −½ ‖q − k‖² = q · k − ½ ‖q‖² − ½ ‖k‖²: of keys of one length only q · k differs.

    Args:
        query: (2,).
        keys: (S, 2), up to 64 numbers.
        measure: of the distance: "distance", −‖q − k‖, or "squared", −½ ‖q − k‖².

    Returns:
        Scores and weights both ways, and whether they agree.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    squared = read_choice("measure", measure, ("distance", "squared")) == "squared"
    k = array("keys", keys, 2, (None, 2), limit=64)
    q = array("query", query, 1, (2,))
    apart = (q - k).norm(dim=1)
    lengths = k.norm(dim=1)
    product = _alike(k @ q)
    distance = _alike(-apart.square() / 2 if squared else -apart)
    same = bool(((lengths - lengths[0]).abs() < NEAR).all())
    identical = torch.allclose(product.weights, distance.weights, rtol=0, atol=NEAR)
    return Compared(q, k, lengths, product, distance, same, identical)


def _alike(scores: Tensor) -> Alike:
    return Alike(scores, normalize_scores(scores), int(scores.argmax()))
