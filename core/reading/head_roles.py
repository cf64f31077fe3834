"""What a head does on this sentence: the share of its weight that goes to a certain place.

These are descriptions of one run. That a head looks at the previous word does not say that the
translation needs it; a switched-off head does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.reading.attention_views import HeadMap, Kind, Side, head_map, layers_of, sides
from core.trace.memo import once_a_run
from core.trace.trace import Trace

ROLES = ("diagonal", "previous", "next", "first", "sinks", "broad", "sharp")
_CLEAR = 0.5  # more than half of the weight
_BROAD = 0.85  # of the largest possible entropy


@dataclass(frozen=True)
class Head:
    """One head, or the mean of its layer's heads (head None), and how much it plays each role.

    `shares[role]` is 0–1, NaN where the role makes no sense (previous and next need two words).
    """

    layer: int
    head: int | None
    shares: dict[str, float]

    @property
    def clearest(self) -> str:
        """The role that says most about the head, "mixed" where none does.

        The most particular one first: in a row of two words the next word is also the last.
        """
        places = [role for role in ROLES[:5] if self.shares[role] > _CLEAR]
        if "first" in places and "sinks" in places:
            places.remove("sinks")  # both above half: the first one is a sink, the start flag
        if places:
            return max(places, key=lambda role: self.shares[role])
        return "broad" if self.shares["broad"] > _BROAD else "mixed"


def heads_of(trace: Trace, kind: Kind) -> tuple[Head, ...]:
    """Every head of a kind, layer by layer; without the means."""
    return tuple(
        describe(trace, kind, layer, head)
        for layer in range(layers_of(trace, kind))
        for head in range(trace.config.n_heads)
    )


@once_a_run
def describe(trace: Trace, kind: Kind, layer: int, head: int | None) -> Head:
    """One head, or the mean of a layer's heads."""
    view = head_map(trace, kind, layer, head, "weights")
    return Head(layer, head, roles(view, sides(trace, kind)[1]))


def ranked(heads: tuple[Head, ...], role: str) -> tuple[Head, ...]:
    """The heads that play the role most come first; NaN comes last; ties keep their place."""
    return tuple(sorted(heads, key=lambda head: -np.nan_to_num(head.shares[role], nan=-1.0)))


def roles(view: HeadMap, columns: Side) -> dict[str, float]:
    """The mean over the rows of the weight on a place; `broad` and `sharp` follow the entropy.

    Places overlap: the decoder's first column, its start flag, is also a sink.
    `broad` is the entropy over the largest one possible, over the rows that have a choice;
    `sharp` is 1 − broad.
    """
    weights = view.weights.astype(np.float64)
    choice = view.most > 0
    spread = _mean(view.entropy[choice] / view.most[choice])
    return {
        "diagonal": _mean(weights.diagonal()),
        "previous": _mean(weights.diagonal(-1)),
        "next": _mean(weights.diagonal(1)),
        "first": _mean(weights[:, 0]),
        "sinks": _mean(weights[:, sorted(columns.sinks)].sum(axis=1)),
        "broad": spread,
        "sharp": 1 - spread,
    }


def _mean(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else float("nan")
