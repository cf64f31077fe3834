"""The notes' numeric examples: editable inputs, true values recomputed, what the notes print, why.

worked = work("softmax-alternatives", scores=[3, 1])
worked.quantity("l2").value          # what core's functions give
worked.quantity("l2").printed        # what the notes print; None once the inputs are changed
worked.quantity("l2").differs        # which of the printed numbers are wrong
worked.quantity("l2").causes         # for which reasons, and which cells each one explains
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.example_rules import NOTES_RULES, RULES, SLACK
from glassformer.core.lab.inputs import array, read_choice, read_number, read_whole_number

Inputs = Mapping[str, Any]
FILE = Path(__file__).parent / "data" / "worked_examples.toml"
LABEL = 40  # characters of a word
WORDS = 32  # of a sentence
CELLS = {1: 32, 2: 256, 3: 512}  # of an array, by its axes
IDS = 64  # of sentences that run through a whole model


def _read(key: str, name: str, given: Any) -> Any:
    """An input, read as what the notes have in its place: a word, words, an array, a number."""
    original = _example(key)["inputs"][name]
    if isinstance(original, str):
        return _word(name, given)
    if isinstance(original, list):
        if isinstance(original[0], str):
            return _words(name, given)
        axes = np.ndim(original)
        return array(name, given, axes, limit=IDS if name == "ids" else CELLS[axes])
    low, high = _example(key)["bounds"][name]
    if isinstance(original, int):
        return read_whole_number(name, given, low, high)
    return read_number(name, given, low, high)


def _words(name: str, given: Any) -> tuple[str, ...]:
    words = given if isinstance(given, list | tuple) else str(given).split()
    return tuple(_word(name, each) for each in words)


def _word(name: str, given: Any) -> str:
    word = str(given)
    if len(word) > LABEL:
        raise GlassformerError("lab_large", name=name, given=len(word), limit=LABEL)
    return word


# The shape that inputs of an example must have so that they fit the others.
SHAPES: Mapping[str, Callable[[Inputs], dict[str, tuple[int, ...]]]] = {
    "pe-same-word": lambda given: {"embedding": (given["d_model"],), "positions": (2,)},
    "self-attention-3x4": lambda given: {
        name: (given["X"].size(1), given["W_V" if name == "W_V" else "W_Q"].size(1))
        for name in ("W_Q", "W_K", "W_V")
    },
    "self-similarity-8d": lambda given: {"tokens": (given["X"].size(0),)},
    "four-dim-attention": lambda given: {
        "full_shape": (4,),
        "query_sample0_head0": tuple(map(int, given["full_shape"][2:])),
    },
    "soft-dictionary": lambda given: dict.fromkeys(("values", "weights"), (len(given["keys"]),)),
    "mask-softmax-3x3": lambda given: {"scores": (len(given["scores"]),) * 2},
}


def _check(key: str, inputs: Inputs) -> None:
    """Refuses inputs of an example that do not fit each other, naming one."""
    needed = SHAPES[key](inputs) if key in SHAPES else {}
    for name, shape in needed.items():
        given = tuple(inputs[name].shape) if name != "tokens" else (len(inputs[name]),)
        if given != shape:
            _refuse(name, _size(given), _size(shape))
    lasts = {"positions": 511, "full_shape": 8, "ids": inputs.get("vocabulary", 1) - 1}
    for name in lasts.keys() & inputs.keys():
        for each in inputs[name].flatten().tolist():
            read_whole_number(name, each, int(name == "full_shape"), lasts[name])
    width = inputs.get("d_model", 0)
    if width % 2:
        _refuse("d_model", str(width), "2 × n")
    if width % inputs.get("heads", 1):
        _refuse("heads", str(inputs["heads"]), f"{width} / n")
    if "x" in inputs and inputs["x"].size(-1) < 2:
        _refuse("x", _size(inputs["x"].shape), "B × S × 2 …")
    if not inputs.get("words", "-"):
        raise GlassformerError("lab_empty", name="words")
    if (many := len(inputs.get("words", ()))) > WORDS:
        raise GlassformerError("lab_large", name="words", given=many, limit=WORDS)


def _size(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _refuse(name: str, given: str, needed: str) -> None:
    raise GlassformerError("lab_shape", name=name, given=given, needed=needed)


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
        """One result by its key.

        Args:
            key: of the quantity.

        Returns:
            The result.

        Raises:
            StopIteration: the example has no such quantity.
        """
        return next(each for each in self.quantities if each.key == key)

    @property
    def wrong(self) -> tuple[str, ...]:
        """The quantities that the notes print wrong."""
        found = [q.key for q in self.quantities if q.differs is not None and q.differs.any()]
        return tuple(found)


def example_keys() -> tuple[str, ...]:
    """The keys of all examples, in the order of the notes.

    Returns:
        Such as "softmax-alternatives".
    """
    return tuple(_stored())


def notes_inputs(key: str) -> dict[str, Any]:
    """An example's inputs as the notes have them.

    Args:
        key: of the example.

    Returns:
        Numbers, rows of numbers and words by the name of the input; a copy, to be changed at will.

    Raises:
        GlassformerError: `lab_choice` for a key that no example has.
    """
    inputs: dict[str, Any] = deepcopy(_example(key)["inputs"])  # the reader may change his own
    return inputs


def compute_example(key: str, **changed: Any) -> Worked:
    """Computes an example, and compares it with what the notes print.

    Args:
        key: of the example.
        changed: inputs in place of the notes', by name.

    Returns:
        The example with every quantity; what the notes print is there only for their own inputs.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`: an example or input that there is not, a
            value that is not allowed, inputs that do not fit each other.
    """
    stored = _example(key)
    for name in changed:
        read_choice("input", name, stored["inputs"])
    original = {name: _read(key, name, given) for name, given in stored["inputs"].items()}
    inputs = original | {name: _read(key, name, given) for name, given in changed.items()}
    _check(key, inputs)
    edited = any(not _same(inputs[name], original[name]) for name in changed)
    remarks = tuple(stored.get("remarks", ()))
    return Worked(key, inputs, edited, _quantities(key, inputs, edited), remarks)


def _quantities(key: str, inputs: dict[str, Any], edited: bool) -> tuple[Quantity, ...]:
    true, stored = RULES[key](inputs), _example(key)
    notes = NOTES_RULES[key](inputs, stored["printed"]) if key in NOTES_RULES else {}
    slack = SLACK[key](inputs) if key in SLACK else {}
    found = []
    for name, value in true.items():
        shown, wrong = None if edited else _printed(stored, name, notes), None
        if shown is not None:
            within = 0.5 * _unit(key, name) + slack.get(name, torch.zeros(()))
            wrong = (shown - value).abs() > within + 1e-9
        causes = _causes(stored, name, wrong)
        found.append(Quantity(name, value.double(), shown, wrong, notes.get(name), causes))
    return tuple(found)


def _printed(stored: dict[str, Any], name: str, notes: Mapping[str, Tensor]) -> Tensor | None:
    """What the notes print: as stored, or their slip with the stored cells put in."""
    if name in stored["printed"]:
        return torch.tensor(stored["printed"][name], dtype=torch.float64)
    if name not in stored.get("slipped", {}):
        return None
    shown = notes[name].double().round(decimals=stored["slipped"][name])
    for cell in _quoted(stored, name):
        shown[tuple(cell["at"])] = torch.tensor(cell["printed"], dtype=torch.float64)
    return shown


def _unit(key: str, name: str) -> float:
    """The last place printed: 0.1 for 0.4, 10⁷ for 1.63e9; of many numbers the finest."""
    stored = _stored(Decimal)[key]  # decimals keep the digits that the notes print
    if name not in stored["printed"]:
        return 10.0 ** -int(stored["slipped"][name])
    printed = np.array(stored["printed"][name], dtype=object).ravel()
    return 10.0 ** min(int(Decimal(each).as_tuple().exponent) for each in printed)


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


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return torch.equal(a, b)
    return bool(a == b)


def _example(key: str) -> dict[str, Any]:
    return _stored()[read_choice("example", key, _stored())]


@cache
def _stored(number: type = float) -> dict[str, dict[str, Any]]:
    """The file."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"), parse_float=number)
