"""Which recorded tensors each one is computed from: the run as a graph, for all who read it.

The order of sub-layers and norms (§3.1, §5.4) stands here, and nowhere else outside the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import ENDS, Address
from glassformer.core.trace.sites import Site, site_at, sites_of

Stack = Literal["encoder", "decoder"]
Sublayer = Literal["self_attention", "cross_attention", "feed_forward"]
Part = Literal["input", Sublayer, "final_norm"]  # what the vectors of a stack have just passed

_SUBLAYERS: tuple[Sublayer, ...] = ("self_attention", "cross_attention", "feed_forward")


@dataclass(frozen=True)
class StreamState:
    """A place between two sub-layers: the vectors as they travel on."""

    stack: Stack
    layer: int | None  # None before the first layer and after the last
    part: Part
    address: str

    @property
    def key(self) -> str:
        """The words key of its name."""
        return f"stream.states.{self.part}"


def inputs(config: ModelConfig, address: str) -> tuple[str, ...]:
    """What the tensor at an address is computed from, in the order of its equation.

    Dropout is left aside: of a `kept` it is what dropout thins out.

    Args:
        config: of the model.
        address: of a tensor that a run of the model records.

    Returns:
        Addresses; () for the ids.

    Raises:
        KeyError: no run can have the address.
    """
    at, site = Address.of(address), site_at(address)
    rather = (
        names for other, names in site.instead if records(config, at.group, other, at.is_cross)
    )
    names = next(rather, site.reads)
    return tuple(_outside(config, at) if name == ">" else at.sibling(name) for name in names)


def records(config: ModelConfig, group: str, name: str, is_cross: bool = False) -> bool:
    """Whether a run of this model records such a name of a group, within a stack or across.

    Args:
        config: of the model.
        group: the kind of part, such as `attention` or `norm`.
        name: of the site.
        is_cross: True asks for the decoder's attention to the encoder's memory (§3.2.3).

    Returns:
        Whether it is recorded, in training mode where it belongs to that alone.

    Raises:
        StopIteration: no model records the name in this group.
    """
    site = next(each for each in sites_of(group) if each.name == name)
    return (site.across or not is_cross) and (site.when is None or site.when(config))


@lru_cache(maxsize=64)  # whoever goes through a run asks first
def addresses(config: ModelConfig, dropout: bool = False) -> tuple[str, ...]:
    """Every address a run of this model records, in computation order.

    Args:
        config: of the model.
        dropout: True adds the dropout masks of a run in training mode, where the config's dropout
            is above 0.

    Returns:
        One address after the other, layers counted from 0.
    """
    found = []
    for where, sites in _places(config):
        at = Address.of(where)
        for site in sites:
            if site.training_only and not (dropout and config.dropout > 0):
                continue
            own_keys = site.group == "attention" and not at.is_cross
            if not (own_keys and site.name == "memory") and records(
                config, site.group, site.name, at.is_cross
            ):
                found.append(f"{where}/{site.name}".lstrip("/"))
    return tuple(found)


_Place = tuple[str, tuple[Site, ...]]


def _places(config: ModelConfig) -> Iterator[_Place]:
    if config.encoder_layers:
        yield from _entrance("source", config)
        yield from _stack("encoder", config)
    if config.has_both:
        yield "", sites_of("stack")
    if config.decoder_layers:
        yield from _entrance("target", config)
        yield from _stack("decoder", config)
    if config.has_generator:
        transform, scores = sites_of("output")[:2], sites_of("output")[2:]
        yield "output", transform
        if config.head_transform:
            yield "output/norm", sites_of("norm")
        yield "output", scores


def _entrance(side: str, config: ModelConfig) -> Iterator[_Place]:
    yield side, sites_of("embedding")
    if config.embedding_norm:
        yield f"{side}/norm", sites_of("norm")


def _stack(stack: Stack, config: ModelConfig) -> Iterator[_Place]:
    for layer in range(layer_count(config, stack)):
        for name in sublayers(config, stack):
            yield from _sublayer(f"{stack}/{layer}/{name}", config)
    if config.final_norm:
        yield f"{stack}/norm", sites_of("norm")


def _sublayer(where: str, config: ModelConfig) -> Iterator[_Place]:
    """A sub-layer in its residual connection: in, (norm,) sub-layer, out(, norm)."""
    residual, norm = sites_of("residual"), (f"{where}_norm", sites_of("norm"))
    yield f"{where}_residual", residual[:2]
    if config.norm_place == "pre":
        yield norm
    yield where, sites_of(Address.of(where).group)
    yield f"{where}_residual", residual[2:]
    if config.norm_place == "post":
        yield norm


def sublayers(config: ModelConfig, stack: Stack) -> tuple[Sublayer, ...]:
    """The sub-layers of one layer, in computation order (§3.1).

    Args:
        config: of the model.
        stack: encoder or decoder.

    Returns:
        Self-attention, cross-attention only in the decoder of an encoder–decoder, feed-forward.
    """
    crosses = stack == "decoder" and config.has_both
    return tuple(each for each in _SUBLAYERS if crosses or each != "cross_attention")


def layer_count(config: ModelConfig, stack: Stack) -> int:
    """N of this stack.

    Args:
        config: of the model.
        stack: encoder or decoder.

    Returns:
        Its number of layers; 0 where the model has no such stack.
    """
    return config.encoder_layers if stack == "encoder" else config.decoder_layers


def sublayer_end(config: ModelConfig, place: str) -> str:
    """What flows on behind a sub-layer: its norm in post-norm, else the sum (§5.4).

    Args:
        config: of the model.
        place: of the sub-layer, such as `encoder/0/self_attention`.

    Returns:
        The address of the residual stream there.
    """
    return f"{place}_norm/output" if config.norm_place == "post" else f"{place}_residual/summed"


def layer_end(config: ModelConfig, stack: Stack, layer: int) -> str:
    """What leaves a layer; of layer -1, what enters the stack.

    Args:
        config: of the model.
        stack: encoder or decoder.
        layer: counted from 0; below 0 for the entrance.

    Returns:
        The address of the residual stream there, before a final norm.
    """
    if layer < 0:
        side = "source" if stack == "encoder" else "target"
        return f"{side}/norm/output" if config.embedding_norm else f"{side}/input"
    return sublayer_end(config, f"{stack}/{layer}/{sublayers(config, stack)[-1]}")


def stack_end(config: ModelConfig, stack: Stack) -> str:
    """The address of what leaves the stack.

    Args:
        config: of the model.
        stack: encoder or decoder.

    Returns:
        The output of the final norm where there is one, else the end of the last layer.
    """
    if config.final_norm:
        return f"{stack}/norm/output"
    return layer_end(config, stack, layer_count(config, stack) - 1)


@cache
def states(config: ModelConfig, stack: Stack) -> tuple[StreamState, ...]:
    """The states of a stack in computation order: input, after each sub-layer, final norm.

    Args:
        config: of the model.
        stack: encoder or decoder.

    Returns:
        Each place between two sub-layers with the address of the residual stream there.
    """
    return tuple(_states(config, stack))


def _states(config: ModelConfig, stack: Stack) -> Iterator[StreamState]:
    yield StreamState(stack, None, "input", layer_end(config, stack, -1))
    for layer in range(layer_count(config, stack)):
        for part in sublayers(config, stack):
            address = sublayer_end(config, f"{stack}/{layer}/{part}")
            yield StreamState(stack, layer, part, address)
    if config.final_norm:
        yield StreamState(stack, None, "final_norm", f"{stack}/norm/output")


@cache
def _outside(config: ModelConfig, at: Address) -> str:
    """What a tensor reads that is not recorded beside it."""
    stack: Stack = "encoder" if at.side == "source" or not config.decoder_layers else "decoder"
    residual = f"{at.sublayer_place}_residual"
    match at.group, at.name:
        case "residual", "stream" | "branch_input":
            return _stream_before(config, stack, at)
        case "residual", _:
            return f"{at.sublayer_place}/output"
        case "norm", _ if at.stack in ENDS:  # of the embedding, or of the head
            return f"{at.stack}/{'activation' if at.stack == 'output' else 'input'}"
        case "norm", _ if at.layer is None:
            return layer_end(config, stack, layer_count(config, stack) - 1)
        case "norm", _:
            return f"{residual}/{'branch_input' if config.norm_place == 'pre' else 'summed'}"
        case "attention", "mask" | "position_bias":
            return f"{at.key_side}/ids"
        case "attention", "memory":
            return "memory"
        case "attention", "k" | "v" if at.is_cross:
            return at.sibling("memory")
        case "attention" | "feed_forward", _:
            normed = f"{at.sublayer_place}_norm/output"
            return normed if config.norm_place == "pre" else f"{residual}/branch_input"
        case _:  # the memory, or the logits
            return stack_end(config, stack)


def _stream_before(config: ModelConfig, stack: Stack, at: Address) -> str:
    names, layer = sublayers(config, stack), at.layer or 0
    place = [str(name) for name in names].index(at.sublayer)
    if place == 0:
        return layer_end(config, stack, layer - 1)
    return sublayer_end(config, f"{stack}/{layer}/{names[place - 1]}")
