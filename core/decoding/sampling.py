"""Decoding by lot: the next word is drawn from the cut that temperature, top-k and top-p made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from core.decoding.cuts import Cut, Sampling, cut_of, drawn
from core.decoding.no_repeat import Watch
from core.decoding.rows import rows_of
from core.decoding.step import NOTHING, Forced, Step, Task, step_of
from core.interruption import counted
from core.model.transformer import Transformer
from core.trace.tape import Tape


@dataclass(frozen=True)
class SampledStep:
    """One step with what was cut away before it was drawn."""

    step: Step
    cut: Cut


def sample(
    model: Transformer,
    task: Task,
    how: Sampling,
    tape: Callable[[], Tape] | None = None,
    forced: Forced = NOTHING,
) -> tuple[SampledStep, ...]:
    """Draws one sentence, word by word; `tape` and `forced` as in `greedy`.

    Every step draws one lot, forced or not, so that the same seed goes on with the same lots.
    """
    return samples(model, task, [how], tape, forced)[0]


@torch.no_grad()
def samples(
    model: Transformer,
    task: Task,
    hows: Sequence[Sampling],
    tape: Callable[[], Tape] | None = None,
    forced: Forced = NOTHING,
) -> tuple[tuple[SampledStep, ...], ...]:
    """Draws a sentence for each of these, all at once: the same beginning is read once."""
    task.check(model, forced.values(), forced)
    rows = rows_of(model, task.source_ids(model), tape)
    drawing = [_Drawing(task, how) for how in hows]
    for place in counted(range(task.limit), task.limit):
        live = [each for each in drawing if not each.done]
        if not live:
            break
        beginnings = list(dict.fromkeys(tuple(each.written) for each in live))
        logits = rows([(task.start, *each) for each in beginnings])  # (N, V)
        now = dict(zip(beginnings, logits, strict=True))
        cuts = dict[tuple[tuple[int, ...], Sampling], Cut]()
        for each in live:
            row, key = now[tuple(each.written)], (tuple(each.written), replace(each.how, seed=0))
            if key not in cuts:
                cuts[key] = cut_of(row, each.how, 0.0, task.forbidden)
            each.go_on(row, cuts[key], forced.get(place))
    return tuple(tuple(each.steps) for each in drawing)


@dataclass
class _Drawing:
    """One sentence that is being drawn."""

    task: Task
    how: Sampling
    written: list[int] = field(default_factory=list)
    steps: list[SampledStep] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        self._lots = _lots(self.how.seed)
        self._watch = Watch(self.task.guard, self.task.end) if self.task.guard else None

    def go_on(self, row: Tensor, cut: Cut, given: int | None) -> None:
        """The next word, from its logits (V,) and the cut through them."""
        cut = replace(cut, draw=next(self._lots))
        redraw = _redraw(row, cut, self.task.forbidden)
        taken, guarded = redraw(()), None
        if self._watch is not None:
            taken, guarded = self._watch.choose(taken, redraw, self.written)
        if given is not None:
            taken, guarded = given, None
        self.steps.append(SampledStep(step_of(row, taken, guarded=guarded), cut))
        self.done = taken == self.task.end
        self.written.append(taken)


def _redraw(row: Tensor, cut: Cut, forbidden: Collection[int]) -> Callable[[Collection[int]], int]:
    """What the lot takes without some words; where none of the kept stays, the best other."""

    def best_but(also: Collection[int]) -> int:
        taken = drawn(cut, also)
        if taken is not None:
            return taken
        return cut_of(row, Sampling(temperature=0), 0.0, {*forbidden, *also}).words[0].id

    return best_but


def _lots(seed: int) -> Iterator[float]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield float(torch.rand((), dtype=torch.float64, generator=generator))
