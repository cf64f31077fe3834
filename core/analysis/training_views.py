"""How a model came to be: one sentence seen at every snapshot of the training.

The decoder is looked at while it reads the translation of the end, so that its rows are the same
words at every step; what a step itself would have written is its `text`. Word vectors are drawn on
the plane of the two directions in which the words of the groups differ most (principal
components), laid through the vectors of the end and kept for all steps, so that points move and
axes do not.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glassformer.core.analysis.attention_views import (
    HeadMap,
    Kind,
    Side,
    attention_at,
    kinds_of,
    layers_of,
    thumbnail,
)
from glassformer.core.analysis.head_roles import Head, measure_roles
from glassformer.core.config import ModelConfig
from glassformer.core.text.normalize import has_han
from glassformer.core.text.vocabulary import END, RESERVED
from glassformer.core.trace.graph import Stack, StreamState, layer_count, states
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

Numbers = NDArray[np.float32]
STACKS: tuple[Stack, ...] = ("encoder", "decoder")
# What a parameter belongs to, by a part of its name.
PARTS = {
    "w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output",
    "w_1": "feed_forward", "w_2": "feed_forward", "gamma": "norm",
    "table": "embedding", "position_table": "embedding", "generator": "generator",
}  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """One sentence at one step of the training."""

    step: int
    text: str  # the translation at that step
    tokens: tuple[str, ...]  # its words, without the end
    maps: Mapping[Kind, Numbers]  # all attention weights of a kind, (L, H, T, S)
    lengths: tuple[
        float, ...
    ]  # of the stream's vectors at each of `stream_places`, mean of the words
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
    words: "tuple[Word, ...]"
    plane: "Plane"

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps, ascending."""
        return tuple(moment.step for moment in self.moments)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(moment.nbytes for moment in self.moments)


def keep_moment(
    step: int, trace: Trace, read: Trace, weights: Mapping[str, NDArray[np.float32]],
    rows: Sequence[int],
) -> Moment:  # fmt: skip
    """What is kept of a step of the training.

    Args:
        step: its number.
        trace: what the model of that step made of the sentence.
        read: the same model reading the translation of the end.
        weights: its parameters by name.
        rows: ids of the words to draw.

    Returns:
        The translation, all attention weights, mean lengths of the stream's vectors, sizes of the
        weights, and the vectors (N, D) of the words to draw.

    Raises:
        KeyError: the weights have no embedding of what is read.
    """
    pairs = zip(trace.output_tokens, trace.output_pieces, strict=True)
    side = "source" if read.config.encoder_layers else "target"
    table = weights[f"{side}_embedding.table.weight"]  # (V, D)
    return Moment(
        step=step,
        text=trace.output_text,
        tokens=tuple(token for token, piece in pairs if piece != END),
        maps={kind: _maps(read, kind) for kind in kinds_of(read.config)},
        lengths=tuple(
            mean_length(as_numpy(read[place.address][0])) for place in stream_places(read.config)
        ),
        sizes=weight_sizes(weights),
        vectors=table[list(rows)].copy(),
    )


def stream_places(config: ModelConfig) -> list[StreamState]:
    """Where the stream is measured: what enters each stack, and the sum after each sub-layer.

    Args:
        config: of the model.

    Returns:
        In computation order, the encoder's first.
    """
    stacks = (stack for stack in STACKS if layer_count(config, stack))
    found = (each for stack in stacks for each in states(config, stack))
    return [
        each if each.layer is None else replace(each, address=_summed(each))
        for each in found
        if each.part != "final_norm"
    ]


def _summed(place: StreamState) -> str:
    return f"{place.stack}/{place.layer}/{place.part}_residual/summed"


def weight_sizes(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
    """The root mean square of all weights of a kind together; biases are left out.

    Args:
        weights: the parameters of a model by name.

    Returns:
        By what they belong to, one of the values of `PARTS`; a kind without weights is left out.
    """
    squares: dict[str, list[float]] = {}
    for name, values in weights.items():
        parts = [PARTS[each] for each in name.split(".") if each in PARTS]
        if parts and not name.endswith(("bias", "beta")):
            found = squares.setdefault(parts[-1], [0.0, 0.0])
            found[0] += float(np.square(values, dtype=np.float64).sum())
            found[1] += values.size
    return {part: (total / count) ** 0.5 for part, (total, count) in squares.items()}


def snapshot_axis(steps: Sequence[float], snapshots: Sequence[int]) -> list[float]:
    """Where steps lie on an axis on which the snapshots are equally far from each other.

    The snapshots thin out as the training goes on, so the first steps are not squeezed together.

    Args:
        steps: of the training.
        snapshots: the steps of the snapshots, ascending, at least one.

    Returns:
        A place for each step: 0 at the first snapshot, 1 at the second; a step beyond the ends lies
        at the end.
    """
    return [float(at) for at in np.interp(steps, snapshots, np.arange(len(snapshots)))]


def agreeing_words(tokens: Sequence[str], end: Sequence[str]) -> tuple[bool, ...]:
    """Which words of a translation stand, in this order, in that of the end too.

    Args:
        tokens: the words of the translation, in capitals or not.
        end: those of the translation of the end.

    Returns:
        A truth value for each of `tokens`.
    """
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

    Args:
        text: the translation.
        tokens: its words, in order.
        marks: one for each word.

    Returns:
        Pieces that make up the text, each with its mark; what follows the last word has False.

    Raises:
        ValueError: there are not as many marks as words.
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
    """The cosines between all rows.

    Args:
        vectors: (S, D).

    Returns:
        (S, S) float32, 1 for the same direction; NaN for length 0.
    """
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (exact @ exact.T / np.outer(lengths, lengths)).astype(np.float32)


def mean_length(vectors: NDArray[np.float32]) -> float:
    """The mean Euclidean length of the rows.

    Args:
        vectors: (T, D).

    Returns:
        One number.
    """
    return float(np.linalg.norm(vectors.astype(np.float64), axis=1).mean())


def _maps(trace: Trace, kind: Kind) -> Numbers:
    layers = range(layers_of(trace, kind))
    maps = [as_numpy(trace[f"{attention_at(kind, layer)}/weights"][0]) for layer in layers]
    return np.stack(maps).astype(np.float32)


SIDE = 48  # cells a side of a frame, at most; more are pooled by maximum


@dataclass(frozen=True)
class Frame:
    """One step of the film. `levels` (≤ 48, ≤ 48): 0–254 for weights of 0–1, 255 for forbidden."""

    step: int
    levels: NDArray[np.uint8]
    does: Head | None  # None where the step has read other words than the end


def head_frames(
    replay: Replay, kind: Kind, layer: int, head: int | None, sides: tuple[Side, Side]
) -> tuple[Frame, ...]:
    """The frames of one head, or of the mean of a layer's heads.

    Args:
        replay: a sentence at all steps of a training.
        kind: which of the attentions.
        layer: counted from 0.
        head: counted from 0; None for the mean of the layer's heads.
        sides: who looks and what is looked at, in the translation of the end.

    Returns:
        A frame a step, in the order of the replay.

    Raises:
        IndexError: no such layer or head.
    """
    frames = []
    for each in replay.moments:
        maps = each.maps[kind][layer]  # (H, T, S)
        weights = maps.mean(axis=0) if head is None else maps[head]
        allowed = np.ones(weights.shape, dtype=bool)
        if kind == "decoder":
            allowed = np.tril(allowed)
        same = weights.shape == tuple(len(side.tokens) for side in sides)
        view = HeadMap(weights, allowed, weights)
        does = Head(layer, head, measure_roles(view, sides[1])) if same else None
        frames.append(Frame(each.step, thumbnail(weights, allowed, SIDE), does))
    return tuple(frames)


FILE = Path(__file__).with_name("word_groups.toml")
NAMED = 3  # pairs of a group that are named, so that names do not cover each other
FALLBACK = 60  # words drawn of a vocabulary that has none of the groups


@dataclass(frozen=True)
class Word:
    """One point: a piece of the vocabulary. group "" is a word of the sentence alone."""

    piece: str
    group: str
    language: str = ""  # "en" or "zh"; "" for signs
    named: bool = False
    spoken: bool = False  # stands in the sentence or in its translation


@dataclass(frozen=True)
class Plane:
    """Two directions through a middle; `shares` of the variance lie along each, 0..1."""

    middle: Numbers  # (D,)
    directions: Numbers  # (2, D)
    shares: tuple[float, float]

    def of(self, vectors: Numbers) -> Numbers:
        """Where vectors lie on the plane.

        Args:
            vectors: (N, D).

        Returns:
            (N, 2) float32.
        """
        return ((vectors - self.middle) @ self.directions.T).astype(np.float32)


@cache
def word_groups() -> dict[str, list[list[str]]]:
    """Everyday words by what they are about, as word_groups.toml has them.

    Returns:
        [English, Chinese] words by group; shared by all who ask, not to be written to.
    """
    lists = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: [pair.split() for pair in pairs] for name, pairs in lists.items()}


def words_to_draw(pieces: Sequence[str], spoken: Collection[str]) -> tuple[Word, ...]:
    """The words of the groups that a vocabulary has, then those of the sentence.

    A vocabulary with fewer than three of them gives its own first words, without a group.

    Args:
        pieces: the vocabulary.
        spoken: pieces of the sentence and of its translation.

    Returns:
        Each word once; reserved pieces are left out.
    """
    known = frozenset(pieces)
    drawn = {
        word: Word(word, group, language, place < NAMED, word in spoken)
        for group, pairs in word_groups().items()
        for place, pair in enumerate(pairs)
        for language, word in zip(("en", "zh"), pair, strict=True)
        if word in known
    }
    own = [piece for piece in pieces if piece not in RESERVED]
    if len(drawn) < 3:
        drawn = {word: _ungrouped(word, word in spoken) for word in own[:FALLBACK]}
    also = (word for word in own if word in spoken and word not in drawn)
    return (*drawn.values(), *(_ungrouped(word, True) for word in also))


def plane(vectors: Numbers) -> Plane:
    """The plane in which vectors differ most: their first two principal components.

    The largest entry of each direction is positive: the sign, which means nothing, is fixed.

    Args:
        vectors: (N, D), N and D at least 1.

    Returns:
        Mean, directions and their shares of the variance; the second direction is 0 where N or D is
        1.
    """
    exact = vectors.astype(np.float64)
    middle = exact.mean(axis=0)
    _, sizes, rows = np.linalg.svd(exact - middle, full_matrices=False)
    directions, variance = np.zeros((2, exact.shape[1])), np.zeros(2)
    count = min(2, len(rows))
    directions[:count], variance[:count] = rows[:count], sizes[:count] ** 2
    largest = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[[0, 1], largest] < 0, -1.0, 1.0)
    shares = variance / max(float((sizes**2).sum()), 1e-12)
    return Plane(
        middle.astype(np.float32),
        (directions * signs[:, None]).astype(np.float32),
        (float(shares[0]), float(shares[1])),
    )


def _ungrouped(word: str, spoken: bool) -> Word:
    language = "zh" if has_han(word) else "en" if any(map(str.isalpha, word)) else ""
    return Word(word, "", language, spoken=spoken)
