"""Everything that the lecture notes print wrong, at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import torch

from core.lab.worked_examples import Quantity, examples, work


@dataclass(frozen=True)
class Erratum:
    """One reason for which numbers of one example are wrong, with the number that is furthest off.

    "Furthest" is relative to the larger of the two numbers, so that a small one can be the worst.
    """

    example: str
    reason: str
    quantity: str  # that holds the number
    cell: tuple[int, ...]  # where in it, from 0
    true: float
    printed: float
    wrong: int  # how many numbers are wrong for this reason
    shown: int  # of how many that the notes print in these quantities


@cache
def errata() -> tuple[Erratum, ...]:
    """All of them, in the order of the notes."""
    return tuple(erratum for key in examples() for erratum in errata_of(key))


class Tally(NamedTuple):
    """How many numbers are wrong, of how many shown beside them, for how many reasons."""

    wrong: int
    shown: int
    reasons: int


def tally(found: tuple[Erratum, ...]) -> Tally:
    """The errata counted."""
    return Tally(
        sum(each.wrong for each in found),
        sum(each.shown for each in found),
        len({each.reason for each in found}),
    )


def errata_of(key: str) -> tuple[Erratum, ...]:
    """Those of one example, a reason each, in the order in which they come up."""
    by_reason: dict[str, list[Quantity]] = {}
    for quantity in work(key).quantities:
        if quantity.erratum is not None:
            by_reason.setdefault(quantity.erratum, []).append(quantity)
    return tuple(_erratum(key, reason, found) for reason, found in by_reason.items())


def _erratum(key: str, reason: str, quantities: list[Quantity]) -> Erratum:
    worst = max(quantities, key=lambda each: float(_apart(each).max()))
    assert worst.printed is not None
    place = int(_apart(worst).argmax())
    cell = tuple(int(at) for at in torch.unravel_index(torch.tensor(place), worst.value.shape))
    return Erratum(
        example=key,
        reason=reason,
        quantity=worst.key,
        cell=cell,
        true=float(worst.value.flatten()[place]),
        printed=float(worst.printed.flatten()[place]),
        wrong=sum(int(each.differs.sum()) for each in quantities if each.differs is not None),
        shown=sum(each.printed.numel() for each in quantities if each.printed is not None),
    )


def _apart(quantity: Quantity) -> torch.Tensor:
    """How far apart the two numbers of each cell are, relative to the larger: flat."""
    assert quantity.printed is not None
    assert quantity.differs is not None
    larger = torch.maximum(quantity.printed.abs(), quantity.value.abs())
    relative = (quantity.printed - quantity.value).abs() / larger.clamp(min=1e-12)
    return torch.where(quantity.differs, relative, 0.0).flatten()
