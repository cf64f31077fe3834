"""§5.4's layer normalisation (Ba et al. 2016), written out, in the two formulas in use."""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.trace.tape import SILENT, Tape


class LayerNorm(nn.Module):
    """Every position's vector on its own: mean to 0, spread to 1, then scaled and shifted.

    `population`: γ (x − μ) / √(σ² + ε) + β with the population variance σ² (paper, torch).
    `sample`: γ (x − μ) / (s + ε) + β with the sample standard deviation s (some lecture notes).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.formula = config.norm_formula
        self.epsilon = config.norm_epsilon
        self.gamma = nn.Parameter(torch.ones(config.d_model))
        self.beta = nn.Parameter(torch.full((config.d_model,), config.norm_initial_shift))

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D) -> (B, S, D)."""
        mean = tape("mean", x.mean(dim=-1, keepdim=True))  # (B, S, 1)
        centred = x - mean  # (B, S, D), broadcast
        if self.formula == "population":
            std = tape("std", root(centred.square().mean(dim=-1, keepdim=True)))  # (B, S, 1)
            normalized = tape("normalized", centred / (std.square() + self.epsilon).sqrt())
        else:
            std = tape("std", x.std(dim=-1, keepdim=True))  # (B, S, 1), divides by D − 1
            normalized = tape("normalized", centred / (std + self.epsilon))
        output = tape("output", self.gamma * normalized + self.beta)
        return output  # (B, S, D)


def root(x: Tensor) -> Tensor:
    """√x with the gradient 0 at 0, where that of √ is infinite: a constant vector has σ = 0."""
    if not x.requires_grad:
        return x.sqrt()
    none = x == 0
    return x.masked_fill(none, 1.0).sqrt().masked_fill(none, 0.0)
