"""One value a step, whatever chose the words: what went in, what could come, what the cache did."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import nan
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.rows import KeptRows, Tapes, rows_of
from glassformer.core.decoding.step import Step, Task, largest_difference, step_of
from glassformer.core.interruption import count_parts
from glassformer.core.model.cache import LayerCache
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT


class PassCost(NamedTuple):
    """What one pass computes, in numbers: keys and values, and scores of all attentions."""

    rows: int  # of the decoder
    keys_and_values: int
    scores: int

    def over(self, other: "PassCost") -> tuple[float, ...]:
        """How many times another's work this is.

        Args:
            other: the work that is divided by; none of its numbers is 0.

        Returns:
            Of rows, keys and values, scores.
        """
        return tuple(one / each for one, each in zip(self, other, strict=True))


@dataclass(frozen=True)
class CacheUse:
    """What one step found in the KV-cache, what it added, and what it would cost without it.

    Numbers are numbers of floats, each of `number_bytes` bytes. before, after: what was kept of the
    target so far and of the source before the step and after it; the first one adds the source's.
    with_cache, without_cache: the work of this step; without, the whole pass runs again, the
    encoder too. Under edits nothing is kept.
    """

    before: tuple[int, int]
    after: tuple[int, int]
    with_cache: PassCost
    without_cache: PassCost
    number_bytes: int

    @property
    def kept(self) -> int:
        """Numbers that the step did not compute again."""
        return sum(self.before)

    @property
    def added(self) -> int:
        return sum(self.after) - sum(self.before)

    @property
    def recomputed(self) -> int:
        """Keys and values that a run without a cache computes at this step, known or not."""
        return self.without_cache.keys_and_values


NO_USE = CacheUse((0, 0), (0, 0), PassCost(0, 0, 0), PassCost(0, 0, 0), 0)  # of a word given before


@dataclass(frozen=True)
class Moment:
    """One step of the decoding; written: the ids before, without the begin token."""

    position: int
    written: tuple[int, ...]
    step: Step
    cache: CacheUse


@torch.no_grad()
def time_decoding(
    model: Transformer, task: Task, chosen: Sequence[int | Step], tape: Tapes = None
) -> tuple[Moment, ...]:
    """The decoding of some words, step by step, with what the KV-cache does.

    Args:
        model: the Transformer; it is only run.
        task: what was to be written; words that it gives cost nothing.
        chosen: the steps that a strategy took, or plain ids, such as `Beam.words(index)`.
        tape: a maker of tapes, for runs with edits: then every step is a whole pass. None for none.

    Returns:
        A moment a word.

    Raises:
        GlassformerError: `out_of_range` for a word or a length that cannot be.
    """
    words = [each.chosen if isinstance(each, Step) else each for each in chosen]
    task.check(model, words, range(len(words)))
    source_ids = task.source_ids(model)
    rows = rows_of(model, source_ids, tape)
    caches = rows.caches if isinstance(rows, KeptRows) else []
    given = min(len(task.given), len(chosen))
    moments = _given_moments(chosen[:given])
    for place, each in enumerate(count_parts(chosen[given:], len(chosen) - given), given):
        ids = (task.start, *words[:place])
        before = _kept(caches)
        row = rows([ids])[0]  # (V,)
        guarded = each.guarded if isinstance(each, Step) else None
        step = step_of(row, words[place], guarded=guarded)
        use = _use(model, before, _kept(caches), len(task.source), len(ids))
        moments.append(Moment(place, ids[1:], step, use))
    return tuple(moments)


def time_greedy(model: Transformer, task: Task, steps: Sequence[Step]) -> tuple[Moment, ...]:
    """As `time_decoding`, of what `greedy` did without edits: nothing is computed again.

    Args:
        model: the Transformer; it is not run.
        task: what was written.
        steps: all that `greedy` returned for it.

    Returns:
        A moment a word; what the cache held follows from what a word adds to it.
    """
    words, given = [each.chosen for each in steps], min(len(task.given), len(steps))
    word, source = word_states(model.config) * model.config.decoder_layers, len(task.source)
    moments, held = _given_moments(steps[:given]), (0, 0)
    for place, step in enumerate(steps[given:], given):
        before = held
        if model.config.pad_id not in words[:place]:  # from then on nothing is added
            held = (word * (place + 1), word * source)
        use = _use(model, before, held, source, place + 1)
        moments.append(Moment(place, tuple(words[:place]), step, use))
    return tuple(moments)


def _given_moments(given: Sequence[int | Step]) -> list[Moment]:
    """Of words that are read with the first one that is written."""
    steps = [each if isinstance(each, Step) else Step(each, nan, nan, ()) for each in given]
    words = [each.chosen for each in steps]
    return [Moment(at, tuple(words[:at]), step, NO_USE) for at, step in enumerate(steps)]


@torch.no_grad()
def cache_difference(model: Transformer, task: Task, words: Sequence[int]) -> float:
    """How far the KV-cache leads a decoding astray: each step is computed with it and without.

    Args:
        model: the Transformer; it is only run.
        task: what was to be written.
        words: the ids written, those that the task gives among them.

    Returns:
        The largest difference between the probabilities of a step with keys and values kept and
        those of a whole pass over the same words.

    Raises:
        GlassformerError: `out_of_range` for a word or a length that cannot be.
    """
    task.check(model, words, range(len(words)))
    source_ids, worst = task.source_ids(model), 0.0
    rows = KeptRows(model, source_ids)
    first = min(len(task.given), len(words))
    for place in count_parts(range(first, len(words)), len(words) - first):
        ids = (task.start, *words[:place])
        whole = model(source_ids, source_ids.new_tensor([list(ids)]))  # (1, T, V)
        worst = max(worst, largest_difference(rows([ids])[0], whole[0, -1]))
    return worst


def total_costs(moments: Sequence[Moment]) -> tuple[PassCost, PassCost]:
    """The work of all steps together.

    Args:
        moments: the steps of a decoding.

    Returns:
        With the cache, without it.
    """
    cached = [each.cache.with_cache for each in moments]
    fresh = [each.cache.without_cache for each in moments]
    return _total(cached), _total(fresh)


def _total(costs: Sequence[PassCost]) -> PassCost:
    return PassCost(*(sum(cost[part] for cost in costs) for part in range(3)))


def whole_pass(config: ModelConfig, source: int, target: int) -> PassCost:
    """The work of one pass over so many words, encoder and decoder, nothing known before.

    Args:
        config: of the model.
        source: S, words of the source.
        target: T, words of the target with the begin token.

    Returns:
        Rows of the decoder, numbers of keys and values, scores of all attentions.
    """
    encoder, layers = config.of("encoder"), (config.encoder_layers, config.decoder_layers)
    read, written = layers[0] * source, layers[1] * (source + target)  # cross-attention reads both
    numbers = word_states(encoder) * read + word_states(config) * written
    maps = encoder.n_heads * read * source + config.n_heads * written * target
    return PassCost(target, numbers, maps)


def word_states(config: ModelConfig) -> int:
    """Numbers of a key and a value of one word in one layer, over all heads that have their own.

    Args:
        config: of the model, or of one stack of it (`config.of`).

    Returns:
        2 · heads of keys · d_k.
    """
    return 2 * config.key_heads * config.d_k


def cached_step(config: ModelConfig, source: int, target: int) -> PassCost:
    """The work of the step that reads word number `target`, all before it kept.

    Args:
        config: of the model.
        source: S, words of the source.
        target: counted from 1, which is the begin token; its step is a whole pass.

    Returns:
        One row of the decoder, its numbers of keys and values, its scores.
    """
    if target == 1:
        return whole_pass(config, source, 1)
    layers = config.decoder_layers
    scores = config.n_heads * layers * (target + source)
    return PassCost(1, word_states(config) * layers, scores)


def _kept(caches: Sequence[LayerCache]) -> tuple[int, int]:
    """Numbers in the caches, counted there: of the target, of the source."""

    def count(kept: Iterable[tuple[Tensor, Tensor] | None]) -> int:
        return sum(tensor.numel() for pair in kept for tensor in pair or ())

    own = count(cache.self_attention.kept for cache in caches)
    return own, count(cache.cross_attention.kept for cache in caches)


def _use(
    model: Transformer, before: tuple[int, int], after: tuple[int, int], source: int, target: int
) -> CacheUse:
    whole = whole_pass(model.config, source, target)
    number_bytes = model.generator.weight.element_size()
    if after == before:  # the step was a whole pass, whatever the cache held
        return CacheUse((0, 0), (0, 0), whole, whole, number_bytes)
    if before == (0, 0):  # the first step reads all that was given
        return CacheUse(before, after, whole, whole, number_bytes)
    return CacheUse(before, after, cached_step(model.config, source, target), whole, number_bytes)


SECONDS = 1.2  # so long both ways together are repeated
LEAST, MOST = 3, 200  # rounds


@dataclass(frozen=True)
class Speed:
    """Seconds that one decoding took, the median of some rounds."""

    with_cache: float
    without_cache: float
    rounds: int

    @property
    def ratio(self) -> float:
        """How many times as fast it is with the cache."""
        return self.without_cache / self.with_cache


def measure_speed(
    model: Transformer, task: Task, words: Sequence[int], seconds: float = SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> Speed:  # fmt: skip
    """Times the decoding of the same words with and without the cache, in turn.

    In turn, so that whatever else the machine does disturbs both alike.

    Args:
        model: the Transformer; it is only run.
        task: what is to be written.
        words: ids that are forced.
        seconds: so long both ways together are repeated, within 3 to 200 rounds.
        clock: tells the time in seconds.

    Returns:
        The median of each way in seconds, and how many rounds counted; a first one warms up.

    Raises:
        GlassformerError: `out_of_range` for a word or a length that cannot be.
    """
    forced = dict(enumerate(words))
    ways = (None, lambda: SILENT)
    taken: tuple[list[float], list[float]] = ([], [])
    begin = clock()
    for done in range(MOST + 1):  # the first round warms up and does not count
        for way, times in zip(ways, taken, strict=True):
            start = clock()
            greedy(model, task, forced, way)
            times.append(clock() - start)
        if done >= LEAST and clock() - begin > seconds:
            break
    return Speed(median(taken[0][1:]), median(taken[1][1:]), len(taken[0]) - 1)
