"""Greedy decoding, and words given to it: teacher forcing, one wrong word, and taking over.

Under teacher forcing all words are given and one pass scores them all; on its own the decoder reads
its own words, one pass a word. On the same words both give the same numbers, for no row sees what
follows it. They part where a word is wrong: training never showed the decoder its own mistakes
("exposure bias", Ranzato et al. 2016, arXiv 1511.06732).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.decoding.no_repeat import Watch
from glassformer.core.decoding.rows import Tapes, rows_of
from glassformer.core.decoding.step import (
    NOTHING,
    Forced,
    Step,
    Task,
    largest_difference,
    step_from,
    step_of,
)
from glassformer.core.interruption import count_parts
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT

EQUAL = 1e-5  # probabilities no further apart differ by rounding alone


@dataclass(frozen=True)
class Beside:
    """One row of the decoder, computed in two ways on the same words.

    forced: from the one pass over all words. free: from the words so far alone, as when decoding.
    difference: the largest between their probabilities, over the whole vocabulary.
    """

    forced: Step
    free: Step
    difference: float


@dataclass(frozen=True)
class WrongWord:
    """One word forced, and what follows.

    before: the run without it. after: the run that went on from it by itself. given: the words
    of `before` read after the forced word, as teacher forcing reads them whatever happened.
    """

    position: int
    word: int
    before: tuple[Step, ...]
    after: tuple[Step, ...]
    given: tuple[Step, ...]

    @property
    def mean_losses(self) -> tuple[float, float]:
        """Means of −ln p of the later words of `before`: after the right words, after the wrong.

        Not a number where nothing follows.
        """
        right, wrong = (steps[self.position + 1 :] for steps in (self.before, self.given))
        return _mean_loss(right), _mean_loss(wrong)


@torch.no_grad()
def greedy(
    model: Transformer, task: Task, forced: Forced = NOTHING, tape: Tapes = None,
    tell_given: bool = True,
) -> tuple[Step, ...]:  # fmt: skip
    """Decodes a sentence: the most probable word, again and again, until the end or the limit.

    The task's guard may stop the decoder from going in circles.

    Args:
        model: the Transformer; it is only run.
        task: what is to be written.
        forced: words that are written at some positions, counted from 0, whatever the model
            prefers.
        tape: a maker of tapes for runs with edits or dropout, as `rows_of` takes it: unless all
            edits act on each position alone, each step recomputes the whole pass on a tape of its
            own; without one (None), keys and values are kept between steps.
        tell_given: False leaves out the steps of the words that the task gives: what each of them
            would rather have been takes a large vocabulary its time.

    Returns:
        A step a word, the given ones included unless `tell_given` is False, the end token last
        unless the limit was reached.

    Raises:
        GlassformerError: `out_of_range` for a forced word or position that does not exist.
    """
    forced = task.forced(forced)
    task.check(model, forced.values(), forced)
    rows = rows_of(model, task.source_ids(model), tape, task.beginning)
    watch = Watch(task.guard, task.end) if task.guard else None
    ids, steps = [task.start], list[Step]()
    while len(ids) <= task.limit:
        row = rows([ids])[0]  # (V,)
        given = forced.get(len(ids) - 1)
        if given is not None and len(ids) <= len(task.given) and not tell_given:
            ids.append(given)
            continue
        step = step_from(row, task.forbidden, watch, ids[1:])
        if given is not None:
            step = step_of(row, given)
        steps.append(step)
        ids.append(step.chosen)
        if task.ends(step.chosen, len(ids) - 1):
            break
    return tuple(steps)


@torch.no_grad()
def teacher_forced(
    model: Transformer, task: Task, words: Sequence[int], tape: Tapes = None
) -> tuple[Step, ...]:
    """One pass over given words: what each row thought of the word that it was given.

    Args:
        model: the Transformer; it is only run.
        task: the source, the begin token and the limit.
        words: ids (T,).
        tape: a maker of tapes for runs with edits or dropout; None for none.

    Returns:
        A step a word, its choice the given word.

    Raises:
        GlassformerError: `out_of_range` for a word or a length that cannot be.
    """
    logits = _one_pass(model, task, words, tape)  # (T, V)
    return tuple(step_of(row, word) for row, word in zip(logits, words, strict=True))


@torch.no_grad()
def compare_with_forcing(
    model: Transformer, task: Task, words: Sequence[int], tape: Tapes = None
) -> tuple[Beside, ...]:
    """Teacher forcing beside decoding on the same words, row by row.

    Args:
        model: the Transformer; it is only run.
        task: the source, the begin token and the limit.
        words: ids (T,).
        tape: a maker of tapes for runs with edits or dropout; None for none.

    Returns:
        Both steps of each row, and the largest difference between their probabilities.

    Raises:
        GlassformerError: as `teacher_forced`.
    """
    forced = _one_pass(model, task, words, tape)  # (T, V)
    rows = rows_of(model, task.source_ids(model), tape)
    places = count_parts(range(len(words)), len(words))
    free = [rows([(task.start, *words[:place])])[0] for place in places]
    return tuple(
        Beside(step_of(one, word), step_of(other, word), largest_difference(one, other))
        for one, other, word in zip(forced, free, words, strict=True)
    )


def wrong_word(
    model: Transformer, task: Task, position: int, word: int, tape: Tapes = None
) -> WrongWord:
    """Forces a word at a position of the greedy translation and lets the rest follow.

    Args:
        model: the Transformer; it is only run.
        task: what is to be written.
        position: of the word, counted from 0.
        word: its id.
        tape: a maker of tapes for runs with edits or dropout; None for none.

    Returns:
        The translation without the word, the one that goes on from it, and the words of the first
        read after it.

    Raises:
        GlassformerError: `out_of_range` for a word that does not exist, a position that the
            translation does not have.
    """
    before = greedy(model, task, tape=tape)
    words = [step.chosen for step in before]
    replace(task, limit=len(words)).check(model, [word], [position])
    after = greedy(model, task, dict(enumerate([*words[:position], word])), tape)
    given = teacher_forced(model, task, [*words[:position], word, *words[position + 1 :]], tape)
    return WrongWord(position, word, before, after, given)


def most_harmful(
    model: Transformer, task: Task, words: Sequence[int], position: int,
    candidates: Sequence[int], tape: Tapes = None,
) -> int:  # fmt: skip
    """The candidate that, read at a position, makes the later words least likely.

    Args:
        model: the Transformer; it is only run.
        task: the source, the begin token and the limit.
        words: ids (T,) that are read.
        position: where the candidates stand in their place, counted from 0.
        candidates: ids.
        tape: a maker of tapes for runs with edits or dropout; None for none.

    Returns:
        The id with the largest sum of −ln p of the later words; of equal ones the first.

    Raises:
        GlassformerError: as `teacher_forced`.
        ValueError: there are no candidates.
    """

    def harm(candidate: int) -> float:
        read = [*words[:position], candidate, *words[position + 1 :]]
        later = teacher_forced(model, task, read, tape)[position + 1 :]
        return sum(map(_loss, later))

    return max(candidates, key=harm)


def _one_pass(model: Transformer, task: Task, words: Sequence[int], tape: Tapes) -> Tensor:
    task.check(model, words, range(len(words)))
    interruption.step()
    source_ids = task.source_ids(model)
    target_ids = source_ids.new_tensor([[task.start, *words[:-1]]])  # (1, T)
    logits: Tensor = model(source_ids, target_ids, tape() if tape else SILENT)  # (1, T, V)
    return logits[0, : len(words)]  # (T, V)


def _loss(step: Step) -> float:
    return -math.log(step.probability) if step.probability > 0 else math.inf


def _mean_loss(steps: Sequence[Step]) -> float:
    return sum(map(_loss, steps)) / len(steps) if steps else math.nan
