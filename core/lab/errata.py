"""Every number that the lecture notes print wrong, at a glance; their code: `code_errata`."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from glassformer.core.lab.worked_examples import Quantity, compute_example, example_keys

Kind = Literal["number", "inconsistent"]
KINDS: tuple[Kind, ...] = ("number", "inconsistent")
INCONSISTENT = frozenset({"numbers_and_code_differ"})  # right by the formula, not by the code


@dataclass(frozen=True)
class Erratum:
    """One reason for which numbers of one example are wrong, with the number that is furthest off.

    "Furthest" is relative to the larger of the two numbers, so that a small one can be the worst.
    """

    example: str
    reason: str
    kind: Kind
    quantity: str  # that holds the number
    cell: tuple[int, ...]  # where in it, from 0
    true: float
    printed: float
    wrong: int  # how many numbers are wrong for this reason
    shown: int  # of how many that the notes print in these quantities
    rows: int  # rows of the quantity above that have a wrong number
    all_rows: int


@cache
def errata() -> tuple[Erratum, ...]:
    """All reasons for which printed numbers are wrong, in the order of the notes.

    Returns:
        One a reason and example; computed once.
    """
    return tuple(erratum for key in example_keys() for erratum in errata_of(key))


class Tally(NamedTuple):
    """How many numbers are wrong, of how many shown beside them, for how many reasons."""

    wrong: int
    shown: int
    reasons: int


@cache
def count_errata(kind: Kind, keys: tuple[str, ...] | None = None) -> Tally:
    """The wrong printed numbers of some examples counted, each once.

    Args:
        kind: of the errata that are counted.
        keys: of the examples; None for all of them.

    Returns:
        How many are wrong, of how many printed in the same quantities, for how many reasons.

    Raises:
        GlassformerError: `lab_choice` for a key that no example has.
    """
    wrong, shown, reasons = 0, 0, set[str]()
    for quantity in _quantities(example_keys() if keys is None else keys):
        marks = {
            cause.reason: int(cause.cells.sum())
            for cause in quantity.causes
            if cause.cells is not None and kind_of(cause.reason) == kind
        }
        if marks and quantity.printed is not None:
            wrong, shown = wrong + sum(marks.values()), shown + quantity.printed.numel()
            reasons |= set(marks)
    return Tally(wrong, shown, len(reasons))


def kind_of(reason: str) -> Kind:
    """What is wrong: the number, or its agreement with the code printed beside it.

    Args:
        reason: the key of a cause.

    Returns:
        "inconsistent" for the latter, else "number".
    """
    return "inconsistent" if reason in INCONSISTENT else "number"


@cache
def errata_of(key: str) -> tuple[Erratum, ...]:
    """The errata of one example, a reason each, in the order in which they come up.

    Args:
        key: of the example.

    Returns:
        () where the notes print nothing wrong; computed once.

    Raises:
        GlassformerError: `lab_choice` for a key that no example has.
    """
    by_reason: dict[str, list[tuple[Quantity, Tensor]]] = {}
    for quantity in _quantities([key]):
        for cause in quantity.causes:
            assert cause.cells is not None  # the inputs are the notes'
            by_reason.setdefault(cause.reason, []).append((quantity, cause.cells))
    return tuple(_erratum(key, reason, found) for reason, found in by_reason.items())


def _quantities(keys: Iterable[str]) -> list[Quantity]:
    return [each for key in keys for each in compute_example(key).quantities]


def _erratum(key: str, reason: str, found: list[tuple[Quantity, Tensor]]) -> Erratum:
    worst, cells = max(found, key=lambda each: float(_apart(*each).max()))
    assert worst.printed is not None
    place = int(_apart(worst, cells).argmax())
    at = torch.unravel_index(torch.tensor(place), worst.value.shape)
    last = found[-1][1]  # the whole follows its parts: a table its frequencies
    rows = last.reshape(len(last), -1).any(dim=1) if last.dim() else last.reshape(1)
    return Erratum(
        example=key,
        reason=reason,
        kind=kind_of(reason),
        quantity=worst.key,
        cell=tuple(int(each) for each in at),
        true=float(worst.value.flatten()[place]),
        printed=float(worst.printed.flatten()[place]),
        wrong=sum(int(cells.sum()) for _, cells in found),
        shown=sum(each.printed.numel() for each, _ in found if each.printed is not None),
        rows=int(rows.sum()),
        all_rows=len(rows),
    )


def _apart(quantity: Quantity, cells: Tensor) -> Tensor:
    """How far apart the two numbers of each of the cells are, relative to the larger: flat."""
    assert quantity.printed is not None
    larger = torch.maximum(quantity.printed.abs(), quantity.value.abs())
    relative = (quantity.printed - quantity.value).abs() / larger.clamp(min=1e-12)
    return torch.where(cells, relative, 0.0).flatten()
