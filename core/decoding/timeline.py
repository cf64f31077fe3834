"""One value a step, whatever chose the words: what went in, what could come, what the cache did."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.config import ModelConfig
from core.decoding.rows import KeptRows, rows_of
from core.decoding.sampling import Cut, SampledStep
from core.decoding.step import Step, apart, step_of
from core.decoding.task import Task
from core.interruption import counted
from core.model.cache import LayerCache
from core.model.transformer import Transformer
from core.trace.tape import Tape


@dataclass(frozen=True)
class Work:
    """What one pass computes, in numbers: keys and values, and scores of all attentions."""

    rows: int  # of the decoder
    keys_and_values: int
    scores: int

    def __add__(self, other: Work) -> Work:
        return Work(
            self.rows + other.rows,
            self.keys_and_values + other.keys_and_values,
            self.scores + other.scores,
        )

    def over(self, other: Work) -> tuple[float, float, float]:
        """How many times another's work this is: rows, keys and values, scores."""
        return (
            self.rows / other.rows,
            self.keys_and_values / other.keys_and_values,
            self.scores / other.scores,
        )


@dataclass(frozen=True)
class CacheUse:
    """What one step found in the KV-cache, what it added, and what it would cost without it.

    Numbers are numbers of floats, each of `number_bytes` bytes. kept: of the target so far and of
    the source, from before the step. added: by the step; its first adds the source's. with_cache,
    without_cache: the work of this step; without, the whole pass runs again, the encoder too.
    Under edits nothing is kept.
    """

    kept_target: int
    kept_source: int
    added_target: int
    added_source: int
    with_cache: Work
    without_cache: Work
    number_bytes: int

    @property
    def kept(self) -> int:
        """Numbers that the step did not compute again."""
        return self.kept_target + self.kept_source

    @property
    def added(self) -> int:
        return self.added_target + self.added_source

    @property
    def kept_bytes(self) -> int:
        return self.kept * self.number_bytes

    @property
    def added_bytes(self) -> int:
        return self.added * self.number_bytes

    @property
    def recomputed(self) -> int:
        """Keys and values that a run without a cache computes at this step, known or not."""
        return self.without_cache.keys_and_values

    @property
    def recomputed_bytes(self) -> int:
        return self.recomputed * self.number_bytes


@dataclass(frozen=True)
class Moment:
    """One step of the decoding.

    input: the newest id that went in. written: the ids before, without the begin token. difference:
    the largest between these probabilities and those of a whole pass over the same words.
    """

    position: int
    input: int
    written: tuple[int, ...]
    step: Step
    cache: CacheUse
    difference: float
    cut: Cut | None = None

    @property
    def surprise(self) -> float:
        """−ln p of the choice, in nats."""
        chance = self.step.probability
        return -math.log(chance) if chance > 0 else math.inf


@torch.no_grad()
def timeline(
    model: Transformer,
    task: Task,
    chosen: Sequence[int | Step | SampledStep],
    tape: Callable[[], Tape] | None = None,
) -> tuple[Moment, ...]:
    """The decoding of some words, step by step.

    Args:
        model: the one that wrote them.
        task: theirs.
        chosen: the steps of greedy decoding or of a run with forced words, of sampling, or plain
            ids, such as `Beam.words(index)`.
        tape: a maker of tapes, for runs with edits: then every step is a whole pass.

    Raises:
        GlassformerError: `out_of_range` for a word or a length that cannot be.
    """
    words = [_word(each) for each in chosen]
    task.check(model, words, range(len(words)))
    source_ids = task.source_ids(model)
    rows = rows_of(model, source_ids, tape)
    caches = rows.caches if isinstance(rows, KeptRows) else []
    moments = list[Moment]()
    for place, each in enumerate(counted(chosen, len(chosen))):
        ids = (task.start, *words[:place])
        before = _kept(caches)
        row = rows([ids])[0]  # (V,)
        use = _use(model, before, _kept(caches), len(task.source), len(ids))
        moments.append(
            Moment(
                position=place,
                input=ids[-1],
                written=ids[1:],
                step=step_of(row, words[place], guarded=_guarded(each)),
                cache=use,
                difference=0.0 if tape else apart(row, model(source_ids, _batch(ids, row))[0, -1]),
                cut=each.cut if isinstance(each, SampledStep) else None,
            )
        )
    return tuple(moments)


def totals(moments: Sequence[Moment]) -> tuple[Work, Work]:
    """The work of all steps together: with the cache, without it."""
    nothing = Work(0, 0, 0)
    return (
        sum((each.cache.with_cache for each in moments), nothing),
        sum((each.cache.without_cache for each in moments), nothing),
    )


def whole_pass(config: ModelConfig, source: int, target: int) -> Work:
    """The work of one pass over so many words, encoder and decoder, nothing known before."""
    states = 2 * config.d_model  # a key and a value, over all heads
    at_source = (config.encoder_layers + config.decoder_layers) * source  # cross-attention reads it
    at_target = config.decoder_layers * target
    maps = config.encoder_layers * source**2 + config.decoder_layers * target * (target + source)
    return Work(target, states * (at_source + at_target), config.n_heads * maps)


def cached_step(config: ModelConfig, source: int, target: int) -> Work:
    """The work of the step that reads word number `target`, all before it kept."""
    if target == 1:
        return whole_pass(config, source, 1)
    layers = config.decoder_layers
    return Work(1, 2 * config.d_model * layers, config.n_heads * layers * (target + source))


def _kept(caches: Sequence[LayerCache]) -> tuple[int, int]:
    """Numbers in the caches, counted there: of the target, of the source."""
    target = [cache.self_attention.kept for cache in caches]
    source = [cache.cross_attention.kept for cache in caches]
    return _count(target), _count(source)


def _count(kept: Sequence[tuple[Tensor, Tensor] | None]) -> int:
    return sum(tensor.numel() for pair in kept if pair is not None for tensor in pair)


def _use(
    model: Transformer, before: tuple[int, int], after: tuple[int, int], source: int, target: int
) -> CacheUse:
    config = model.config
    whole = whole_pass(config, source, target)
    used = after != before  # else the step was a whole pass, whatever the cache held
    before, after = (before, after) if used else ((0, 0), (0, 0))
    return CacheUse(
        kept_target=before[0],
        kept_source=before[1],
        added_target=after[0] - before[0],
        added_source=after[1] - before[1],
        with_cache=cached_step(config, source, target) if used else whole,
        without_cache=whole,
        number_bytes=model.generator.weight.element_size(),
    )


def _word(each: int | Step | SampledStep) -> int:
    if isinstance(each, SampledStep):
        return each.step.chosen
    return each.chosen if isinstance(each, Step) else each


def _guarded(each: int | Step | SampledStep) -> int | None:
    if isinstance(each, SampledStep):
        return each.step.guarded
    return each.guarded if isinstance(each, Step) else None


def _batch(ids: Sequence[int], like: Tensor) -> Tensor:
    return torch.tensor([list(ids)], device=like.device)  # (1, T)
