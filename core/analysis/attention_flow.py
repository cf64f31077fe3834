"""Attention followed from one row back to the words: one layer, or through all of them."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from glassformer.core.analysis.vectors import Numbers
from glassformer.core.config import ModelConfig
from glassformer.core.model.device import to_float64
from glassformer.core.trace.graph import Stack, layer_count, sublayers
from glassformer.core.trace.trace import Trace

# What a sub-layer of attention makes of shares: of (its rows, its keys, the map) the new rows.
Step = Callable[[Tensor, Tensor, Tensor], Tensor]


def mean_map(trace: Trace, address: str) -> Tensor:
    """The weights of one attention, the mean of its heads.

    Args:
        trace: the run that is read, its first sentence.
        address: of the weights, such as `encoder/0/self_attention/weights`.

    Returns:
        (T, S) float64.
    """
    return to_float64(trace[address][0].mean(dim=0))


def attention_shares(trace: Trace, row: int) -> list[Numbers]:
    """Where a row looks, the mean of all heads and layers.

    Args:
        trace: the run that is read, its first sentence.
        row: of the stack that writes, from 0.

    Returns:
        (S,) of the source, where the model has one, and (T,) of the target, where it has one; each
        adds up to 1.
    """
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    kinds = ["self_attention"]
    if trace.config.has_both:
        kinds = ["cross_attention", "self_attention"]  # the source first
    count = layer_count(trace.config, stack)
    found = []
    for kind in kinds:
        maps = [mean_map(trace, f"{stack}/{at}/{kind}/weights")[row] for at in range(count)]
        found.append(torch.stack(maps).mean(dim=0).numpy())
    return found


def rollout_shares(trace: Trace, row: int) -> list[Numbers]:
    """Attention rollout: half of every row passes a layer by, half follows the mean of the heads.

    Args:
        trace: the run that is read, its first sentence.
        row: of the stack that writes, from 0.

    Returns:
        (S,) of the source and (T,) of the target, of those that there are; together they add up
        to 1.
    """
    names = [each for each in trace if each.endswith("/weights")]
    maps = {each: mean_map(trace, each) for each in names}

    def step(rows: Tensor, keys: Tensor, weights: Tensor) -> Tensor:
        return (rows + weights @ keys) / 2

    return _follow(trace.config, maps, row, step)


def gradient_attention_shares(
    config: ModelConfig, maps: Mapping[str, Tensor], row: int
) -> list[Numbers]:
    """Relevance that every map adds to, without that of each word for itself.

    Args:
        config: of the model.
        maps: by address of the weights, (T, S) float64, none below 0.
        row: of the stack that writes, from 0.

    Returns:
        (S,) of the source and (T,) of the target, of those that there are.
    """

    def step(rows: Tensor, keys: Tensor, weights: Tensor) -> Tensor:
        return rows + weights @ keys

    found = _follow(config, maps, row, step)
    found[-1] = found[-1].copy()
    found[-1][row] -= 1.0  # what the row was to itself before any layer
    return found


def _follow(config: ModelConfig, maps: Mapping[str, Tensor], row: int, step: Step) -> list[Numbers]:
    """The row's shares of all words, after all attentions in their order."""
    sizes: dict[str, int] = {}
    stacks: list[Stack] = [each for each in ("encoder", "decoder") if layer_count(config, each)]
    for stack in stacks:
        sizes[stack] = maps[f"{stack}/0/self_attention/weights"].size(-1)
    total, start, memory = sum(sizes.values()), 0, torch.zeros(0, 0, dtype=torch.float64)
    shares = memory
    for stack in stacks:
        memory, shares = shares, torch.zeros(sizes[stack], total, dtype=torch.float64)
        shares[:, start : start + sizes[stack]] = torch.eye(sizes[stack], dtype=torch.float64)
        start += sizes[stack]
        for layer in range(layer_count(config, stack)):
            for name in sublayers(config, stack):
                if name != "feed_forward":
                    keys = memory if name == "cross_attention" else shares
                    shares = step(shares, keys, maps[f"{stack}/{layer}/{name}/weights"])
    parts = torch.split(shares[row], [sizes[each] for each in stacks])
    return [each.numpy() for each in parts]
