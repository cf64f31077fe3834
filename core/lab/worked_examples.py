"""The notes' numeric examples: editable inputs, true values recomputed, what the notes print, why.

worked = work("softmax-alternatives", scores="3 1")
worked.quantity("l2").value          # what core's functions give
worked.quantity("l2").printed        # what the notes print; None once the inputs are changed
worked.quantity("l2").differs        # which of the printed numbers are wrong
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from core.errors import GlassformerError
from core.lab.example_inputs import READERS, check
from core.lab.example_rules import RULES
from core.lab.notes_rules import NOTES_RULES, SLACK

FILE = Path(__file__).parent / "data" / "worked_examples.toml"
FEWEST_DECIMALS = 2  # a number printed with fewer is held to two


@dataclass(frozen=True)
class Quantity:
    """One result of an example."""

    key: str
    value: Tensor  # as computed now, float64; a shape is a row of whole numbers
    printed: Tensor | None  # what the notes print for it, where they do and the inputs are theirs
    differs: Tensor | None  # bool, of the shape of `printed`: wrong beyond rounding
    by_notes: Tensor | None  # what comes out when computed the way the notes must have
    erratum: str | None  # the key of why the notes' number is wrong, whatever the inputs


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
        quantities=_quantities(key, inputs, {} if edited else stored["printed"]),
        remarks=tuple(stored.get("remarks", ())),
    )


def _quantities(key: str, inputs: dict[str, Any], printed: dict[str, Any]) -> tuple[Quantity, ...]:
    true = RULES[key](inputs)
    notes = NOTES_RULES[key](inputs, _example(key)["printed"]) if key in NOTES_RULES else {}
    slack = SLACK[key](inputs) if key in SLACK else {}
    errata = _example(key).get("errata", {})
    found = []
    for name, value in true.items():
        shown = _tensor(printed[name]) if name in printed else None
        wrong = None
        if shown is not None:
            within = 0.5 * 10.0 ** -_decimals(printed[name]) + slack.get(name, torch.zeros(()))
            wrong = (shown - value).abs() > within + 1e-9
        found.append(
            Quantity(name, value.double(), shown, wrong, notes.get(name), errata.get(name))
        )
    return tuple(found)


def _decimals(printed: Any) -> int:
    if isinstance(printed, list):
        return max(map(_decimals, printed))
    return max(FEWEST_DECIMALS, len(str(float(printed)).partition(".")[2].rstrip("0")))


def _tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


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
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
