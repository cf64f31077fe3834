"""What a head does: the share of its weight that goes to a certain place.

`describe` has it of one run. That a head looks at the previous word there does not say that the
translation needs it; a switched-off head does. `MeasuredHead` is what the model card counted on
many held-out sentences, and on their translations without the head: metrics.json, read by
`core.text_models.checkpoints.load_heads`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glassformer.core.analysis.attention_views import (
    HeadMap,
    Kind,
    Side,
    attention_sides,
    head_map,
    layers_of,
)
from glassformer.core.trace.address import Address
from glassformer.core.trace.trace import Trace, once_a_run

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
        for head in range(trace.config.of(kind).n_heads)
    )


@once_a_run
def describe(trace: Trace, kind: Kind, layer: int, head: int | None) -> Head:
    """One head, or the mean of a layer's heads."""
    view = head_map(trace, kind, layer, head, "weights")
    return Head(layer, head, measure_roles(view, attention_sides(trace, kind)[1]))


def rank_heads(heads: tuple[Head, ...], role: str) -> tuple[Head, ...]:
    """The heads that play the role most come first; NaN comes last; ties keep their place."""
    return tuple(sorted(heads, key=lambda head: -np.nan_to_num(head.shares[role], nan=-1.0)))


def measure_roles(view: HeadMap, columns: Side) -> dict[str, float]:
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


MEASURED_ROLES = ("antecedent", "alignment", "previous", "same", "next")
PRONOUNS = frozenset({"it", "its", "它"})  # of the grammar's sentences with a known antecedent
CLEAR = 0.5  # of the rows


@dataclass(frozen=True)
class MeasuredHead:
    """One head: what its rows look at, and what is lost without it.

    `roles[direction][role]` is the share of rows whose most-attended word is the role's: previous,
    same, next, alignment, antecedent. `lost[way][name]` is how much smaller a share of sentences
    (exact_en_zh, exact_zh_en, coreference) is with the head's output "zeroed" or at its "mean";
    `right[name]` is that share with nothing taken away.
    """

    stack: str  # encoder/1/self_attention
    head: int  # from 0
    roles: Mapping[str, Mapping[str, float]]
    sharpness: Mapping[str, float]
    lost: Mapping[str, Mapping[str, float]]
    right: Mapping[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """The kind of its attention."""
        return Address.of(self.stack).kind

    @property
    def layer(self) -> int:
        """The layer of its stack, from 0."""
        return Address.of(self.stack).layer or 0

    def wrong(self, direction: str) -> tuple[float, float] | None:
        """Shares of sentences translated wrong without it, the larger of both ways, and with it.

        None if not measured.
        """
        name = f"exact_{direction.replace('-', '_')}"
        losses = [found[name] for found in self.lost.values() if name in found]
        if not losses or name not in self.right:
            return None
        return 1 - self.right[name] + max(losses), 1 - self.right[name]

    @classmethod
    def from_dict(
        cls, found: Mapping[str, Any], right: Mapping[str, Any] | None = None
    ) -> "MeasuredHead":
        """One entry of "heads" in metrics.json, and its "unchanged" of "knock_out".

        Raises KeyError, TypeError or ValueError if it is none.
        """
        return cls(
            str(found["stack"]),
            int(found["head"]),
            {way: _shares(roles) for way, roles in found["roles"].items()},
            _shares(found["sharpness"]),
            {way: _shares(lost) for way, lost in found["lost"].items()},
            _shares(right or {}),
        )


def _shares(found: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(share) for name, share in found.items()}


def pronouns(tokens: Sequence[str]) -> list[int]:
    """The places of the words whose noun a head may look at."""
    return [place for place, token in enumerate(tokens) if token.lower() in PRONOUNS]


def best_by_role(heads: Iterable[MeasuredHead], direction: str) -> dict[str, MeasuredHead]:
    """The head that plays each role most in a direction, in the order of `ROLES`."""
    heads = tuple(heads)
    found = {}
    for role in MEASURED_ROLES:
        playing = [head for head in heads if role in head.roles.get(direction, {})]
        if playing:
            found[role] = max(playing, key=lambda head: head.roles[direction][role])
    return found


def clearest_head(
    heads: Iterable[MeasuredHead], direction: str, source: Sequence[str]
) -> MeasuredHead | None:
    """The head that shows most of a sentence; None where no head plays its role clearly.

    Of a sentence with a pronoun the one that looks at its noun, of others the one that looks at the
    word that is translated.
    """
    best = best_by_role(heads, direction)
    for role in ("antecedent", "alignment") if pronouns(source) else ("alignment",):
        if role in best and best[role].roles[direction][role] >= CLEAR:
            return best[role]
    return None
