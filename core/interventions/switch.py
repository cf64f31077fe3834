"""What every switch is: a small frozen value that becomes edits, another config, or a seed.

A kind of switch is a frozen dataclass below `Switch`. Its fields are plain (bool, int, float, str,
None, tuples of these), so that any switch can be written into a link or a file and read again, as
`head_off:encoder,0,self_attention,(1,2)`:

    @dataclass(frozen=True)
    class Scaled(Switch, kind="scaled"):
        address: str
        by: float = 1.0

        def edits(self, setting: Setting) -> Sequence[Edit]:
            return [Edit(self.address, lambda x: x * self.by, self.text)]
"""

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints
from urllib.parse import unquote

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

LARGEST_SEED = 2**31 - 1
KINDS: "dict[str, type[Switch]]" = {}  # filled where the kinds are defined, never later


@cache
def _hints_of(kind: "type[Switch]") -> Mapping[str, Any]:
    return get_type_hints(kind)


@dataclass(frozen=True)
class Setting:
    """What a switch may ask while it becomes edits.

    config: of the model that will run. trace_of: the plain run of another sentence. means: each
    head's mean output over a reference set, (H, K) by the address of `context`. A page gives
    makers that remember; `experiment.setting_of` gives plain ones.
    """

    config: ModelConfig
    trace_of: Callable[[str], Trace]
    means: Callable[[], Mapping[str, Tensor]]


@dataclass(frozen=True)
class Switch:
    """One thing that is other than in the plain run. Equal values, equal bits.

    A class below is given its `kind` and, as `slot`, the fields that say what it takes hold of: of
    two switches alike in these the later replaces the earlier; by default all fields are.

    Raises `GlassformerError("experiment_value", …)` for a field of the wrong type, for a `draw`,
    which is a seed, outside 0 .. 2³¹ − 1, and for what `misfit` names.
    """

    kind: ClassVar[str] = ""
    order: ClassVar[int] = 0  # edits of lower order come first, whatever was switched first
    slot_fields: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(
        cls, kind: str = "", slot: tuple[str, ...] | None = None, **more: Any
    ) -> None:
        super().__init_subclass__(**more)
        if slot is not None:
            cls.slot_fields = slot
        if kind:
            cls.kind = kind
            KINDS[kind] = cls

    def __post_init__(self) -> None:
        hints = _hints_of(type(self))  # type: ignore[arg-type]  # mypy: a class has no hash
        for each in fields(self):
            value = getattr(self, each.name)
            fitting = fits_type(value, hints[each.name])
            if not fitting or (each.name == "draw" and not 0 <= value <= LARGEST_SEED):
                refuse_value(self.kind, each.name, value)
        if name := self.misfit():
            refuse_value(self.kind, name, getattr(self, name))

    def misfit(self) -> str:
        """The field whose value this kind cannot have; "" where all are well."""
        return ""

    def edits(self, setting: Setting) -> Sequence[Edit]:  # noqa: ARG002
        """The changes made to recorded tensors.

        Args:
            setting: what a switch may ask.

        Returns:
            Edits named `self.text`; () of a kind that changes no tensor.

        Raises:
            GlassformerError: of the kinds that name places, for what the model does not have
                (`edit_unmatched`, `unknown_address`, `out_of_range`); of those that ask `setting`,
                what the means or the other run raise.
        """
        return ()

    def config(self, config: ModelConfig) -> ModelConfig:
        """The config of the run: another one makes a model of its own that shares the weights.

        Args:
            config: of the run so far.

        Returns:
            The same, or another one of a kind that is a convention.

        Raises:
            GlassformerError: of a convention, `config` or `experiment_value` where the model cannot
                be run so.
        """
        return config

    @property
    def seed(self) -> int | None:
        """The dropout seed of the run; None for no training mode."""
        return None

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises where it does not fit a model or these lengths in tokens.

        Args:
            config: of the run.
            source: S, tokens that the encoder reads.
            target: T, tokens that the decoder reads.

        Raises:
            GlassformerError: of the kinds that can misfit, in a sentence of theirs.
        """
        return

    @property
    def slot(self) -> Hashable:
        """Of two switches with one slot the later replaces the earlier."""
        if self.slot_fields is None:
            return self
        return self.kind, *(getattr(self, name) for name in self.slot_fields)

    @property
    def values(self) -> dict[str, Any]:
        """The fields by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def text(self) -> str:
        """The switch in a link: `kind:field,field,…`, without the defaults at its end."""
        given = [getattr(self, each.name) for each in fields(self)]
        defaults = [each.default for each in fields(self)]
        while given and given[-1] == defaults[len(given) - 1]:
            given.pop()
        return to_text(self.kind, given)


@dataclass(frozen=True)
class Convention(Switch, slot=()):
    """One setting of the config; of two for the same setting the later counts."""

    settings: ClassVar[Mapping[str, str]] = {}  # of the config, by field; None leaves it as it is

    def config(self, config: ModelConfig) -> ModelConfig:
        """With the setting in the whole model.

        Args:
            config: of the run so far.

        Returns:
            A new config; settings whose field is None stay.

        Raises:
            GlassformerError: `config` for what cannot be built.
        """
        given = {setting: getattr(self, name) for name, setting in self.settings.items()}
        return replace(config, **{name: each for name, each in given.items() if each is not None})

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises where the model cannot be run so.

        Args:
            config: of the run.
            source: S; of no consequence.
            target: T; of no consequence.

        Raises:
            GlassformerError: `config` or `experiment_value`.
        """
        self.config(config)


def switch_of(kind: str, given: Mapping[str, Any]) -> Switch:
    """The switch that a link or a file describes.

    Args:
        kind: its name in `KINDS`.
        given: values of its fields by name; those that are absent have their defaults. What is a
            list in a file is given as a tuple.

    Returns:
        The switch.

    Raises:
        GlassformerError: `experiment_kind` for an unknown kind, `experiment_value` for an unknown
            field, a value of the wrong type, or one that is missing.
    """
    if kind not in KINDS:
        raise GlassformerError("experiment_kind", given=kind)
    names = {each.name for each in fields(KINDS[kind])}
    for name in given:
        if name not in names:
            refuse_value(kind, name, given[name])
    try:
        return KINDS[kind](**given)
    except TypeError:
        missing = sorted(names - set(given))
        raise GlassformerError(
            "experiment_value", kind=kind, name=", ".join(missing), given="-"
        ) from None


def refuse_value(kind: str, name: str, given: object) -> None:
    """Raises the error of a value that a switch cannot have.

    Args:
        kind: of the switch.
        name: of the field.
        given: the value.

    Raises:
        GlassformerError: `experiment_value`.
    """
    raise GlassformerError("experiment_value", kind=kind, name=name, given=given)


def fits_type(value: object, hint: Any) -> bool:
    """Whether a value is of a type; for the types that fields of switches have.

    Args:
        value: of a field.
        hint: the type as it is annotated: bool, int, float, str, None, a literal, a tuple or a
            union of these.

    Returns:
        True where it fits. True and False are no numbers; a float is finite and may be whole.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits_type(value, each) for each in inner)
    if origin is Literal:
        return value in inner and type(value) in {type(each) for each in inner}
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if inner[-1] is Ellipsis:
            return all(fits_type(each, inner[0]) for each in value)
        return len(value) == len(inner) and all(map(fits_type, value, inner))
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)  # type: ignore[arg-type]
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)


WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,40})?(e[+-]?\d{1,4})?", re.ASCII)
SPECIAL = re.compile(r"[%,():;'!+&=#?\x00-\x1f]")  # what a word may not hold as it is
NAMED = {"!": None, "!0": False, "!1": True}
DEEPEST = 8  # tuples within tuples; a link may come from anywhere


def to_text(kind: str, given: Sequence[object]) -> str:
    """A kind and its values as in a link; `from_text` reads it.

    Args:
        kind: of the switch.
        given: its values: bool, int, float, str, None or tuples of these.

    Returns:
        `kind:value,value`; the kind alone without values.
    """
    return f"{kind}:{','.join(map(_written, given))}" if given else kind


def from_text(text: str) -> list[tuple[str, list[object]]]:
    """Switches joined by `;`, as kinds with their values.

    Args:
        text: as in a link; "" for none.

    Returns:
        Each kind with its values in order; neither is checked.

    Raises:
        GlassformerError: `experiment_damaged` for text that was not written here.
    """
    found = []
    for part in text.split(";") if text else ():
        kind, colon, rest = part.partition(":")
        values, end = _several(rest, 0, 0) if colon else ((), 0)
        if end != len(rest):
            _damaged(part)
        found.append((kind, list(values)))
    return found


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return f"({','.join(map(_written, value))})"
    for mark, named in NAMED.items():
        if value is named:
            return mark
    if isinstance(value, str):
        word = SPECIAL.sub(lambda found: f"%{ord(found.group()):02X}", value).replace(" ", "+")
        return f"'{word}" if not word or NUMBER.fullmatch(word) else word
    return repr(value)


def _several(text: str, start: int, depth: int) -> tuple[tuple[object, ...], int]:
    """Values between commas, and where they end."""
    if depth > DEEPEST:
        _damaged(text)
    value, end = _value(text, start, depth)
    values = [value]
    while text[end : end + 1] == ",":
        value, end = _value(text, end + 1, depth)
        values.append(value)
    return tuple(values), end


def _value(text: str, start: int, depth: int) -> tuple[object, int]:
    """A word, or a tuple in brackets, and where it ends."""
    if not text.startswith("(", start):
        word = re.split(r"[,():;]", text[start:], maxsplit=1)[0]
        return _read(word), start + len(word)
    if text.startswith("()", start):
        return (), start + 2
    values, end = _several(text, start + 1, depth + 1)
    if text[end : end + 1] != ")":
        _damaged(text)
    return values, end + 1


def _read(word: str) -> object:
    if word in NAMED:
        return NAMED[word]
    if NUMBER.fullmatch(word):
        return int(word) if WHOLE.fullmatch(word) else float(word)
    return unquote(word.removeprefix("'").replace("+", " "))


def _damaged(text: str) -> None:
    raise GlassformerError("experiment_damaged", problem=text[:60])
