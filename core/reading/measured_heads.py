"""What the model card measured of each head on held-out sentences: heads worth looking at.

`core.reading.head_roles` describes the heads of one run; here many sentences were counted, and
the translations without the head. Read from metrics.json by `core.checkpoints.load_heads`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.reading.attention_views import Kind

ROLES = ("antecedent", "alignment", "previous", "same", "next")
PRONOUNS = frozenset({"it", "its", "它"})  # of the grammar's sentences with a known antecedent
CLEAR = 0.5  # of the rows


@dataclass(frozen=True)
class MeasuredHead:
    """One head: what its rows look at, and what is lost without it.

    `roles[direction][role]` is the share of rows whose most-attended word is the role's: previous,
    same, next, alignment, antecedent. `lost[way][name]` is how much smaller a share of sentences
    (exact_en_zh, exact_zh_en, coreference) is with the head's output "zeroed" or at its "mean".
    """

    stack: str  # encoder/1/self_attention
    head: int  # from 0
    roles: Mapping[str, Mapping[str, float]]
    sharpness: Mapping[str, float]
    lost: Mapping[str, Mapping[str, float]]

    @property
    def kind(self) -> Kind:
        """The kind of its attention."""
        stack, _, name = self.stack.split("/")
        if name == "cross_attention":
            return "cross"
        return "encoder" if stack == "encoder" else "decoder"

    @property
    def layer(self) -> int:
        """The layer of its stack, from 0."""
        return int(self.stack.split("/")[1])

    def loss(self, direction: str) -> float | None:
        """Share of sentences that come out wrong without it; None where that was not measured.

        The larger of the two ways of taking it away.
        """
        name = f"exact_{direction.replace('-', '_')}"
        return max((found[name] for found in self.lost.values() if name in found), default=None)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> MeasuredHead:
        """One entry of "heads" in metrics.json; KeyError, TypeError or ValueError if it is none."""
        return cls(
            str(found["stack"]),
            int(found["head"]),
            {way: _shares(roles) for way, roles in found["roles"].items()},
            _shares(found["sharpness"]),
            {way: _shares(lost) for way, lost in found["lost"].items()},
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
    for role in ROLES:
        playing = [head for head in heads if role in head.roles.get(direction, {})]
        if playing:
            found[role] = max(playing, key=lambda head: head.roles[direction][role])
    return found


def telling(
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
