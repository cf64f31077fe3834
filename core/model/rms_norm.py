"""Root mean square normalisation (Zhang & Sennrich 2019): a layer norm that takes no mean away."""

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.trace.tape import SILENT, Tape


class RMSNorm(nn.Module):
    """Every position's vector on its own: γ x / √(mean of the squares + ε)."""

    def __init__(self, config: ModelConfig, width: int = 0) -> None:
        super().__init__()
        self.epsilon = config.norm_epsilon
        self.gamma = nn.Parameter(torch.ones(width or config.d_model))

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D) -> (B, S, D)."""
        mean_square = tape("mean_square", x.square().mean(dim=-1, keepdim=True))  # (B, S, 1)
        normalized = tape("normalized", x / (mean_square + self.epsilon).sqrt())
        output = tape("output", self.gamma * normalized)
        return output  # (B, S, D)


def norm_of(config: ModelConfig) -> LayerNorm | RMSNorm:
    """The norm that a model has everywhere."""
    return RMSNorm(config) if config.norm_kind == "rms" else LayerNorm(config)
