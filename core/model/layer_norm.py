"""§5.4's layer normalisation (Ba et al. 2016), written out, in the two formulas in use."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig, NormFormula
from glassformer.core.trace.tape import SILENT, Tape


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
            std = tape("std", safe_root(centred.square().mean(dim=-1, keepdim=True)))  # (B, S, 1)
            normalized = tape("normalized", centred / (std.square() + self.epsilon).sqrt())
        else:
            std = tape("std", x.std(dim=-1, keepdim=True))  # (B, S, 1), divides by D − 1
            normalized = tape("normalized", centred / (std + self.epsilon))
        output = tape("output", self.gamma * normalized + self.beta)
        return output  # (B, S, D)


def safe_root(x: Tensor) -> Tensor:
    """√x with the gradient 0 at 0, where that of √ is infinite: a constant vector has σ = 0."""
    if not x.requires_grad:
        return x.sqrt()
    none = x == 0
    return x.masked_fill(none, 1.0).sqrt().masked_fill(none, 0.0)


@dataclass(frozen=True)
class NormDivisor:
    """What x − μ is divided by in one formula: all that the explanations say of it.

    spread: the divisor, given the deviation and ε, in float64. unit: the deviation with which it is
    exactly 1 in float32, given ε. The rest is LaTeX.
    """

    deviation: str  # its symbol
    less: int  # how much less than D the sum of the squares is divided by
    count: str  # D less that
    written: str  # the divisor, `·` where the deviation stands
    spread: Callable[[float, float], float]
    unit: Callable[[float], float]

    def of(self, deviation: str, epsilon: str) -> str:
        """The divisor of a deviation."""
        return self.written.replace("·", deviation).replace("ε", epsilon)


NORM_DIVISORS: Mapping[NormFormula, NormDivisor] = {
    "population": NormDivisor(
        r"\sigma", 0, "D", r"\sqrt{·^2 + ε}",
        spread=lambda deviation, epsilon: math.sqrt(deviation**2 + epsilon),
        # The small addend puts it in the middle of all numbers whose divisor rounds to 1.
        unit=lambda epsilon: max(0.0, 1.0 - epsilon + 0.625 * 2.0**-23) ** 0.5,
    ),
    "sample": NormDivisor(
        "s", 1, "D - 1", "· + ε",
        spread=lambda deviation, epsilon: deviation + epsilon,
        unit=lambda epsilon: 1.0 - epsilon,
    ),
}  # fmt: skip
