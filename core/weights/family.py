"""What a family of models is: how its config reads as ours, and what its tensors are called."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.config import Activation, ModelConfig
from core.errors import GlassformerError
from core.models import TaskKind

LAYER = re.compile(r"\.layers\.(\d+)\.")
LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
# How they write the activations that we have.
ACTIVATIONS: Mapping[str, Activation] = {
    "relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu", "swish": "silu",
}  # fmt: skip


class Facts:
    """A config.json of theirs, read with types; what cannot be computed here is refused.

    `path` is what the folder is called in errors, `names` are those of its tensors, without prefix.
    """

    def __init__(self, table: Mapping[str, Any], path: str, names: Collection[str] = ()) -> None:
        self.table, self.path, self.names = table, path, frozenset(names)

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        given = self._given(name, default)
        if isinstance(given, bool) or not isinstance(given, int):
            raise self.wrong(f"{name} is {given!r}, not a whole number")
        return given

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        given = self._given(name, default)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise self.wrong(f"{name} is {given!r}, not a number")
        if not math.isfinite(given):
            raise self.wrong(f"{name} is {given!r}, not a finite number")
        return float(given)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        given = self._given(name, default)
        if not isinstance(given, bool):
            raise self.wrong(f"{name} is {given!r}, neither true nor false")
        return given

    def activation(self, name: str) -> Activation:
        """One of the activations that are computed here."""
        given = self._given(name, None)
        if not isinstance(given, str) or given not in ACTIVATIONS:
            raise self.unsupported(f"the activation {given!r}")
        return ACTIVATIONS[given]

    def refuse(self, name: str, but: Collection[Any], what: str) -> None:
        """Refuses any other value of a setting than these; one that is not given is fine."""
        given = self.table.get(name)
        if given is not None and given not in but:
            raise self.unsupported(f"{what} ({name}: {given!r})")

    def wrong(self, problem: str) -> GlassformerError:
        """What is said of a config that is damaged."""
        return GlassformerError("weights_damaged", path=self.path, problem=problem)

    def unsupported(self, what: str) -> GlassformerError:
        """What is said of a model that cannot be computed here."""
        return GlassformerError("weights_unsupported", path=self.path, what=what)

    def _given(self, name: str, default: Any) -> Any:
        given = self.table.get(name)
        given = default if given is None else given
        if given is None:
            raise self.wrong(f"its config does not say {name}")
        return given


@dataclass(frozen=True)
class Theirs:
    """Where the numbers of one of our parameters lie: a tensor, or an equal part of its columns."""

    name: str
    turned: bool = False  # rows and columns exchanged
    part: tuple[int, int] | None = None  # (0, 3): the first of three


@dataclass(frozen=True)
class Family:
    """One kind of models.

    settings: our config's fields, read off theirs. modules: their name
    of each of our modules (`{n}` is the layer's number), or of a single parameter; several are
    tried in this order. spare: patterns of tensors that are known and not needed. prefix: what may
    stand before every name, or not. turned: linear maps lie as (in, out). fused: modules of ours
    that are parts of one of theirs. optional: parameters of ours that are zero where absent.
    """

    kinds: tuple[str, ...]  # `model_type` in their config
    task: TaskKind
    settings: Callable[[Facts], dict[str, Any]]
    modules: Mapping[str, str | tuple[str, ...]]
    spare: tuple[str, ...] = ()
    prefix: str = ""
    turned: bool = False
    fused: Mapping[str, tuple[int, int]] | None = None
    optional: tuple[str, ...] = ()

    def config(self, facts: Facts) -> ModelConfig:
        """The model in our words; raises for what it cannot be."""
        try:
            return ModelConfig(dropout=0.0, **self.settings(facts))
        except GlassformerError as error:
            if error.key != "config":
                raise
            raise facts.wrong(str(error.values["problem"])) from error

    def theirs(self, ours: str) -> tuple[Theirs, ...]:
        """Where a parameter of ours may lie, the likeliest first; () where the family has none."""
        number = LAYER.search(ours)
        plain = LAYER.sub(".layers.{n}.", ours)
        module, _, leaf = plain.rpartition(".")
        written = self.modules.get(plain)
        if written is None and (written := self.modules.get(module)) is not None:
            written = tuple(f"{each}.{LEAVES[leaf]}" for each in _several(written))
        part = (self.fused or {}).get(module.rpartition(".")[2])
        turned = self.turned and leaf == "weight" and ".w_" in module
        layer = number[1] if number else ""
        return tuple(
            Theirs(each.replace("{n}", layer), turned, part) for each in _several(written or ())
        )

    def is_spare(self, name: str) -> bool:
        """Whether a tensor is known and not needed."""
        return any(re.fullmatch(pattern, name) for pattern in self.spare)


def _several(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given
