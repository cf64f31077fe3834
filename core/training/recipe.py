"""What a training run is made of, as one value that is stored beside the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from core.config import ModelConfig
from core.errors import GlassformerError


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Size of the model and course of its training (§5 of the paper, at a hundredth the size).

    `learning_rate` scales the paper's schedule; the rate rises over `warmup` steps, falls with
    the inverse square root, and goes linearly to zero in the last `decay` share of the steps.
    """

    steps: int = 6500
    seed: int = 1
    batch_size: int = 192  # sentences
    warmup: int = 400
    decay: float = 0.25
    learning_rate: float = 1.0
    label_smoothing: float = 0.1
    dropout: float = 0.05
    d_model: int = 64
    n_heads: int = 4
    layers: int = 2
    d_ff: int = 256
    held_out: int = 3000  # pairs of the test set

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup"):
            if getattr(self, name) < 1:
                problem = f"{name} is {getattr(self, name)}; it must be at least 1"
                raise GlassformerError("training", problem=problem)

    def config(self, vocabulary_size: int) -> ModelConfig:
        """The paper's model in small, with one embedding table for all three uses (§3.4)."""
        return ModelConfig(
            vocabulary_size=vocabulary_size,
            d_model=self.d_model,
            n_heads=self.n_heads,
            encoder_layers=self.layers,
            decoder_layers=self.layers,
            d_ff=self.d_ff,
            dropout=self.dropout,
            share_embeddings=True,
            tie_generator=True,
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def resumed(self, stored: dict[str, Any]) -> Self:
        """The stored recipe with this one's number of steps; anything else may not change."""
        return replace(self, **{**stored, "steps": self.steps})
