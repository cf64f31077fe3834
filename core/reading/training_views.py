"""How a translator came to be: one sentence seen at every snapshot of the training.

The decoder is looked at while it reads the translation of the end, so that its rows are the same
words at every step; what a step itself would have written is its `text`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.reading.attention_views import Kind, attention_at, layers_of
from core.reading.blocks import Stack, layer_count, sublayers
from core.reading.word_plane import Plane, Word
from core.text.vocabulary import END
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Numbers = NDArray[np.float32]
KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")
STACKS: tuple[Stack, ...] = ("encoder", "decoder")
# What a parameter belongs to, by a part of its name.
PARTS = {
    "w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output",
    "w_1": "feed_forward", "w_2": "feed_forward", "gamma": "norm",
    "table": "embedding", "position_table": "embedding", "generator": "generator",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where the stream of vectors is measured: after a sub-layer was added; layer -1: the input."""

    stack: Stack
    layer: int
    part: str  # "input", "self_attention", "cross_attention", "feed_forward"

    @property
    def address(self) -> str:
        """Where it is recorded."""
        if self.layer < 0:
            return "source/input" if self.stack == "encoder" else "target/input"
        return f"{self.stack}/{self.layer}/{self.part}_residual/summed"


@dataclass(frozen=True)
class Moment:
    """One sentence at one step of the training."""

    step: int
    text: str  # the translation at that step
    tokens: tuple[str, ...]  # its words, without the end
    maps: Mapping[Kind, Numbers]  # all attention weights of a kind, (L, H, T, S)
    lengths: tuple[float, ...]  # of the stream's vectors at each of `places`, mean of the words
    sizes: Mapping[str, float]  # root mean square of the weights, by what they belong to
    vectors: Numbers  # (N, D) of the words that are drawn

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.vectors.nbytes + sum(maps.nbytes for maps in self.maps.values())


@dataclass(frozen=True)
class Replay:
    """One sentence at all steps of a training, the end last."""

    moments: tuple[Moment, ...]
    words: tuple[Word, ...]
    plane: Plane

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps, ascending."""
        return tuple(moment.step for moment in self.moments)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(moment.nbytes for moment in self.moments)


def moment(
    step: int, trace: Trace, read: Trace, weights: Mapping[str, NDArray[np.float32]],
    rows: Sequence[int],
) -> Moment:  # fmt: skip
    """What is kept of a step.

    trace: what the model of that step made of the sentence. read: the same model reading the
    translation of the end. weights: its parameters by name. rows: ids of the words to draw.
    """
    pairs = zip(trace.output_tokens, trace.output_pieces, strict=True)
    table = weights["source_embedding.table.weight"]  # (V, D)
    return Moment(
        step=step,
        text=trace.output_text,
        tokens=tuple(token for token, piece in pairs if piece != END),
        maps={kind: _maps(read, kind) for kind in KINDS},
        lengths=tuple(
            mean_length(as_numpy(read[place.address][0])) for place in places(read.config)
        ),
        sizes=weight_sizes(weights),
        vectors=table[list(rows)].copy(),
    )


def places(config: ModelConfig) -> tuple[Place, ...]:
    """Where the stream is measured, in the order of the computation."""
    found = []
    for stack in STACKS:
        found.append(Place(stack, -1, "input"))
        for layer in range(layer_count(config, stack)):
            found += [Place(stack, layer, part) for part in sublayers(stack)]
    return tuple(found)


def weight_sizes(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
    """The root mean square of all weights of a kind together; biases are left out."""
    squares: dict[str, list[float]] = {}
    for name, values in weights.items():
        parts = [PARTS[each] for each in name.split(".") if each in PARTS]
        if parts and not name.endswith(("bias", "beta")):
            found = squares.setdefault(parts[-1], [0.0, 0.0])
            found[0] += float(np.square(values, dtype=np.float64).sum())
            found[1] += values.size
    return {part: (total / count) ** 0.5 for part, (total, count) in squares.items()}


def timeline(steps: Sequence[float], snapshots: Sequence[int]) -> list[float]:
    """Where steps lie on an axis on which the snapshots are equally far from each other.

    The snapshots thin out as the training goes on, so the first steps are not squeezed together.
    """
    return [float(at) for at in np.interp(steps, snapshots, np.arange(len(snapshots)))]


def agreeing(tokens: Sequence[str], end: Sequence[str]) -> tuple[bool, ...]:
    """Which words of a translation stand, in this order, in that of the end too."""
    written, last = ([token.casefold() for token in side] for side in (tokens, end))
    marks = [False] * len(tokens)
    for match in SequenceMatcher(None, written, last, autojunk=False).get_matching_blocks():
        marks[match.a : match.a + match.size] = [True] * match.size
    return tuple(marks)


def marked_text(
    text: str, tokens: Sequence[str], marks: Sequence[bool]
) -> tuple[tuple[str, bool], ...]:
    """The text in pieces, each with the mark of its word; what is between goes with the next one.

    A word that was restored to something else in the text is passed over.
    """
    parts: list[tuple[str, bool]] = []
    lower, start = text.casefold(), 0
    if len(lower) != len(text):
        lower = text  # a letter whose lower case is longer: compare as written
    for token, mark in zip(tokens, marks, strict=True):
        found = lower.find(token.casefold(), start)
        if found >= 0 and token:
            stop = found + len(token)
            parts.append((text[start:stop], mark))
            start = stop
    return (*parts, (text[start:], False)) if start < len(text) else tuple(parts)


def similarity(vectors: NDArray[np.float32]) -> Numbers:
    """Cosines between all rows of (S, D): (S, S), 1 for the same direction; NaN for length 0."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosines: Numbers = (exact @ exact.T / np.outer(lengths, lengths)).astype(np.float32)
    return cosines


def mean_length(vectors: NDArray[np.float32]) -> float:
    """The mean Euclidean length of the rows of (T, D)."""
    return float(np.linalg.norm(vectors.astype(np.float64), axis=1).mean())


def _maps(trace: Trace, kind: Kind) -> Numbers:
    layers = range(layers_of(trace, kind))
    maps = [as_numpy(trace[f"{attention_at(kind, layer)}/weights"][0]) for layer in layers]
    return np.stack(maps).astype(np.float32)
