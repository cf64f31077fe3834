"""Relative positions (Raffel et al. 2019): each distance has a learned number, added to scores.

T5 has one table a stack, whatever the layer, with a column a head. Near distances have a row each,
far ones share rows, the wider the farther.
"""

import math

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.trace.tape import Tape


class RelativeBias(nn.Module):
    """What a stack's self-attention adds to a score for the distance from the query to the key."""

    def __init__(self, config: ModelConfig, causal: bool) -> None:
        super().__init__()
        self.config, self.causal = config, causal
        self.table = nn.Embedding(config.relative_buckets, config.n_heads)

    def forward(self, queries: int, keys: int) -> Tensor:
        """The last `queries` positions against all `keys`: (1, H, T, S)."""
        key = torch.arange(keys, device=self.table.weight.device)
        distance = key[None] - key[keys - queries :, None]  # (T, S), negative to the left
        rows = buckets(distance, self.causal, self.config)  # (T, S)
        return self.table(rows).permute(2, 0, 1)[None]  # (1, H, T, S)


def buckets(distance: Tensor, causal: bool, config: ModelConfig) -> Tensor:
    """Which row of the table a distance (key − query) has, of any shape.

    In a decoder the future is no distance. Half of the rows a side are of one distance each, the
    others are spread evenly over its logarithm.
    """
    rows = config.relative_buckets if causal else config.relative_buckets // 2
    side = torch.zeros_like(distance) if causal else (distance > 0) * rows
    far = (-distance).clamp(min=0) if causal else distance.abs()
    near = rows // 2
    log = (far.clamp(min=1) / near).log() / math.log(config.relative_distance / near)
    spread = near + (log * (rows - near)).long()
    return side + torch.where(far < near, far, spread.clamp(max=rows - 1))


def relative_bias(config: ModelConfig, causal: bool) -> RelativeBias | None:
    """The table of a stack; None for a model that has none."""
    return RelativeBias(config, causal) if config.positions == "relative" else None


def add_bias(scaled: Tensor, bias: Tensor | None, tape: Tape) -> Tensor:
    """Scores (B, H, T, S) with what distances add to them, where they do."""
    if bias is None:
        return scaled
    position_bias = tape("position_bias", bias.expand_as(scaled))  # (B, H, T, S)
    biased = tape("biased", scaled + position_bias)  # (B, H, T, S)
    return biased
