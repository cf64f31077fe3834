"""Rotary positions (Su et al. 2021): queries and keys are turned by angles of their positions.

Feature i and feature i + K/2 of a head are a point in a plane; position t turns it by t · θᵢ. The
product of a query and a key then depends on their distance alone.
"""

import math
from functools import lru_cache

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.grouped import for_each_query
from glassformer.core.model.rms_norm import RMSNorm
from glassformer.core.trace.tape import Tape


class Turned(nn.Module):
    """What queries, keys and values go through before they meet: nothing in the paper.

    A norm each (Qwen3) and a rotation each, within a stack; keys and values for each query's head.
    """

    def __init__(self, config: ModelConfig, cross: bool) -> None:
        super().__init__()
        self.config = config
        self.rotates = config.positions == "rotary" and not cross
        normed = config.qk_norm and not cross
        self.q_norm = RMSNorm(config, config.d_k) if normed else None
        self.k_norm = RMSNorm(config, config.d_k) if normed else None

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, tape: Tape, at: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Q (B, H, T, K), k and v (B, G, S, K) -> all with H heads; q has the last T positions.

        at: positions (B, S) where texts do not begin at the first, as in `Padding`.
        """
        if self.q_norm is not None and self.k_norm is not None:
            q_normed = tape("q_normed", self.q_norm(q))  # (B, H, T, K)
            k_normed = tape("k_normed", self.k_norm(k))  # (B, G, S, K)
            q, k = q_normed, k_normed
        if self.rotates:
            keys = k.size(-2)
            start = keys - q.size(-2)
            q_rotated = tape("q_rotated", rotate_heads(q, start, self.config, at))  # (B, H, T, K)
            k_rotated = tape("k_rotated", rotate_heads(k, 0, self.config, at))  # (B, G, S, K)
            q, k = q_rotated, k_rotated
        return q, for_each_query(k, q), for_each_query(v, q)  # (B, H, T | S, K)


def rotate_heads(x: Tensor, start: int, config: ModelConfig, at: Tensor | None = None) -> Tensor:
    """Heads (B, H, T, K) turned by their positions, start … start + T − 1, or `at` (B, T)."""
    if at is None:
        turns = _turns_from(start, x.size(-2), config)  # (T, K / 2)
    else:
        turns = _turns(at[:, None].cpu().float(), config)  # (B, 1, T, K / 2)
    cosine, sine = (each.to(x) for each in turns)
    one, other = x.chunk(2, dim=-1)  # (B, H, T, K / 2)
    return torch.cat([one * cosine - other * sine, other * cosine + one * sine], dim=-1)


@lru_cache(maxsize=16)  # each layer of a step of decoding asks, for its queries and its keys
def _turns_from(start: int, count: int, config: ModelConfig) -> tuple[Tensor, Tensor]:
    return _turns(torch.arange(start, start + count, dtype=torch.float32), config)


def _turns(places: Tensor, config: ModelConfig) -> tuple[Tensor, Tensor]:
    angles = places[..., None] * _frequencies(config)
    return angles.cos(), angles.sin()


@lru_cache(maxsize=16)
def _frequencies(config: ModelConfig) -> Tensor:
    return rotary_frequencies(config).float()


def rotary_frequencies(config: ModelConfig) -> Tensor:
    """θᵢ = base^(−2i/K), radians a position, (K / 2,), float64; slower where the config says so.

    `linear` slows all waves alike (Chen et al. 2023), `llama3` only those that would not have
    turned often within the length that was trained first.
    """
    even = torch.arange(0, config.d_k, 2, dtype=torch.float64)
    theta = config.rotary_base ** (-even / config.d_k)
    slow = theta / config.rotary_factor
    if config.rotary_scaling == "unscaled":
        return theta
    if config.rotary_scaling == "linear":
        return slow
    turns = config.rotary_length * theta / math.tau
    kept = (turns - config.rotary_low) / (config.rotary_high - config.rotary_low)
    return slow + (theta - slow) * kept.clamp(0, 1)
