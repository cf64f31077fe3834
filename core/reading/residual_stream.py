"""Each token's vector along the depth of a stack: how long it is, where it points, what is added.

§3.1 and §5.4: every sub-layer adds to the vector that goes around it. In pre-norm the sum itself
travels on, in post-norm its norm does; `states` follows what travels on, `additions` what was
added to it on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.config import ModelConfig
from core.reading.blocks import Stack, layer_count, stack_end, sublayers
from core.reading.vectors import Numbers, cosines, lengths, rows_at, side_of, tokens_of
from core.trace.trace import Trace

Part = Literal["input", "self_attention", "cross_attention", "feed_forward", "final_norm"]

EQUATIONS = {
    "length": r"\lVert x_t \rVert = \sqrt{\sum_i x_{t,i}^2}",
    "cosine": r"\cos(x, y) = \frac{x \cdot y}{\lVert x \rVert \, \lVert y \rVert}",
    "post": r"x' = \mathrm{LN}(x + \mathrm{Sublayer}(x))",
    "pre": r"x' = x + \mathrm{Sublayer}(\mathrm{LN}(x))",
}  # LaTeX; `post` and `pre` are the two values of `ModelConfig.norm_place`


@dataclass(frozen=True)
class State:
    """A place between two sub-layers: the vectors as they travel on."""

    stack: Stack
    layer: int | None  # None before the first layer and after the last
    part: Part  # what the vectors have just passed
    address: str

    @property
    def key(self) -> str:
        """The words key of its name."""
        return f"stream.states.{self.part}"


@dataclass(frozen=True)
class Depth:
    """The vectors at every state of a stack, N states and T tokens."""

    states: tuple[State, ...]  # N, from the input to what leaves the stack
    tokens: tuple[str, ...]  # T
    lengths: Numbers  # (N, T)
    to_previous: Numbers  # (N, T) cosine with the state before; NaN at the input
    to_final: Numbers  # (N, T) cosine with what leaves the stack; 1 at the end


@dataclass(frozen=True)
class Addition:
    """What one sub-layer added to each token's vector; lengths and cosines, (T,) each.

    What was added is `summed` less `stream` as recorded: dropout and edits are in it.
    """

    stack: Stack
    layer: int
    part: Part
    address: str  # of the sub-layer, such as `encoder/0/feed_forward`
    stream: Numbers  # ‖x‖, what goes around
    added: Numbers  # ‖f(x)‖
    summed: Numbers  # ‖x + f(x)‖
    onward: Numbers  # length of what travels on: the sum's norm in post-norm, the sum in pre-norm
    cosine: Numbers  # between x and f(x): above 0 strengthens, below 0 takes away
    turned: Numbers  # between x and what travels on
    to_final: Numbers  # between f(x) and what leaves the stack: above 0 leads there

    @property
    def ratio(self) -> Numbers:
        """‖f(x)‖ / ‖x‖, (T,); NaN for a vector of length 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.stream > 0, self.added / self.stream, np.nan)


def states(config: ModelConfig, stack: Stack) -> tuple[State, ...]:
    """The states of a stack in computation order: input, after each sub-layer, final norm."""
    return tuple(_states(config, stack))


def depth(trace: Trace, stack: Stack) -> Depth:
    """Lengths and directions at every state of a stack, as recorded."""
    places = states(trace.config, stack)
    vectors = np.stack([rows_at(trace, place.address) for place in places])  # (N, T, D)
    to_previous = np.full(vectors.shape[:2], np.nan)
    to_previous[1:] = cosines(vectors[1:], vectors[:-1])
    return Depth(
        states=places,
        tokens=tokens_of(trace, stack),
        lengths=lengths(vectors),
        to_previous=to_previous,
        to_final=cosines(vectors, vectors[-1:]),
    )


def additions(trace: Trace, stack: Stack) -> tuple[Addition, ...]:
    """What every sub-layer of a stack added, in computation order."""
    places = (each for each in states(trace.config, stack) if each.layer is not None)
    final = rows_at(trace, stack_end(trace.config, stack))  # (T, D)
    return tuple(_addition(trace, place, final) for place in places)


def _states(config: ModelConfig, stack: Stack) -> Iterator[State]:
    end = "norm/output" if config.norm_place == "post" else "residual/summed"
    yield State(stack, None, "input", f"{side_of(stack)}/input")
    for layer in range(layer_count(config, stack)):
        for part in sublayers(stack):
            address = f"{stack}/{layer}/{part}_{end}"
            yield State(stack, layer, part, address)  # type: ignore[arg-type]
    if config.final_norm:
        yield State(stack, None, "final_norm", f"{stack}/norm/output")


def _addition(trace: Trace, place: State, final: Numbers) -> Addition:
    address = f"{place.stack}/{place.layer}/{place.part}"
    stream = rows_at(trace, f"{address}_residual/stream")  # (T, D)
    summed = rows_at(trace, f"{address}_residual/summed")  # (T, D)
    added, onward = summed - stream, rows_at(trace, place.address)  # (T, D)
    return Addition(
        stack=place.stack,
        layer=place.layer or 0,
        part=place.part,
        address=address,
        stream=lengths(stream),
        added=lengths(added),
        summed=lengths(summed),
        onward=lengths(onward),
        cosine=cosines(stream, added),
        turned=cosines(stream, onward),
        to_final=cosines(added, final),
    )
