"""The steps and the conventions of the paper as switches: what is left of a translation without.

A step is switched by edits of its tensor. A convention of the whole model makes a run with another
config, on a model of its own that shares the weights (`with_config`). They were learned in the
other convention: what is seen is how much the model relied on it.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import ClassVar

import torch
from torch import Tensor

from glassformer.core.config import Activation, AddedPositions, ModelConfig, NormFormula, NormPlace
from glassformer.core.interventions.parts import Parts
from glassformer.core.interventions.switch import Convention, Setting, Switch, refuse_value
from glassformer.core.model.layer_norm import NORM_DIVISORS
from glassformer.core.trace.tape import Edit


@dataclass(frozen=True)
class Unscaled(Parts, kind="unscaled"):
    """No division by √d_k (§3.2.1): `scaled` is what `scores` is, to one rounding.

    It is undone by a factor, so that it goes together with other edits of `scores` and `scaled`.
    """

    groups: ClassVar[tuple[str, ...]] = ("attention",)

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) times √d_k."""
        return [
            Edit(f"{place}/scaled", partial(mul, setting.config.of(place).d_k ** 0.5), self.text)
            for place in self.places(setting.config)
        ]


@dataclass(frozen=True)
class Temperature(Parts, kind="temperature", slot=("where",)):
    """The attention's softmax at another temperature: above 1 flatter, below 1 sharper."""

    groups: ClassVar[tuple[str, ...]] = ("attention",)
    by: float = 1.0

    def misfit(self) -> str:
        """One that is not above 0."""
        return "by" if self.by <= 0 else ""

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) over the temperature; the mask comes after."""
        return self.each(setting.config, "/scaled", lambda scaled: scaled / self.by)


@dataclass(frozen=True)
class SublayerOff(Parts, kind="sublayer_off"):
    """A sub-layer adds nothing to the stream, as with `*/feed_forward` or `*/cross_attention`."""

    order: ClassVar[int] = 10  # whatever else is done to an output, off is off

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`output` (B, T, D) becomes zero."""
        return self.each(setting.config, "/output", torch.zeros_like)


@dataclass(frozen=True)
class ResidualOff(Parts, kind="residual_off"):
    """The way around a sub-layer is cut: §5.4's x + Sublayer(x) without the x."""

    order: ClassVar[int] = 10

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`stream` (B, T, D) becomes zero; what goes through the sub-layer stays."""
        return self.each(setting.config, "_residual/stream", torch.zeros_like)


@dataclass(frozen=True)
class NormOff(Parts, kind="norm_off"):
    """A norm lets everything through: μ 0, σ 1, γ 1, β 0, so `output` is its input.

    `where` names norms: `encoder/0/self_attention_norm`, `decoder/*`, `decoder/norm`.
    """

    groups: ClassVar[tuple[str, ...]] = ("norm",)
    order: ClassVar[int] = 10

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """All tensors of each norm, (B, S, 1) or (B, S, D)."""
        config = setting.config
        rms = config.norm_kind == "rms"
        formula = "population" if rms else config.norm_formula
        unit = NORM_DIVISORS[formula].unit(config.norm_epsilon)
        statistics: dict[str, Callable[[Tensor], Tensor]] = {
            "mean": torch.zeros_like, "std": lambda std: torch.full_like(std, unit)
        }  # fmt: skip
        if rms:
            statistics = {"mean_square": lambda square: torch.full_like(square, unit**2)}
        return [
            Edit(f"{place}/{name}", change, self.text)
            for place in self.places(config)
            for name, change in (*statistics.items(), *_passed_on("normalized", "output"))
        ]


@dataclass(frozen=True)
class Shuffled(Switch, kind="positions_shuffled", slot=()):
    """The source's words get each other's positions, in an order drawn from `draw`.

    The target keeps its own: while it is written, nobody knows how long it will be.
    """

    draw: int = 0

    def edits(self, setting: Setting) -> Sequence[Edit]:  # noqa: ARG002
        """`source/positions` (S, D), its rows permuted."""

        def change(positions: Tensor) -> Tensor:
            return positions[shuffled_positions(len(positions), self.draw).to(positions.device)]

        return [Edit("source/positions", change, self.text)]


def shuffled_positions(length: int, draw: int) -> Tensor:
    """Which position each word gets: a permutation that depends on these two alone.

    Args:
        length: S, how many words.
        draw: the seed.

    Returns:
        (S,) int64, positions counted from 0.
    """
    return torch.randperm(length, generator=torch.Generator().manual_seed(draw))


def _passed_on(first: str, second: str) -> Sequence[tuple[str, Callable[[Tensor], Tensor]]]:
    """Two changes: the tensor at `second` becomes the one at `first`, in each run for itself."""
    held = threading.local()

    def keep(value: Tensor) -> Tensor:
        held.value = value
        return value

    def give(_: Tensor) -> Tensor:
        value: Tensor = held.value
        return value

    return (first, keep), (second, give)


@dataclass(frozen=True)
class PositionTable(Convention, kind="positions"):
    """Another table of positions (§3.5), or `none`: the words in no order.

    Raises `experiment_value` for `learned` where the model has learned no table.
    """

    variant: AddedPositions = "none"
    settings: ClassVar[Mapping[str, str]] = {"variant": "positions"}

    def config(self, config: ModelConfig) -> ModelConfig:
        """With this table in both stacks.

        Args:
            config: of the run so far.

        Returns:
            The config with other positions.

        Raises:
            GlassformerError: `experiment_value` for `learned` where the model has learned no table;
                `config` for what cannot be built.
        """
        if self.variant == "learned" != config.positions:
            refuse_value(self.kind, "variant", self.variant)
        return super().config(config)


@dataclass(frozen=True)
class EmbeddingScale(Convention, kind="embedding_scale"):
    """Embeddings multiplied by √d_model (§3.4), or not."""

    on: bool = False
    settings: ClassVar[Mapping[str, str]] = {"on": "embedding_scale"}


@dataclass(frozen=True)
class NormFormulaIs(Convention, kind="norm_formula"):
    """The other formula of the layer norm; `epsilon` None leaves ε as it is."""

    formula: NormFormula = "sample"
    epsilon: float | None = None
    settings: ClassVar[Mapping[str, str]] = {"formula": "norm_formula", "epsilon": "norm_epsilon"}


@dataclass(frozen=True)
class NormPlaceIs(Convention, kind="norm_place"):
    """Norms before or after their sub-layer (§5.4).

    `final_norm` adds one after each stack, as pre-norm models have it, or takes it away; None
    leaves it. One that the model has not learned starts as the identity (γ 1, β 0).
    """

    place: NormPlace = "pre"
    final_norm: bool | None = None
    settings: ClassVar[Mapping[str, str]] = {"place": "norm_place", "final_norm": "final_norm"}


@dataclass(frozen=True)
class ActivationIs(Convention, kind="activation"):
    """Another non-linearity in the feed-forward networks (§3.3)."""

    name: Activation = "gelu"
    settings: ClassVar[Mapping[str, str]] = {"name": "activation"}


@dataclass(frozen=True)
class Dropout(Convention, kind="dropout"):
    """Training mode (§5.4): units are dropped in the recorded pass, the same for each `draw`.

    `rate` is the share of units, 0.1 in the paper. Words are chosen before, without dropout.
    """

    draw: int = 0
    rate: float = 0.1
    settings: ClassVar[Mapping[str, str]] = {"rate": "dropout"}

    def misfit(self) -> str:
        """A rate that is not between 0 and 1."""
        return "" if 0 < self.rate < 1 else "rate"

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.draw
