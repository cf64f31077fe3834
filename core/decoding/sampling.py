"""Decoding by lot: the next word is drawn from the cut that temperature, top-k and top-p made."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import torch
from torch import Tensor

from glassformer.core.decoding.cuts import Cut, Sampling, cut_of, draw_id
from glassformer.core.decoding.no_repeat import Watch
from glassformer.core.decoding.rows import Tapes, rows_of
from glassformer.core.decoding.step import NOTHING, Forced, Step, Task, step_of
from glassformer.core.interruption import count_parts
from glassformer.core.model.transformer import Transformer


@dataclass(frozen=True)
class SampledStep:
    """One step with what was cut away before it was drawn."""

    step: Step
    cut: Cut


@torch.no_grad()
def draw_samples(
    model: Transformer, task: Task, hows: Sequence[Sampling], tape: Tapes = None,
    forced: Forced = NOTHING, tell_given: bool = True,
) -> tuple[tuple[SampledStep, ...], ...]:  # fmt: skip
    """Draws a sentence for each of these, all at once: the same beginning is read once.

    Every step draws one lot, forced or not, so that the same seed goes on with the same lots.

    Args:
        model: the Transformer; it is only run.
        task: what is to be written.
        hows: temperature, top-k, top-p and seed of each sentence.
        tape: as in `greedy`.
        forced: as in `greedy`; the same for all sentences.
        tell_given: False leaves out the steps of the words that the task gives; their lots are
            drawn all the same.

    Returns:
        The steps of each sentence in the order of `hows`, each with what it could draw from.

    Raises:
        GlassformerError: `out_of_range` for a forced word or position that does not exist.
    """
    forced = task.forced(forced)
    task.check(model, forced.values(), forced)
    rows = rows_of(model, task.source_ids(model), tape, task.beginning)
    drawing = [_Drawing(task, how, () if tell_given else task.given) for how in hows]
    first = 0 if tell_given else len(task.given)
    for place in count_parts(range(first, task.limit), task.limit - first):
        live = [each for each in drawing if not each.done]
        if not live:
            break
        beginnings = [*dict.fromkeys(each.written for each in live)]
        logits = rows([(task.start, *each) for each in beginnings])  # (N, V)
        now = dict(zip(beginnings, logits, strict=True))
        cuts = dict[tuple[tuple[int, ...], Sampling], Cut]()
        for each in live:
            row, key = now[each.written], (each.written, replace(each.how, seed=0))
            if key not in cuts:
                cuts[key] = cut_of(row, each.how, 0.0, task.forbidden)
            each.go_on(row, cuts[key], forced.get(place))
    return tuple(tuple(each.steps) for each in drawing)


@dataclass
class _Drawing:
    """One sentence that is being drawn. before: its words that have no steps."""

    task: Task
    how: Sampling
    before: tuple[int, ...] = ()
    steps: list[SampledStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lots = islice(_lots(self.how.seed), len(self.before), None)
        self._watch = Watch(self.task.guard, self.task.end) if self.task.guard else None

    @property
    def written(self) -> tuple[int, ...]:
        """The ids so far."""
        return (*self.before, *(each.step.chosen for each in self.steps))

    @property
    def done(self) -> bool:
        """Whether the end was written."""
        return bool(self.steps) and self.task.ends(self.written[-1], len(self.written))

    def go_on(self, row: Tensor, cut: Cut, given: int | None) -> None:
        """The next word, from its logits (V,) and the cut through them."""
        cut = replace(cut, draw=next(self._lots))

        def redraw(without: Collection[int]) -> int:
            """What the lot takes; where none of the kept stays, the best other word."""
            taken = draw_id(cut, without)
            if taken is not None:
                return taken
            best = cut_of(row, Sampling(temperature=0), 0.0, {*self.task.forbidden, *without})
            return int(best.ids[0])

        taken, guarded = redraw(()), None
        if self._watch is not None:
            taken, guarded = self._watch.choose(taken, redraw, self.written)
        if given is not None:
            taken, guarded = given, None
        self.steps.append(SampledStep(step_of(row, taken, guarded=guarded), cut))


def _lots(seed: int) -> Iterator[float]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield float(torch.rand((), dtype=torch.float64, generator=generator))
