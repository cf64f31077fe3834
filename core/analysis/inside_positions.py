"""Positions inside attention: the angles that queries and keys turn by, what distances add."""

import numpy as np
import torch
from numpy.typing import NDArray

from glassformer.core.analysis.vectors import Numbers
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.relative import RelativeBias, buckets
from glassformer.core.model.rotary import rotary_frequencies
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import Stack
from glassformer.core.trace.tables import as_numpy


def rotary_angles(config: ModelConfig, length: int) -> Numbers:
    """The angles by which rotary positions turn queries and keys: t · θᵢ (Su et al. 2021).

    Args:
        config: of a model, whose d_k, base and scaling count.
        length: positions, counted from 0.

    Returns:
        (length, K / 2) float64 in radians, a column a pair of a head's features.
    """
    theta: Numbers = as_numpy(rotary_frequencies(config)).astype(np.float64)
    return np.arange(length)[:, None] * theta


def bias_by_distance(
    model: Transformer, stack: Stack, reach: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """What each head adds to a score for the distance from query to key (Raffel et al. 2019).

    A decoder looks to the left only.

    Args:
        model: one with relative positions.
        stack: whose table is read.
        reach: the largest distance, in positions.

    Returns:
        Distances key − query, (N,), from −reach to reach, in a decoder to 0; and what the H heads
        add, (H, N).

    Raises:
        GlassformerError: `config` for a model without relative positions.
    """
    bias = (model.encoder if stack == "encoder" else model.decoder).relative
    if not isinstance(bias, RelativeBias):
        raise GlassformerError("config", problem="it has no relative positions")
    distances = torch.arange(-reach, 1 if bias.causal else reach + 1)
    with torch.no_grad():
        rows = buckets(distances, bias.causal, bias.config).to(bias.table.weight.device)
        table = bias.table(rows).T  # (H, N)
    return as_numpy(distances), as_numpy(table)
