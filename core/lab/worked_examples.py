"""The notes' numeric examples: editable inputs, true values recomputed, what the notes print, why.

worked = work("softmax-alternatives", scores="3 1")
worked.quantity("l2").value          # what core's functions give
worked.quantity("l2").printed        # what the notes print; None once the inputs are changed
worked.quantity("l2").differs        # which of the printed numbers are wrong
worked.quantity("l2").causes         # for which reasons, and which cells each one explains
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.errors import GlassformerError
from core.lab.example_inputs import READERS, check
from core.lab.example_rules import RULES
from core.lab.notes_rules import NOTES_RULES, SLACK

FILE = Path(__file__).parent / "data" / "worked_examples.toml"


class Cause(NamedTuple):
    """Why numbers of a quantity are not what the notes should print."""

    reason: str  # a key
    cells: Tensor | None  # bool, of the shape of `printed`: those that it explains


@dataclass(frozen=True)
class Quantity:
    """One result of an example."""

    key: str
    value: Tensor  # as computed now, float64; a shape is a row of whole numbers
    printed: Tensor | None  # what the notes print for it, where they do and the inputs are theirs
    differs: Tensor | None  # bool, of the shape of `printed`: wrong at the decimals printed
    by_notes: Tensor | None  # what comes out when computed the way the notes must have
    causes: tuple[Cause, ...]  # without cells where the inputs are no longer the notes'


@dataclass(frozen=True)
class Worked:
    """An example with its inputs as they are now."""

    key: str
    inputs: Mapping[str, Any]  # tensors, numbers or words
    edited: bool  # whether the inputs are no longer those of the notes
    quantities: tuple[Quantity, ...]
    remarks: tuple[str, ...]  # keys of what else is to be said

    def quantity(self, key: str) -> Quantity:
        """One result by its key."""
        return next(each for each in self.quantities if each.key == key)

    @property
    def wrong(self) -> tuple[str, ...]:
        """The quantities that the notes print wrong."""
        found = [q.key for q in self.quantities if q.differs is not None and q.differs.any()]
        return tuple(found)


def examples() -> tuple[str, ...]:
    """The keys of all examples, in the order of the notes."""
    return tuple(_stored())


def notes_inputs(key: str) -> dict[str, Any]:
    """An example's inputs as the notes have them: numbers, rows of numbers, words.

    Raises:
        GlassformerError: `lab_choice` for an example that does not exist.
    """
    inputs: dict[str, Any] = deepcopy(_example(key)["inputs"])  # the reader may change his own
    return inputs


def work(key: str, **changed: Any) -> Worked:
    """Computes an example; `changed` are inputs in place of the notes'.

    Raises:
        GlassformerError: `lab_choice` for an example or an input that does not exist, another
            `lab_…` for an input that is no number, too large or does not fit the others.
    """
    stored, readers = _example(key), READERS[key]
    for name in changed:
        if name not in readers:
            allowed = ", ".join(readers)
            raise GlassformerError("lab_choice", name="input", given=name, allowed=allowed)
    typed = {name: changed.get(name, stored["inputs"][name]) for name in readers}
    inputs = {name: read(name, typed[name]) for name, read in readers.items()}
    check(key, inputs)
    original = {name: read(name, stored["inputs"][name]) for name, read in readers.items()}
    edited = any(not _same(inputs[name], original[name]) for name in readers)
    return Worked(
        key=key,
        inputs=MappingProxyType(inputs),
        edited=edited,
        quantities=_quantities(key, inputs, edited),
        remarks=tuple(stored.get("remarks", ())),
    )


def _quantities(key: str, inputs: dict[str, Any], edited: bool) -> tuple[Quantity, ...]:
    true, stored = RULES[key](inputs), _example(key)
    notes = NOTES_RULES[key](inputs, _plain(stored["printed"])) if key in NOTES_RULES else {}
    slack = SLACK[key](inputs) if key in SLACK else {}
    found = []
    for name, value in true.items():
        shown, wrong = None if edited else _printed(stored, name, notes), None
        if shown is not None:
            within = 0.5 * _unit(stored, name) + slack.get(name, torch.zeros(()))
            wrong = (shown - value).abs() > within + 1e-9
        causes = _causes(stored, name, wrong)
        found.append(Quantity(name, value.double(), shown, wrong, notes.get(name), causes))
    return tuple(found)


def _printed(stored: dict[str, Any], name: str, notes: Mapping[str, Tensor]) -> Tensor | None:
    """What the notes print: as stored, or their slip with the stored cells put in."""
    if name in stored["printed"]:
        return _tensor(stored["printed"][name])
    if name not in stored.get("slipped", {}):
        return None
    shown = notes[name].double().round(decimals=stored["slipped"][name])
    for cell in _quoted(stored, name):
        shown[tuple(cell["at"])] = _tensor(cell["printed"])
    return shown


def _unit(stored: dict[str, Any], name: str) -> float:
    """The last place printed: 0.1 for 0.4, 10⁷ for 1.63e9; of many numbers the finest."""
    if name in stored["printed"]:
        return 10.0 ** min(map(_exponent, _leaves(stored["printed"][name])))
    return 10.0 ** -int(stored["slipped"][name])


def _causes(stored: dict[str, Any], name: str, wrong: Tensor | None) -> tuple[Cause, ...]:
    found, left = [], None if wrong is None else wrong.clone()
    for cell in _quoted(stored, name):
        if "erratum" in cell:
            own = None
            if wrong is not None and left is not None:
                own, place = torch.zeros_like(wrong), tuple(cell["at"])
                own[place], left[place] = wrong[place], False
            found.append(Cause(cell["erratum"], own))
    if name in stored.get("errata", {}):
        found.insert(0, Cause(stored["errata"][name], left))
    return tuple(found)


def _quoted(stored: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [each for each in stored.get("quoted", ()) if each["quantity"] == name]


def _leaves(values: Any) -> list[Any]:
    return (
        [leaf for each in values for leaf in _leaves(each)]
        if isinstance(values, list)
        else [values]
    )


def _exponent(printed: Any) -> int:
    """Of the last digit of a number as the file has it."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)  # the file has neither NaN nor ∞
    return exponent


def _tensor(values: Any) -> Tensor:
    return torch.tensor(_plain(values), dtype=torch.float64)


def _plain(values: Any) -> Any:
    """The same with floats in place of decimals."""
    if isinstance(values, dict):
        return {name: _plain(each) for name, each in values.items()}
    if isinstance(values, list):
        return [_plain(each) for each in values]
    return float(values) if isinstance(values, Decimal) else values


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return torch.equal(a, b)
    return bool(a == b)


def _example(key: str) -> dict[str, Any]:
    stored = _stored()
    if key not in stored:
        allowed = ", ".join(stored)
        raise GlassformerError("lab_choice", name="example", given=key, allowed=allowed)
    return stored[key]


@cache
def _stored() -> dict[str, dict[str, Any]]:
    """The file, what is printed as decimals: they keep the digits that the notes print."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"), parse_float=Decimal)
    return {key: each | {"inputs": _plain(each["inputs"])} for key, each in read.items()}
