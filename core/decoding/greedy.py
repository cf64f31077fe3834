"""Greedy decoding: the most probable word, again and again, until the end.

A guard may stop it from going in circles.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import torch
from torch import Tensor

from core.decoding.guard import Guard, Watch
from core.decoding.rows import rows_of
from core.decoding.step import Step, step_from, step_of
from core.decoding.task import NOTHING, Forced
from core.model.transformer import Transformer
from core.trace.tape import Tape


@torch.no_grad()
def greedy(
    model: Transformer,
    source_ids: Tensor,
    start: int,
    end: int,
    limit: int,
    forbidden: Collection[int] = (),
    tape: Callable[[], Tape] | None = None,
    guard: Guard | None = None,
    forced: Forced = NOTHING,
) -> list[Step]:
    """Decodes one sentence.

    Args:
        model: the Transformer.
        source_ids: (1, S).
        start: id of the begin token, here the language to write.
        end: id of the end token; it is the last step's choice unless the limit came first.
        limit: most steps to take.
        forbidden: ids that are never chosen, such as copy slots that the source does not have.
        tape: a maker of tapes for runs with edits or dropout. Each step then recomputes the whole
            pass on a tape of its own, for an edit may look at all rows; without one, keys and
            values are kept between steps.
        guard: forbids words that would close a circle; without one the decoder may loop.
        forced: words that are written at some positions whatever the model prefers.
    """
    rows = rows_of(model, source_ids, tape)
    watch = Watch(guard, end) if guard else None
    ids, steps = [start], list[Step]()
    while len(steps) < limit:
        row = rows([ids])[0]  # (V,)
        step = step_from(row, forbidden, watch, ids[1:])
        if (given := forced.get(len(steps))) is not None:
            step = step_of(row, given)
        steps.append(step)
        if step.chosen == end:
            break
        ids.append(step.chosen)
    return steps
