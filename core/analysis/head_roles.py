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
    """Every head of a kind with the roles that it plays, layer by layer; without the means.

    Args:
        trace: the run that is read, its first sentence.
        kind: one that the model has.

    Returns:
        L · H heads.
    """
    return tuple(
        describe(trace, kind, layer, head)
        for layer in range(layers_of(trace, kind))
        for head in range(trace.config.of(kind).n_heads)
    )


@once_a_run
def describe(trace: Trace, kind: Kind, layer: int, head: int | None) -> Head:
    """How much one head, or the mean of a layer's heads, plays each role. Read once a run.

    Args:
        trace: the run that is read, its first sentence.
        kind: which of the attentions.
        layer: counted from 0.
        head: counted from 0; None for the mean of the layer's heads.

    Returns:
        The head with its shares of 0..1.

    Raises:
        GlassformerError: `unknown_address` for a kind or a layer that the run does not have.
        IndexError: no such head.
    """
    view = head_map(trace, kind, layer, head, "weights")
    return Head(layer, head, measure_roles(view, attention_sides(trace, kind)[1]))


def rank_heads(heads: tuple[Head, ...], role: str) -> tuple[Head, ...]:
    """The heads that play a role most come first; NaN comes last; ties keep their place.

    Args:
        heads: those that are ranked.
        role: one of `ROLES`.

    Returns:
        The same heads in that order.

    Raises:
        KeyError: no such role.
    """
    return tuple(sorted(heads, key=lambda head: -np.nan_to_num(head.shares[role], nan=-1.0)))


def measure_roles(view: HeadMap, columns: Side) -> dict[str, float]:
    """The mean over the rows of the weight on a place; `broad` and `sharp` follow the entropy.

    Places overlap: the decoder's first column, its start flag, is also a sink.
    `broad` is the entropy over the largest one possible, over the rows that have a choice;
    `sharp` is 1 − broad.

    Args:
        view: attention weights with their mask, (T, S).
        columns: the words that are looked at, S.

    Returns:
        By role, each of `ROLES`: 0..1; rows that are NaN are left out, NaN where no row has a
        number.
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


MEASURED_ROLES = ("antecedent", "alignment", "previous", "same", "next", "induction")
PRONOUNS = frozenset({"it", "its", "它"})  # of the grammar's sentences with a known antecedent
CLEAR = 0.5  # of the rows


@dataclass(frozen=True)
class MeasuredHead:
    """One head: what its rows look at, and what is lost without it.

    `roles[direction][role]` is the share of rows whose most-attended word is the role's: previous,
    same, next, alignment, antecedent; `by_weight`: of the weight that goes there, on random words
    that come twice (induction: to what followed the word the first time). `lost[way][name]` is how
    much smaller a share of sentences (exact_en_zh, exact_zh_en, coreference) is with the head's
    output "zeroed" or at its "mean"; `right[name]` is that share with nothing taken away.
    """

    stack: str  # encoder/1/self_attention
    head: int  # from 0
    roles: Mapping[str, Mapping[str, float]]
    sharpness: Mapping[str, float]
    lost: Mapping[str, Mapping[str, float]]
    right: Mapping[str, float] = field(default_factory=dict)
    by_weight: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of its attention."""
        return Address.of(self.stack).kind

    @property
    def layer(self) -> int:
        """The layer of its stack, from 0."""
        return Address.of(self.stack).layer or 0

    def wrong(self, direction: str) -> tuple[float, float] | None:
        """Shares of sentences translated wrong without the head and with it.

        Args:
            direction: `en-zh` or `zh-en`.

        Returns:
            (without, with), 0..1: of "zeroed" and "mean" the way that makes more of them wrong.
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

        Args:
            found: the entry: "stack", "head", "roles", "sharpness" and "lost".
            right: shares of sentences with nothing taken away, by name; None where they are not
                known.

        Returns:
            The head.

        Raises:
            KeyError: a part of the entry is missing.
            AttributeError: a table in it is something else.
            TypeError: the entry is no table, or the head or a share is no number.
            ValueError: the head or a share is a text that is no number.
        """
        return cls(
            str(found["stack"]),
            int(found["head"]),
            {way: _shares(roles) for way, roles in found["roles"].items()},
            _shares(found["sharpness"]),
            {way: _shares(lost) for way, lost in found["lost"].items()},
            _shares(right or {}),
        )

    @classmethod
    def from_scores(cls, found: Mapping[str, Any]) -> "tuple[MeasuredHead, ...]":
        """The heads of a decoder alone, from "words" of "heads" in the small GPT's metrics.json.

        Args:
            found: "previous_word" and "induction", each a list of a list of shares by layer.

        Returns:
            All heads, layer by layer; their direction is "", that of a model that continues texts.

        Raises:
            KeyError: a score is missing.
            TypeError: a score is no table.
            ValueError: a share is a text that is no number, or the tables differ in size.
        """
        tables = zip(found["previous_word"], found["induction"], strict=True)
        return tuple(
            cls(f"decoder/{layer}/self_attention", head,
                {"": {"previous": float(back), "induction": float(again)}}, {}, {}, by_weight=True)
            for layer, rows in enumerate(tables)
            for head, (back, again) in enumerate(zip(*rows, strict=True))
        )  # fmt: skip


def _shares(found: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(share) for name, share in found.items()}


def pronouns(tokens: Sequence[str]) -> list[int]:
    """The places of the words whose noun a head may look at.

    Args:
        tokens: the words of a sentence, in capitals or not.

    Returns:
        Positions from 0, ascending.
    """
    return [place for place, token in enumerate(tokens) if token.lower() in PRONOUNS]


def best_by_role(heads: Iterable[MeasuredHead], direction: str) -> dict[str, MeasuredHead]:
    """The head that plays each role most in a direction.

    Args:
        heads: those of one model.
        direction: `en-zh` or `zh-en`.

    Returns:
        By role, in the order of `MEASURED_ROLES`; a role that no head was measured for is left out.
    """
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
    """The head that shows most of a sentence.

    Of a sentence with a pronoun the one that looks at its noun, of others, and where no head finds
    the noun clearly, the one that looks at the word that is translated.

    Args:
        heads: those of one model.
        direction: `en-zh` or `zh-en`.
        source: the words of the sentence.

    Returns:
        The head; None where no head plays its role in at least a share `CLEAR` of the rows.
    """
    best = best_by_role(heads, direction)
    for role in ("antecedent", "alignment") if pronouns(source) else ("alignment",):
        if role in best and best[role].roles[direction][role] >= CLEAR:
            return best[role]
    return None
