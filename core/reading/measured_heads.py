"""What the model card measured of each head on held-out sentences: heads worth looking at.

`core.reading.head_roles` describes the heads of one run; here many sentences were counted, and
the translations without the head. Read from metrics.json by `core.checkpoints.load_heads`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CLEAR = 0.5  # of the rows
NEEDED = 0.02  # of the sentences; a smaller loss is no more than a few of them


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
    def clearest(self) -> tuple[str, str, float] | None:
        """(role, direction, share) of the role that it plays most; None without a measure."""
        played = (
            (role, direction, share)
            for direction, found in self.roles.items()
            for role, share in found.items()
        )
        return max(played, key=lambda each: each[2], default=None)

    @property
    def needed(self) -> bool:
        """Whether translations are lost without it, in either way of taking it away."""
        return any(share >= NEEDED for found in self.lost.values() for share in found.values())

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


def worth_looking_at(heads: Iterable[MeasuredHead]) -> list[MeasuredHead]:
    """The heads with a clear role, the clearest first."""
    clear = [(head.clearest[2], head) for head in heads if head.clearest]
    clear = [(share, head) for share, head in clear if share >= CLEAR]
    return [head for _, head in sorted(clear, key=lambda each: -each[0])]
