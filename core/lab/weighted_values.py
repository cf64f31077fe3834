"""z = Σ w · v, number by number: one row of attention, all of its words or only two of them."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.lab.inputs import array, read_choice
from glassformer.core.lab.softmax import normalize_scores
from glassformer.core.lab.worked_examples import notes_inputs

TAKEN = ("all", "two", "typed")
TYPED = tuple(notes_inputs("two-word-weights")["scores"])
WIDTH = int(notes_inputs("two-word-weights")["d_k"])  # the typed scores are divided by its root


@dataclass(frozen=True)
class Weighed:
    """N words of a row, each with its weight and one feature of its value; float64."""

    places: list[int]  # of the words among all keys
    scores: Tensor  # (N,) before the softmax
    weights: Tensor  # (N,) they sum to 1
    values: Tensor  # (N,)
    terms: Tensor  # (N,) weight × value
    running: Tensor  # (N,) the sum up to each word; the last one is z

    @property
    def total(self) -> float:
        """Z, the sum of all terms."""
        return float(self.running[-1])


def weigh_values(scores: Tensor, values: Tensor, taken: Any = "all", typed: Any = TYPED) -> Weighed:
    """Weights of some keys by the softmax, and the weighted sum of one feature of their values.

    Args:
        scores: (S,) of one query, after division and mask; hidden keys are far below the others.
        values: (S,) one feature of each key's value.
        taken: "all" keys; "two", those with the largest scores, as if there were no others;
            "typed", the same two with the scores in `typed`, divided by √64.
        typed: two scores.

    Returns:
        The words that are taken in the order of the sentence; where fewer than two may be looked
        at, the hidden one counts, too.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    own = array("typed", typed, 1, (2,)) / math.sqrt(WIDTH)
    every = scores.double()
    if read_choice("taken", taken, TAKEN) == "all":
        places = list(range(len(every)))
    else:
        places = sorted(every.argsort(descending=True, stable=True)[:2].tolist())
    rows = torch.tensor(places)
    used = own[: len(places)] if taken == "typed" else every[rows]
    weights = normalize_scores(used)
    chosen = values.double()[rows]
    terms = weights * chosen
    return Weighed(places, used, weights, chosen, terms, terms.cumsum(dim=0))
