"""Which recorded tensor feeds which, and where in the model the weights of a place are."""

from __future__ import annotations

from core.config import ModelConfig
from core.reading.blocks import Stack, layer_count, stack_end, sublayers


def beside(address: str, name: str) -> str:
    """The address of another site of the same group."""
    return f"{address.rpartition('/')[0]}/{name}"


def place_of(address: str) -> str:
    """What stands before the site: `encoder/0/self_attention`."""
    return address.rpartition("/")[0]


def module_of(where: str) -> str:
    """The model's name for a place: `encoder/0/feed_forward_norm` belongs to its residual."""
    fixed = {"source": "source_embedding", "target": "target_embedding", "output": "generator"}
    if where in fixed:
        return fixed[where]
    stack, _, rest = where.partition("/")
    if rest == "norm":
        return f"{stack}.norm"
    layer, _, name = rest.partition("/")
    if name.endswith("_norm"):
        name = name.removesuffix("norm") + "residual.norm"
    return f"{stack}.layers.{layer}.{name}"


def sublayer_input(config: ModelConfig, where: str) -> str:
    """What a sub-layer reads: its norm's output in pre-norm, else the stream itself (§5.4)."""
    if config.norm_place == "pre":
        return f"{where}_norm/output"
    return f"{where}_residual/branch_input"


def norm_input(config: ModelConfig, where: str) -> str:
    """What a norm reads, for `encoder/norm` or `encoder/0/feed_forward_norm`."""
    stack, _, rest = where.partition("/")
    if rest == "norm":
        return _layer_end(config, "encoder" if stack == "encoder" else "decoder")
    site = "branch_input" if config.norm_place == "pre" else "summed"
    return f"{where.removesuffix('_norm')}_residual/{site}"


def stream_input(config: ModelConfig, where: str) -> str:
    """What flows into a residual connection, for `decoder/1/cross_attention_residual`."""
    top, layer, name = where.split("/")
    stack: Stack = "encoder" if top == "encoder" else "decoder"
    kinds = [str(kind) for kind in sublayers(stack)]
    place = kinds.index(name.removesuffix("_residual"))
    if place > 0:
        return _sublayer_end(config, f"{stack}/{layer}/{kinds[place - 1]}")
    if int(layer) > 0:
        return _sublayer_end(config, f"{stack}/{int(layer) - 1}/{kinds[-1]}")
    return "source/input" if stack == "encoder" else "target/input"


def memory_input(config: ModelConfig, address: str) -> str:
    """What the memory is a view of; each decoder layer has its own view of it."""
    return stack_end(config, "encoder") if address == "memory" else "memory"


def generator_input(config: ModelConfig) -> str:
    """What the generator reads."""
    return stack_end(config, "decoder")


def _layer_end(config: ModelConfig, stack: Stack) -> str:
    last = layer_count(config, stack) - 1
    return _sublayer_end(config, f"{stack}/{last}/feed_forward")


def _sublayer_end(config: ModelConfig, where: str) -> str:
    return f"{where}_norm/output" if config.norm_place == "post" else f"{where}_residual/summed"
