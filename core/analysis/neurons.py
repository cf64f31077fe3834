"""The hidden units of the feed-forward networks: which fire, on what, and what they push for.

§3.3: FFN(x) = activation(x W₁ + b₁) W₂ + b₂. A unit is a column of W₁, which it listens with, and
a row of W₂, which it adds to the output as many times as it is active.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from glassformer.core.analysis.vectors import (
    Numbers,
    column_at,
    cosines,
    lengths,
    row_at,
    rows_at,
    tokens_of,
)
from glassformer.core.config import ModelConfig
from glassformer.core.errors import check_index
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import Stack, layer_count
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

Scale = Literal["logit", "cosine"]
RANDOM = 200  # directions that say what chance would find
AT_ONCE = 4096  # words whose rows are multiplied together: a whole vocabulary would fill memory
TINY = 1e-12  # shorter vectors have no direction


@dataclass(frozen=True)
class Sparsity:
    """How many hidden units fire (activation above 0) in each layer of a stack."""

    tokens: tuple[str, ...]  # T
    active: Numbers  # (L, T) share of the F units, 0..1
    silent: tuple[int, ...]  # L, units that fire for no word of this sentence
    width: int  # F

    @property
    def means(self) -> Numbers:
        """The mean share of each layer, (L,)."""
        return self.active.mean(axis=1)


@dataclass(frozen=True)
class Unit:
    """One hidden unit at one token."""

    index: int  # 0 .. F − 1
    pre_activation: float  # x W₁[:, i] + b₁[i]
    activation: float
    push: float  # length of what it adds, after dropout: |a| · ‖W₂[i]‖


@dataclass(frozen=True)
class Word:
    """A word of the vocabulary and how far a unit's direction speaks for it."""

    piece: str
    token: str  # as shown
    value: float


@dataclass(frozen=True)
class Promoted:
    """What a unit's row of W₂ says in words.

    `logit`: through the generator's weight, without bias or norm; the change of each logit if the
    row reached the generator as it is. `cosine`: nearest source embeddings. A row of the encoder
    never reaches the generator, so it is only a direction; its words are its neighbours, no more.
    `chance`: 19 of 20 random directions of the row's length have no word above it or below −it. In
    a large vocabulary every direction has near words; only one beyond this says something.
    """

    scale: Scale
    up: tuple[Word, ...]  # largest first
    down: tuple[Word, ...]  # smallest first
    chance: float

    @property
    def stands_out(self) -> bool:
        """Whether the unit speaks for or against a word more than chance would have it."""
        return any(abs(each.value) > self.chance for each in (*self.up, *self.down))


@dataclass(frozen=True)
class Firing:
    """A token of the sentence and how active a unit is on it."""

    position: int
    token: str
    activation: float


def sparsity(trace: Trace, stack: Stack) -> Sparsity:
    """The share of hidden units that fire for each token in each layer of a stack.

    Args:
        trace: the run that is read, its first sentence.
        stack: one that the model has.

    Returns:
        (L, T) shares of the F units, 0..1, and how many units of each layer fire for no token.
    """
    layers = range(layer_count(trace.config, stack))
    fired = np.stack(
        [rows_at(trace, f"{_at(stack, each)}/{units_at(trace.config)}") > 0 for each in layers]
    )
    silent = (~fired.any(axis=1)).sum(axis=1)  # (L, T, F) -> (L,)
    return Sparsity(
        tokens=tokens_of(trace, stack),
        active=fired.mean(axis=-1),
        silent=tuple(int(count) for count in silent),
        width=fired.shape[-1],
    )


def most_active(
    trace: Trace, model: Transformer, stack: Stack, layer: int, position: int, k: int = 10
) -> tuple[Unit, ...]:
    """The hidden units with the largest activation at a token, the most active first.

    In a gated network the size of what comes from behind the gate counts, whatever its sign.

    Args:
        trace: the run that is read, its first sentence.
        model: the one that made it.
        stack: which stack.
        layer: counted from 0.
        position: of the token, from 0.
        k: how many units, at most.

    Returns:
        Each with its activation and the length of what it adds, after dropout.

    Raises:
        GlassformerError: `out_of_range` for a layer or a position that does not exist.
    """
    check_index("layer", layer, layer_count(trace.config, stack))
    check_index("position", position, len(tokens_of(trace, stack)))
    where = _at(stack, layer)
    before = row_at(trace, f"{where}/pre_activation", position)  # (F,)
    activation = row_at(trace, f"{where}/{units_at(trace.config)}", position)  # (F,)
    reach = lengths(_w_2(model, stack, layer))  # (F,)
    push = np.abs(_after_dropout(trace, where, position)) * reach  # (F,)
    ranked = np.abs(activation) if trace.config.gated else activation
    order = np.argsort(-ranked, kind="stable")[:k]
    return tuple(
        Unit(int(i), float(before[i]), float(activation[i]), float(push[i])) for i in order
    )


def direction(model: Transformer, stack: Stack, layer: int, unit: int) -> Numbers:
    """What a unit adds to the output for each unit of activation: W₂[unit] (§3.3).

    Args:
        model: whose weights are read.
        stack: which stack.
        layer: counted from 0.
        unit: counted from 0.

    Returns:
        (D,) float64.

    Raises:
        GlassformerError: `out_of_range` for a layer or a unit that does not exist.
    """
    check_index("layer", layer, layer_count(model.config, stack))
    check_index("unit", unit, model.config.of(stack).d_ff)
    return _w_2(model, stack, layer)[unit]


def promoted_words(
    trace: Trace, model: Transformer, stack: Stack, layer: int, unit: int, k: int = 8
) -> Promoted:
    """The words that a unit speaks for and against.

    Decoder: by the generator's logits. Encoder: the nearest source embeddings by cosine; an
    embedding of length 0 counts as no neighbour.

    Args:
        trace: a run of the model, whose vocabulary names the words.
        model: whose weights are read.
        stack: which stack.
        layer: counted from 0.
        unit: counted from 0.
        k: how many words for and how many against, at most.

    Returns:
        The words with their logits or cosines, and what a random direction would reach.

    Raises:
        GlassformerError: `out_of_range` for a layer or a unit that does not exist.
    """
    row = direction(model, stack, layer, unit)  # (D,)
    if stack == "decoder":
        scale: Scale = "logit"
        some = [each @ row for each in _table(model, stack)]  # (v, D) @ (D,) -> (v,)
        values, length = np.concatenate(some), float(lengths(row))  # (V,)
    else:
        scale = "cosine"
        some = [cosines(each, row) for each in _table(model, stack)]
        values, length = np.nan_to_num(np.concatenate(some)), 1.0  # (V,)
    order = np.argsort(-values, kind="stable")
    up, down = (_words(trace, values, each[:k]) for each in (order, order[::-1]))
    return Promoted(scale, up, down, length * _by_chance(model, stack))


def _table(model: Transformer, stack: Stack) -> Iterator[Numbers]:
    """The rows that a stack's units speak to, some at a time: of the generator, or of length 1."""
    whole = model.generator if stack == "decoder" else model.source_embedding.table
    for start in range(0, len(whole.weight), AT_ONCE):
        table = exact_numbers(whole.weight[start : start + AT_ONCE])  # (v, D)
        if stack == "decoder":
            yield table
        else:
            yield table / np.maximum(lengths(table), TINY)[:, None]


def _by_chance(model: Transformer, stack: Stack) -> float:
    """What the largest |product| of a random direction with the rows of a table rarely exceeds.

    It is the same for all units: of a large vocabulary it takes seconds, once a model.
    """
    known = _KNOWN.setdefault(model, {})
    if stack not in known:
        drawn = np.random.default_rng(0).standard_normal((RANDOM, model.config.d_model))
        largest = np.zeros(RANDOM)
        for some in _table(model, stack):
            largest = np.maximum(largest, np.abs(drawn @ some.T).max(axis=1))  # (R, v) -> (R,)
        known[stack] = float(np.quantile(largest / lengths(drawn), 0.95))
    return known[stack]


_KNOWN: WeakKeyDictionary[Transformer, dict[Stack, float]] = WeakKeyDictionary()


def firings(trace: Trace, stack: Stack, layer: int, unit: int, k: int = 8) -> tuple[Firing, ...]:
    """The tokens on which a unit is most active, most active first.

    Args:
        trace: the run that is read, its first sentence.
        stack: which stack.
        layer: counted from 0.
        unit: counted from 0.
        k: how many tokens, at most.

    Returns:
        Each with its position, from 0, and the activation, behind the gate where there is one.

    Raises:
        GlassformerError: `out_of_range` for a layer or a unit that does not exist.
    """
    check_index("layer", layer, layer_count(trace.config, stack))
    check_index("unit", unit, trace.config.of(stack).d_ff)
    values = column_at(trace, f"{_at(stack, layer)}/{units_at(trace.config)}", unit)  # (T,)
    tokens = tokens_of(trace, stack)
    order = np.argsort(-values, kind="stable")[:k]
    return tuple(Firing(int(at), tokens[at], float(values[at])) for at in order)


def units_at(config: ModelConfig) -> str:
    """Where the numbers of the hidden units are recorded that W₂ reads: behind the gate, if any.

    Args:
        config: of the model.

    Returns:
        The last part of the address: `gated` or `activation`.
    """
    return "gated" if config.gated else "activation"


def _at(stack: Stack, layer: int) -> str:
    return f"{stack}/{layer}/feed_forward"


def _after_dropout(trace: Trace, where: str, position: int) -> Numbers:
    """What reaches W₂, (F,): the activations, thinned out in a run with dropout."""
    activation = row_at(trace, f"{where}/{units_at(trace.config)}", position)  # (F,)
    if f"{where}/kept" not in trace:
        return activation
    return activation * row_at(trace, f"{where}/kept", position) / (1 - trace.config.dropout)


def _w_2(model: Transformer, stack: Stack, layer: int) -> Numbers:
    """W₂ as the paper writes it, a row a unit: (F, D)."""
    return exact_numbers(model.get_parameter(f"{stack}.layers.{layer}.feed_forward.w_2.weight")).T


def _words(trace: Trace, values: Numbers, order: np.ndarray) -> tuple[Word, ...]:
    pieces = [(trace.vocabulary[index], float(values[index])) for index in order]
    return tuple(Word(piece, trace.surfaces.get(piece, piece), value) for piece, value in pieces)
