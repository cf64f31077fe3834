"""Greedy decoding: the most probable word, again and again, until the end.

A guard may stop it from going in circles.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import torch
from torch import Tensor

from core.decoding.guard import Guard, Watch
from core.decoding.step import Step, step_from
from core.model.masks import padding_mask
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
    """
    rows = _cached_rows(model, source_ids) if tape is None else _fresh_rows(model, source_ids, tape)
    watch = Watch(guard, end) if guard else None
    ids, steps = [start], list[Step]()
    while len(steps) < limit:
        step = step_from(rows(ids), forbidden, watch, ids[1:])
        steps.append(step)
        if step.chosen == end:
            break
        ids.append(step.chosen)
    return steps


def _cached_rows(model: Transformer, source_ids: Tensor) -> Callable[[list[int]], Tensor]:
    memory = model.encode(source_ids)  # (1, S, D)
    mask = padding_mask(source_ids, model.config.pad_id)  # (1, 1, 1, S)
    caches = model.new_caches()

    def last_row(ids: list[int]) -> Tensor:
        newest = source_ids.new_tensor([ids[-1:]])  # (1, 1)
        return model.step(newest, memory, mask, caches)[0, -1]  # (V,)

    return last_row


def _fresh_rows(
    model: Transformer, source_ids: Tensor, tape: Callable[[], Tape]
) -> Callable[[list[int]], Tensor]:
    def last_row(ids: list[int]) -> Tensor:
        row: Tensor = model(source_ids, source_ids.new_tensor([ids]), tape())[0, -1]  # (V,)
        return row

    return last_row
