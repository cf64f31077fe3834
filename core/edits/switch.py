"""What every switch is: a small frozen value that becomes edits, another config, or a seed.

A kind of switch is a frozen dataclass below `Switch`. Its fields are plain (bool, int, float, str,
None, tuples of these), so that any switch can be written into a link or a file and read again:

    @dataclass(frozen=True)
    class Scaled(Switch, kind="scaled"):
        address: str
        by: float = 1.0

        def edits(self, setting: Setting) -> Sequence[Edit]:
            return [Edit(self.address, lambda x: x * self.by, self.text)]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from torch import Tensor

from core.config import ModelConfig
from core.edits.writing import to_text
from core.errors import GlassformerError
from core.trace.tape import Edit
from core.trace.trace import Trace
from core.translator import Translator

KINDS: dict[str, type[Switch]] = {}  # filled where the kinds are defined, never later


@dataclass(frozen=True)
class Setting:
    """What a switch may ask while it becomes edits.

    plain: the shared model, untouched. config: of the model that will run. trace_of: the plain
    run of another sentence. means: each head's mean output over a reference set, (H, K) by the
    address of `context`. A page gives makers that remember; `experiment.setting` gives plain ones.
    """

    plain: Translator
    config: ModelConfig
    trace_of: Callable[[str], Trace]
    means: Callable[[], Mapping[str, Tensor]]


@dataclass(frozen=True)
class Phrase:
    """One readable piece: the words key, and the values that its text names."""

    key: str
    values: Mapping[str, object]


@dataclass(frozen=True)
class Switch:
    """One thing that is other than in the plain run. Equal values, equal bits.

    Raises `GlassformerError("experiment_value", …)` for a field of the wrong type.
    """

    kind: ClassVar[str] = ""
    order: ClassVar[int] = 0  # edits of lower order come first, whatever was switched first

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            cls.kind = kind
            KINDS[kind] = cls

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for each in fields(self):
            value = getattr(self, each.name)
            if not fits(value, hints[each.name]):
                refuse(self.kind, each.name, value)

    def edits(self, setting: Setting) -> Sequence[Edit]:  # noqa: ARG002
        """The changes made to recorded tensors; named `self.text`."""
        return ()

    def config(self, config: ModelConfig) -> ModelConfig:
        """The config of the run: another one makes a model of its own that shares the weights."""
        return config

    @property
    def seed(self) -> int | None:
        """The dropout seed of the run; None for no training mode."""
        return None

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises `GlassformerError` where it does not fit a model or these lengths in tokens."""
        return

    @property
    def slot(self) -> Hashable:
        """Of two switches with one slot the later replaces the earlier."""
        return self

    @property
    def phrase(self) -> Phrase:
        """The readable piece: words key `edits.<kind>`, its fields as values."""
        return Phrase(f"edits.{self.kind}", self.values)

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


def switch_of(kind: str, given: Mapping[str, Any]) -> Switch:
    """The switch that a link or a file describes; values in lists become tuples.

    Raises `GlassformerError`: `experiment_kind` for an unknown kind, `experiment_value`.
    """
    if kind not in KINDS:
        raise GlassformerError("experiment_kind", given=kind)
    names = {each.name for each in fields(KINDS[kind])}
    for name in given:
        if name not in names:
            refuse(kind, name, given[name])
    try:
        return KINDS[kind](**given)
    except TypeError:
        missing = sorted(names - set(given))
        raise GlassformerError(
            "experiment_value", kind=kind, name=", ".join(missing), given="-"
        ) from None


def refuse(kind: str, name: str, given: object) -> None:
    """Raises the error of a value that a switch cannot have."""
    raise GlassformerError("experiment_value", kind=kind, name=name, given=given)


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type; for the types that fields of switches have."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner and type(value) in {type(each) for each in inner}
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if inner[-1] is Ellipsis:
            return all(fits(each, inner[0]) for each in value)
        return len(value) == len(inner) and all(map(fits, value, inner))
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)  # type: ignore[arg-type]
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)
