"""The notes' numeric examples: editable inputs, true values recomputed, what the notes print, why.

worked = work("softmax-alternatives", scores="3 1")
worked.quantity("l2").value          # what core's functions give
worked.quantity("l2").printed        # what the notes print; None once the inputs are changed
worked.quantity("l2").differs        # which of the printed numbers are wrong
worked.quantity("l2").causes         # for which reasons, and which cells each one explains
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.errors import GlassformerError
from core.lab.example_rules import NOTES_RULES, RULES, SLACK
from core.lab.inputs import array, number, whole

Reader = Callable[[str, Any], Any]
FILE = Path(__file__).parent / "data" / "worked_examples.toml"
LABEL = 40  # characters of a word
WORDS = 32  # of a sentence

_row: Reader = partial(array, axes=1, limit=32)
_table: Reader = partial(array, axes=2, limit=256)
_batch: Reader = partial(array, axes=3, limit=512)


def _whole(low: int, high: int) -> Reader:
    return partial(whole, low=low, high=high)


def _words(name: str, given: Any) -> tuple[str, ...]:
    words = given if isinstance(given, list | tuple) else str(given).split()
    return tuple(_word(name, each) for each in words)


def _word(name: str, given: Any) -> str:
    word = str(given)
    if len(word) > LABEL:
        raise GlassformerError("lab_large", name=name, given=len(word), limit=LABEL)
    return word


READERS: Mapping[str, Mapping[str, Reader]] = {
    "pe-matrix": {"max_len": _whole(1, 64), "d_model": _whole(2, 32)},
    "pe-same-word": {"d_model": _whole(2, 32), "positions": _row, "embedding": _row},
    "self-attention-3x4": {"X": _table, "W_Q": _table, "W_K": _table, "W_V": _table},
    "softmax-4x4": {"scores": _table},
    "self-similarity-8d": {"X": _table, "tokens": _words},
    "four-dim-attention": {"query_sample0_head0": _table, "full_shape": _row},
    "layer-norm": {"x": _batch, "eps": partial(number, low=0, high=1)},
    "softmax-alternatives": {"scores": _row},
    "soft-dictionary": {"keys": _words, "values": _row, "weights": _row, "query": _word},
    "two-word-weights": {"scores": _row, "d_k": _whole(1, 4096)},
    "mask-softmax-3x3": {"scores": _table},
    "all-zero-mask": {"T": _whole(1, 32)},
    "shapes-512": {
        "ids": partial(array, axes=2, limit=64),
        "vocabulary": _whole(1, 100_000),
        "d_model": _whole(2, 1024),
        "heads": _whole(1, 64),
        "d_ff": _whole(1, 2048),
    },
    "word-positions": {"words": _words, "together": _word},
}


Inputs = Mapping[str, Any]
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
    """Whether the inputs of an example fit each other.

    Raises:
        GlassformerError: `lab_shape`, `lab_whole`, `lab_empty` or `lab_large`, naming the one that
            does not.
    """
    needed = SHAPES[key](inputs) if key in SHAPES else {}
    for name, shape in needed.items():
        given = tuple(inputs[name].shape) if name != "tokens" else (len(inputs[name]),)
        if given != shape:
            _refuse(name, _size(given), _size(shape))
    lasts = {"positions": 511, "full_shape": 8, "ids": inputs.get("vocabulary", 1) - 1}
    for name in lasts.keys() & inputs.keys():
        for each in inputs[name].flatten().tolist():
            whole(name, each, int(name == "full_shape"), lasts[name])
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
    _check(key, inputs)
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
    stored = _stored()
    if key not in stored:
        allowed = ", ".join(stored)
        raise GlassformerError("lab_choice", name="example", given=key, allowed=allowed)
    return stored[key]


@cache
def _stored(number: type = float) -> dict[str, dict[str, Any]]:
    """The file."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"), parse_float=number)
