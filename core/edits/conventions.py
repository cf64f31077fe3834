"""The conventions of a whole model as switches: each makes a run with another config.

The model of that run is one of its own and shares the weights (`core.edits.variants`). They were
learned in the other convention: what is seen is how much the model relied on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.config import Activation, ModelConfig, NormFormula, NormPlace, Positions
from core.edits.concepts import LARGEST_SEED
from core.edits.switch import Switch, refuse


@dataclass(frozen=True)
class Convention(Switch):
    """One setting of the config; of two for the same setting the later counts."""

    @property
    def slot(self) -> str:
        """One choice for each kind."""
        return self.kind

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises `config` or `experiment_value` where the model cannot be run so."""
        self.config(config)


@dataclass(frozen=True)
class PositionTable(Convention, kind="positions"):
    """Another table of positions (§3.5), or `none`: the words in no order.

    Raises `experiment_value` for `learned` where the model has learned no table.
    """

    variant: Positions = "none"

    def config(self, config: ModelConfig) -> ModelConfig:
        """With this table in both stacks."""
        if self.variant == "learned" != config.positions:
            refuse(self.kind, "variant", self.variant)
        return replace(config, positions=self.variant)


@dataclass(frozen=True)
class EmbeddingScale(Convention, kind="embedding_scale"):
    """Embeddings multiplied by √d_model (§3.4), or not."""

    on: bool = False

    def config(self, config: ModelConfig) -> ModelConfig:
        """With or without the factor, in both stacks."""
        return replace(config, embedding_scale=self.on)


@dataclass(frozen=True)
class NormFormulaIs(Convention, kind="norm_formula"):
    """The other formula of the layer norm; `epsilon` None leaves ε as it is."""

    formula: NormFormula = "sample"
    epsilon: float | None = None

    def config(self, config: ModelConfig) -> ModelConfig:
        """With this formula in every norm."""
        epsilon = config.norm_epsilon if self.epsilon is None else self.epsilon
        return replace(config, norm_formula=self.formula, norm_epsilon=epsilon)


@dataclass(frozen=True)
class NormPlaceIs(Convention, kind="norm_place"):
    """Norms before or after their sub-layer (§5.4).

    `final_norm` adds one after each stack, as pre-norm models have it, or takes it away; None
    leaves it. One that the model has not learned starts as the identity (γ 1, β 0).
    """

    place: NormPlace = "pre"
    final_norm: bool | None = None

    def config(self, config: ModelConfig) -> ModelConfig:
        """With all norms in this place."""
        final = config.final_norm if self.final_norm is None else self.final_norm
        return replace(config, norm_place=self.place, final_norm=final)


@dataclass(frozen=True)
class ActivationIs(Convention, kind="activation"):
    """Another non-linearity in the feed-forward networks (§3.3)."""

    name: Activation = "gelu"

    def config(self, config: ModelConfig) -> ModelConfig:
        """With this one in both stacks."""
        return replace(config, activation=self.name)


@dataclass(frozen=True)
class Dropout(Convention, kind="dropout"):
    """Training mode (§5.4): units are dropped in the recorded pass, the same for each `draw`.

    `rate` is the share of units, 0.1 in the paper. Words are chosen before, without dropout.
    Raises `experiment_value` for a `draw` outside 0 .. 2³¹ − 1, or a `rate` that is not between
    0 and 1.
    """

    draw: int = 0
    rate: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.draw <= LARGEST_SEED:
            refuse(self.kind, "draw", self.draw)
        if not 0 < self.rate < 1:
            refuse(self.kind, "rate", self.rate)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.draw

    def config(self, config: ModelConfig) -> ModelConfig:
        """With this rate everywhere."""
        return replace(config, dropout=self.rate)
