"""Which recorded tensors each one is computed from: the run as a graph, for all who read it.

The order of sub-layers and norms (§3.1, §5.4) stands here, and nowhere else outside the model.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import ENDS, Address

Stack = Literal["encoder", "decoder"]
Sublayer = Literal["self_attention", "cross_attention", "feed_forward"]
Part = Literal["input", Sublayer, "final_norm"]  # what the vectors of a stack have just passed

_SUBLAYERS: tuple[Sublayer, ...] = ("self_attention", "cross_attention", "feed_forward")
# Within a group, by name, in the order of the equation; ">" is what comes from outside of it.
_INPUTS: dict[str, dict[str, tuple[str, ...]]] = {
    "embedding": {
        "embedding": ("ids",), "scaled": ("embedding",), "positions": ("ids",),
        "token_type": ("ids",), "kept": ("scaled", "positions"), "input": ("scaled", "positions"),
    },
    "residual": {
        "stream": (">",), "branch_input": (">",), "kept": (">",), "summed": ("stream", ">"),
    },
    "norm": {
        "mean": (">",), "std": (">", "mean"), "normalized": (">", "mean", "std"),
        "mean_square": (">",), "output": ("normalized",),
    },
    "attention": {
        "memory": (">",), "q": (">",), "k": (">",), "v": (">",), "q_normed": ("q",),
        "k_normed": ("k",), "q_rotated": ("q",), "k_rotated": ("k",), "scores": ("q", "k"),
        "scaled": ("scores",), "position_bias": (">",), "biased": ("scaled", "position_bias"),
        "mask": (">",), "masked": ("scaled", "mask"),
        "weights": ("masked",), "kept": ("weights",), "context": ("weights", "v"),
        "concat": ("context",), "output": ("concat",),
    },
    "feed_forward": {
        "pre_activation": (">",), "activation": ("pre_activation",), "kept": ("activation",),
        "up": (">",), "gated": ("activation", "up"), "output": ("activation",),
    },
    "stack": {"memory": (">",)},
    "output": {
        "dense": (">",), "activation": ("dense",), "scaled": (">",), "logits": (">",),
        "probabilities": ("logits",),
    },
}  # fmt: skip
# What only some models record, by group and name; what is `_WITHIN` a stack, never across both.
_WHERE: dict[tuple[str, str], Callable[[ModelConfig], bool]] = {
    ("embedding", "token_type"): lambda config: config.token_types > 0,
    ("norm", "mean"): lambda config: config.norm_kind == "layer",
    ("norm", "std"): lambda config: config.norm_kind == "layer",
    ("norm", "mean_square"): lambda config: config.norm_kind == "rms",
    ("attention", "q_normed"): lambda config: config.qk_norm,
    ("attention", "k_normed"): lambda config: config.qk_norm,
    ("attention", "q_rotated"): lambda config: config.positions == "rotary",
    ("attention", "k_rotated"): lambda config: config.positions == "rotary",
    ("attention", "position_bias"): lambda config: config.positions == "relative",
    ("attention", "biased"): lambda config: config.positions == "relative",
    ("feed_forward", "up"): lambda config: config.gated,
    ("feed_forward", "gated"): lambda config: config.gated,
    ("output", "dense"): lambda config: config.head_transform,
    ("output", "activation"): lambda config: config.head_transform,
    ("output", "scaled"): lambda config: config.generator_scale,
}
_WITHIN = ("q_normed", "k_normed", "q_rotated", "k_rotated", "position_bias", "biased")
# What a name is computed from in a model that records another: the first that it does record.
_RATHER: dict[tuple[str, str], tuple[tuple[str, tuple[str, ...]], ...]] = {
    ("embedding", "kept"): (("token_type", ("scaled", "positions", "token_type")),),
    ("embedding", "input"): (("token_type", ("scaled", "positions", "token_type")),),
    ("norm", "normalized"): (("mean_square", (">", "mean_square")),),
    ("attention", "q_rotated"): (("q_normed", ("q_normed",)),),
    ("attention", "k_rotated"): (("k_normed", ("k_normed",)),),
    ("attention", "scores"): (
        ("q_rotated", ("q_rotated", "k_rotated")), ("q_normed", ("q_normed", "k_normed")),
    ),
    ("attention", "masked"): (("biased", ("biased", "mask")),),
    ("feed_forward", "kept"): (("gated", ("gated",)),),
    ("feed_forward", "output"): (("gated", ("gated",)),),
    ("output", "scaled"): (("dense", ("norm/output",)),),
    ("output", "logits"): (("scaled", ("scaled",)), ("dense", ("norm/output",))),
}  # fmt: skip


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

    Dropout is left aside: of a `kept` it is what dropout thins out. () for the ids.
    """
    at = Address.of(address)
    found = _RATHER.get((at.group, at.name), ())
    rather = (names for other, names in found if records(config, at.group, other, at.is_cross))
    names = next(rather, _INPUTS[at.group].get(at.name, ()))
    return tuple(_outside(config, at) if name == ">" else at.sibling(name) for name in names)


def records(config: ModelConfig, group: str, name: str, is_cross: bool = False) -> bool:
    """Whether a run of this model records such a name of a group, within a stack or across."""
    if is_cross and name in _WITHIN:
        return False
    needs = _WHERE.get((group, name))
    return needs is None or needs(config)


def sublayers(config: ModelConfig, stack: Stack) -> tuple[Sublayer, ...]:
    """The sub-layers of one layer, in computation order (§3.1)."""
    crosses = stack == "decoder" and config.has_both
    return tuple(each for each in _SUBLAYERS if crosses or each != "cross_attention")


def layer_count(config: ModelConfig, stack: Stack) -> int:
    """N of this stack."""
    return config.encoder_layers if stack == "encoder" else config.decoder_layers


def sublayer_end(config: ModelConfig, place: str) -> str:
    """What flows on behind a sub-layer: its norm in post-norm, else the sum (§5.4)."""
    return f"{place}_norm/output" if config.norm_place == "post" else f"{place}_residual/summed"


def layer_end(config: ModelConfig, stack: Stack, layer: int) -> str:
    """What leaves a layer; of layer -1, what enters the stack."""
    if layer < 0:
        side = "source" if stack == "encoder" else "target"
        return f"{side}/norm/output" if config.embedding_norm else f"{side}/input"
    return sublayer_end(config, f"{stack}/{layer}/{sublayers(config, stack)[-1]}")


def stack_end(config: ModelConfig, stack: Stack) -> str:
    """The address of what leaves the stack."""
    if config.final_norm:
        return f"{stack}/norm/output"
    return layer_end(config, stack, layer_count(config, stack) - 1)


@cache
def states(config: ModelConfig, stack: Stack) -> tuple[StreamState, ...]:
    """The states of a stack in computation order: input, after each sub-layer, final norm."""
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
