"""Causal tracing of a whole model: all sweeps of both stacks, in computation order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.config import ModelConfig
from core.edits.sweep import Question, Side, Sweep, What, sweep, swept_addresses
from core.trace.sites import addresses
from core.trace.trace import Trace
from core.translator import Translator

PARTS: tuple[tuple[Side, What], ...] = (
    ("encoder", "state"), ("encoder", "self_attention"), ("encoder", "feed_forward"),
    ("decoder", "state"), ("decoder", "self_attention"), ("decoder", "cross_attention"),
    ("decoder", "feed_forward"),
)  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """One stack: a row a patched tensor, in computation order, a column a word."""

    addresses: tuple[str, ...]
    tokens: tuple[str, ...]
    restored: Tensor  # (addresses, positions): 0 nothing came across, 1 all of it
    probabilities: Tensor  # the same of p(answer), 0..1


@dataclass(frozen=True)
class Tracing:
    """What was found so far, as values that are never written to."""

    config: ModelConfig
    sweeps: Mapping[tuple[Side, What], Sweep] = field(default_factory=dict)

    @property
    def question(self) -> Question:
        """The word that is watched, the same in all sweeps."""
        return self._first.question

    @property
    def ends(self) -> tuple[float, float]:
        """The score of the sentence and of the other one, as in `Sweep`, in nats."""
        return self._first.plain, self._first.other

    @property
    def done(self) -> int:
        """How many tensors were patched, at every word."""
        return sum(each.done for each in self.sweeps.values())

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(len(swept_addresses(self.config, *part)) for part in PARTS)

    def grid(self, side: Side) -> Grid | None:
        """The rows of a stack that are done; None before the first."""
        parts = [each for (where, _), each in self.sweeps.items() if where == side]
        if not parts:
            return None
        rows = {
            address: (restored, probabilities)
            for each in parts
            for address, restored, probabilities in zip(
                each.addresses, each.restored, each.probabilities, strict=False
            )
        }
        ordered = [address for address in addresses(self.config) if address in rows]
        return Grid(
            tuple(ordered),
            parts[0].tokens,
            torch.stack([rows[each][0] for each in ordered]),
            torch.stack([rows[each][1] for each in ordered]),
        )

    @property
    def _first(self) -> Sweep:
        return next(iter(self.sweeps.values()))


def causal_tracing(
    model: Translator,
    plain: Trace,
    other: Trace,
    row: int | None = None,
    so_far: Tracing | None = None,
) -> Iterator[Tracing]:
    """Every sweep of `PARTS`, one after the other; reports after each tensor.

    so_far: a tracing of the same question that was interrupted: its finished sweeps are kept.
    Raises what `sweep` raises.
    """
    kept = {part: each for part, each in (so_far.sweeps if so_far else {}).items() if _whole(each)}
    found = Tracing(model.config, kept)
    for part in PARTS:
        if part in kept:
            continue
        for each in sweep(model, plain, other, row, *part):
            found = Tracing(model.config, {**found.sweeps, part: each})
            yield found
    if len(kept) == len(PARTS):
        yield found


def _whole(each: Sweep) -> bool:
    return each.done == each.total
