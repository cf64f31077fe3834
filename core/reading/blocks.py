"""The blocks of the paper's Figure 1, and which recorded tensors go in and come out of each.

A block's id is the address prefix of what it records (`encoder/0/feed_forward`, `memory`), so an
id stays good as long as the addresses do. Blocks follow the config: there is no positions block in
a model without positions, "add & norm" is one block in post-norm and two in pre-norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.config import ModelConfig

Stack = Literal["encoder", "decoder"]
Kind = Literal[
    "embedding", "positions", "layer", "self_attention", "cross_attention", "feed_forward",
    "add_norm", "norm", "add", "final_norm", "memory", "linear", "softmax",
]  # fmt: skip

_SUBLAYERS: dict[Stack, tuple[Kind, ...]] = {
    "encoder": ("self_attention", "feed_forward"),
    "decoder": ("self_attention", "cross_attention", "feed_forward"),
}


@dataclass(frozen=True)
class Block:
    """One box of the map.

    `before`, `inside` and `after` are the addresses of what goes in, of what the block computes on
    the way ("" without one) and of what comes out. `stream` are the two addresses between which the
    block changed the vectors that pass through it; None where before and after cannot be compared.
    """

    id: str
    kind: Kind
    stack: Stack
    before: str
    inside: str
    after: str
    layer: int | None = None
    stream: tuple[str, str] | None = None

    @property
    def is_attention(self) -> bool:
        return self.kind in ("self_attention", "cross_attention")


def blocks(config: ModelConfig) -> tuple[Block, ...]:
    """Every block of this model, in computation order; a layer stands before its parts."""
    return tuple(_blocks(config))


def block_at(config: ModelConfig, block_id: str) -> Block | None:
    """The block of that id, None where this model has none."""
    return next((block for block in _blocks(config) if block.id == block_id), None)


def sublayers(stack: Stack) -> tuple[Kind, ...]:
    """The sub-layers of one layer, in computation order (§3.1)."""
    return _SUBLAYERS[stack]


def layer_count(config: ModelConfig, stack: Stack) -> int:
    """N of this stack."""
    return config.encoder_layers if stack == "encoder" else config.decoder_layers


def stack_end(config: ModelConfig, stack: Stack) -> str:
    """The address of what leaves the stack."""
    if config.final_norm:
        return f"{stack}/norm/output"
    return _layer_end(config, stack, layer_count(config, stack) - 1)


def _blocks(config: ModelConfig) -> Iterator[Block]:
    yield from _input(config, "encoder", "source")
    yield from _stack(config, "encoder")
    whole = ("source/input", "memory")
    yield Block("memory", "memory", "encoder", whole[0], "", whole[1], stream=whole)
    yield from _input(config, "decoder", "target")
    yield from _stack(config, "decoder")
    logits, chances = "output/logits", "output/probabilities"
    yield Block(logits, "linear", "decoder", stack_end(config, "decoder"), "", logits)
    yield Block(chances, "softmax", "decoder", logits, "", chances)


def _input(config: ModelConfig, stack: Stack, side: str) -> Iterator[Block]:
    table, scaled, entered = (f"{side}/{name}" for name in ("embedding", "scaled", "input"))
    yield Block(table, "embedding", stack, f"{side}/ids", table, scaled)
    if config.positions != "none":
        place = f"{side}/positions"
        yield Block(place, "positions", stack, scaled, place, entered, stream=(scaled, entered))


def _stack(config: ModelConfig, stack: Stack) -> Iterator[Block]:
    for layer in range(layer_count(config, stack)):
        ends = (f"{stack}/{layer}/self_attention_residual/stream", _layer_end(config, stack, layer))
        yield Block(f"{stack}/{layer}", "layer", stack, ends[0], "", ends[1], layer, ends)
        for kind in _SUBLAYERS[stack]:
            yield from _sublayer(config, stack, layer, kind)
    if config.final_norm:
        where = f"{stack}/norm"
        last = _layer_end(config, stack, layer_count(config, stack) - 1)
        ends = (last, f"{where}/output")
        yield Block(where, "final_norm", stack, last, f"{where}/normalized", ends[1], None, ends)


def _sublayer(config: ModelConfig, stack: Stack, layer: int, kind: Kind) -> Iterator[Block]:
    where = f"{stack}/{layer}/{kind}"
    residual, norm, output = f"{where}_residual", f"{where}_norm", f"{where}/output"
    inside = f"{where}/activation" if kind == "feed_forward" else f"{where}/weights"
    around = (f"{residual}/stream", f"{residual}/summed")
    enters = f"{residual}/branch_input"
    if config.norm_place == "pre":
        ends = (enters, f"{norm}/output")
        yield Block(norm, "norm", stack, enters, f"{norm}/normalized", ends[1], layer, ends)
        yield Block(where, kind, stack, ends[1], inside, output, layer, around)
        yield Block(residual, "add", stack, around[0], output, around[1], layer, around)
    else:
        yield Block(where, kind, stack, enters, inside, output, layer, around)
        ends = (around[1], f"{norm}/output")
        yield Block(norm, "add_norm", stack, around[0], output, ends[1], layer, ends)


def _layer_end(config: ModelConfig, stack: Stack, layer: int) -> str:
    last = f"{stack}/{layer}/feed_forward"
    return f"{last}_norm/output" if config.norm_place == "post" else f"{last}_residual/summed"
