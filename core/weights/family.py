"""What a family of models is: how its config reads as ours, and what its tensors are called."""

import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from glassformer.core.config import Activation, ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.model import TaskKind

LAYER = re.compile(r"\.layers\.(\d+)\.")
LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
# What classes of models put behind the model itself, to answer with something else than words.
HEADS: Mapping[str, str] = {
    "classification": r"((pre_)?classifier|score|classification_head)\..*",
    "answers": r"qa_outputs\..*",
    "choice": r"multiple_choice_head\..*",
    "next_sentence": r"cls\.seq_relationship\..*",
    "pooler": r"pooler\..*",
    "value": r"v_head\..*",
}
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
        """A whole number.

        Args:
            name: of the setting.
            default: what counts where it is null or not given; None: it must be given.

        Returns:
            The number.

        Raises:
            GlassformerError: `weights_config` for anything else, true and false too, and where
                nothing is given.
        """
        given = self._given(name, default)
        if isinstance(given, bool) or not isinstance(given, int):
            raise self.wrong(f"{name} is {given!r}, not a whole number")
        return given

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number.

        Args:
            name: of the setting.
            default: what counts where it is null or not given; None: it must be given.

        Returns:
            The number.

        Raises:
            GlassformerError: `weights_config` for anything else, true and false too, and where
                nothing is given.
        """
        given = self._given(name, default)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise self.wrong(f"{name} is {given!r}, not a number")
        if not abs(given) <= sys.float_info.max:
            shown = given if isinstance(given, float) else "a whole number beyond every float"
            raise self.wrong(f"{name} is {shown}, not a finite number")
        return float(given)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false.

        Args:
            name: of the setting.
            default: what counts where it is null or not given; None: it must be given.

        Returns:
            The value.

        Raises:
            GlassformerError: `weights_config` for anything else, and where nothing is given.
        """
        given = self._given(name, default)
        if not isinstance(given, bool):
            raise self.wrong(f"{name} is {given!r}, neither true nor false")
        return given

    def activation(self, name: str, default: str) -> Activation:
        """One of the activations that are computed here.

        Args:
            name: of the setting.
            default: their name of the activation that counts where the setting is null or not
                given.

        Returns:
            Our name of the activation.

        Raises:
            GlassformerError: `weights_unsupported` for one that is not in `ACTIVATIONS`.
        """
        given = self._given(name, default)
        if not isinstance(given, str) or given not in ACTIVATIONS:
            raise self.unsupported(f"the activation {given!r}")
        return ACTIVATIONS[given]

    def ties(self, name: str, default: bool = True) -> bool:
        """Whether the table of words scores them, too: as is said, or as no tensor `name` is there.

        What such a tensor holds decides in the end (`core.weights.model_folder.as_held`).

        Args:
            name: of the tensor that would score words by itself.
            default: the family's, where the config does not say.

        Returns:
            True where the two are tied.

        Raises:
            GlassformerError: `weights_config` where `tie_word_embeddings` is neither true nor
                false.
        """
        return self.flag("tie_word_embeddings", default) or name not in self.names

    def heads_of_keys(self, heads: int, default: int) -> int:
        """Heads of keys: as many as all where null stands, the family's where nothing does.

        Args:
            heads: of the queries.
            default: the family's number.

        Returns:
            Heads of keys and values (grouped-query attention where fewer than `heads`).

        Raises:
            GlassformerError: `weights_config` for what is no whole number.
        """
        said = self.table.get("num_key_value_heads", default)
        return heads if said is None else self.whole("num_key_value_heads", default)

    def refuse(self, name: str, but: Collection[Any], what: str) -> None:
        """Refuses any other value of a setting than these; one that is not given is fine.

        Args:
            name: of the setting.
            but: the values that are computed here; null is always fine.
            what: the setting in words, for the error.

        Raises:
            GlassformerError: `weights_unsupported` for another value.
        """
        given = self.table.get(name)
        if given is not None and given not in but:
            raise self.unsupported(f"{what} ({name}: {given!r})")

    def wrong(self, problem: str) -> GlassformerError:
        """What is said of a config that cannot be used.

        Args:
            problem: what is wrong with it, in words.

        Returns:
            The error `weights_config`, to be raised.
        """
        return GlassformerError("weights_config", path=self.path, problem=problem)

    def unsupported(self, what: str) -> GlassformerError:
        """What is said of a model that cannot be computed here.

        Args:
            what: cannot be computed, in words.

        Returns:
            The error `weights_unsupported`, to be raised.
        """
        return GlassformerError("weights_unsupported", path=self.path, what=what)

    def _given(self, name: str, default: Any) -> Any:
        given = self.table.get(name)
        given = default if given is None else given
        if given is None:
            raise self.wrong(f"it does not say {name}")
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
    tried in this order. spare: patterns of tensors that are known and not needed; what they hold,
    where it is computed here anyway. prefixes: one of them may stand before every name. turned:
    linear maps lie as (in, out). fused: modules of ours that are parts of one of theirs. optional:
    parameters of ours that are zero where absent. ids, ties: which words begin and end a text, by
    kind, and whether the table of words scores them, where a config does not say.
    """

    kinds: tuple[str, ...]  # `model_type` in their config
    task: TaskKind
    settings: Callable[[Facts], dict[str, Any]]
    modules: Mapping[str, str | tuple[str, ...]]
    spare: Mapping[str, "Computed | None"] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()
    turned: bool = False
    fused: Mapping[str, tuple[int, int]] | None = None
    optional: tuple[str, ...] = ()
    ids: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    ties: bool = True

    def config(self, facts: Facts) -> ModelConfig:
        """The model in our words.

        Args:
            facts: its config.json.

        Returns:
            The config, without dropout.

        Raises:
            GlassformerError: `weights_config` for a model that cannot be, `weights_unsupported` for
                one that is not computed here.
        """
        try:
            return ModelConfig(dropout=0.0, **self.settings(facts))
        except GlassformerError as error:
            if error.key != "config":
                raise
            raise facts.wrong(str(error.values["problem"])) from error

    def theirs(self, ours: str) -> tuple[Theirs, ...]:
        """Where a parameter of ours may lie, the likeliest first.

        Args:
            ours: our name of the parameter, such as "encoder.layers.0.self_attention.w_q.weight".

        Returns:
            Their tensors; () where the family has none.
        """
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
        """Whether a tensor is known and not needed.

        Args:
            name: of the tensor, without a prefix.

        Returns:
            True for those of `spare`, and of a head that is not run.
        """
        return any(re.fullmatch(pattern, name) for pattern in self.spare) or bool(head_of(name))

    def computed(self, name: str) -> "Computed | None":
        """What a tensor that is not needed has to hold.

        Args:
            name: of the tensor, without a prefix.

        Returns:
            A function that computes it from the config and the tensor's shape; None where nobody
            knows.
        """
        found = (each for pattern, each in self.spare.items() if re.fullmatch(pattern, name))
        return next(found, None)


# What is computed here and may lie in a file as well: such a tensor, of a shape.
Computed = Callable[[ModelConfig, tuple[int, ...]], Tensor | None]


def head_of(name: str) -> str:
    """Which of `HEADS` a tensor belongs to.

    Args:
        name: of the tensor, without a prefix.

    Returns:
        The key of the head; "" for tensors of the model itself.
    """
    return next((head for head, pattern in HEADS.items() if re.fullmatch(pattern, name)), "")


def _several(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given
