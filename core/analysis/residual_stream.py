"""Each token's vector along the depth of a stack: how long it is, where it points, what is added.

§3.1 and §5.4: every sub-layer adds to the vector that goes around it. In pre-norm the sum itself
travels on, in post-norm its norm does; `states` follows what travels on, `additions` what was
added to it on the way.
"""

from dataclasses import dataclass

import numpy as np

from glassformer.core.analysis.comparison import NONE, Edge, pair_words
from glassformer.core.analysis.vectors import (
    Numbers,
    cosines,
    lengths,
    quotients,
    rows_at,
    tokens_of,
)
from glassformer.core.trace.graph import Part, Stack, StreamState, stack_end, states
from glassformer.core.trace.trace import Trace

EQUATIONS = {
    "length": r"\lVert x_t \rVert = \sqrt{\sum_i x_{t,i}^2}",
    "cosine": r"\cos(x, y) = \frac{x \cdot y}{\lVert x \rVert \, \lVert y \rVert}",
    "post": r"x' = \mathrm{LN}(x + \mathrm{Sublayer}(x))",
    "pre": r"x' = x + \mathrm{Sublayer}(\mathrm{LN}(x))",
}  # LaTeX; `post` and `pre` are the two values of `ModelConfig.norm_place`


@dataclass(frozen=True)
class Depth:
    """The vectors at every state of a stack, N states and T tokens."""

    states: tuple[StreamState, ...]  # N, from the input to what leaves the stack
    tokens: tuple[str, ...]  # T
    lengths: Numbers  # (N, T)
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
    cosine: Numbers  # between x and f(x): above 0 strengthens, below 0 takes away
    turned: Numbers  # between x and what travels on: the sum's norm in post-norm, else the sum
    to_final: Numbers  # between f(x) and what leaves the stack: above 0 leads there

    @property
    def ratio(self) -> Numbers:
        """‖f(x)‖ / ‖x‖, (T,); NaN for a vector of length 0."""
        return quotients(self.added, self.stream)


def stream_depth(trace: Trace, stack: Stack) -> Depth:
    """Lengths and directions of the residual stream at every state of a stack, as recorded.

    Args:
        trace: the run that is read, its first sentence.
        stack: one that the model has.

    Returns:
        (N, T) float64 each, N states from the input to what leaves the stack; a cosine is NaN for a
        vector of length 0.
    """
    places = states(trace.config, stack)
    vectors = np.stack([rows_at(trace, place.address) for place in places])  # (N, T, D)
    return Depth(
        states=places,
        tokens=tokens_of(trace, stack),
        lengths=lengths(vectors),
        to_final=cosines(vectors, vectors[-1:]),
    )


def additions(trace: Trace, stack: Stack) -> tuple[Addition, ...]:
    """What every sub-layer of a stack added to the residual stream.

    Args:
        trace: the run that is read, its first sentence.
        stack: one that the model has.

    Returns:
        An entry a sub-layer, in computation order.
    """
    places = (each for each in states(trace.config, stack) if each.layer is not None)
    final = rows_at(trace, stack_end(trace.config, stack))  # (T, D)
    return tuple(_addition(trace, place, final) for place in places)


def _addition(trace: Trace, place: StreamState, final: Numbers) -> Addition:
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
        cosine=cosines(stream, added),
        turned=cosines(stream, onward),
        to_final=cosines(added, final),
    )


@dataclass(frozen=True)
class Apart:
    """N places that both runs have, T lines of words; NaN where only one run has the word."""

    states: tuple[StreamState, ...]  # N, as in the second run
    words: Edge  # T
    means: tuple[Numbers, Numbers]  # (N,) mean length over the words of either run
    distance: Numbers  # (N, T) ‖second − first‖
    ratio: Numbers  # (N, T) the same over ‖first‖; ∞ from nothing, 0 where nothing moved
    cosine: Numbers  # (N, T) between first and second


def compare_streams(runs: tuple[Trace, Trace], stack: Stack, by_place: bool) -> Apart:
    """The residual stream of two runs of one model; a place is known by its layer and its part.

    Args:
        runs: the first and the second, of each the first sentence.
        stack: one that both have.
        by_place: words are paired by their places, also where the lengths differ.

    Returns:
        (N, T) at the N states that both have, with T lines of words; NaN where only one run has the
        word.
    """
    tokens = tuple(tokens_of(trace, stack) for trace in runs)
    pairs = pair_words(tokens[0], tokens[1], by_place)
    edge = Edge.of("position", pairs, tokens)
    places = edge.places
    before = {(each.layer, each.part): each for each in states(runs[0].config, stack)}
    common = [
        (before[each.layer, each.part], each)
        for each in states(runs[1].config, stack)
        if (each.layer, each.part) in before
    ]
    one = np.stack([rows_at(runs[0], each.address) for each, _ in common])  # (N, T₁, D)
    two = np.stack([rows_at(runs[1], each.address) for _, each in common])  # (N, T₂, D)
    both = (places != NONE).all(axis=0)
    first, second = (x[:, at] for x, at in zip((one, two), places, strict=True))  # (N, T, D)
    distance = lengths(second - first)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(distance == 0, 0.0, distance / lengths(first))
    return Apart(
        states=tuple(each for _, each in common),
        words=edge,
        means=(lengths(one).mean(axis=1), lengths(two).mean(axis=1)),
        distance=np.where(both, distance, np.nan),
        ratio=np.where(both, ratio, np.nan),
        cosine=np.where(both, cosines(first, second), np.nan),
    )
