"""Sentences typed for a padded batch: which can be read, and their runs in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app import experiments, service, state
from core.edits import Experiment
from core.edits.masks import PaddingOff
from core.edits.padding import InBatch
from core.errors import GlassformerError
from core.trace.trace import Trace

MOST = 8
SIDES: tuple[Literal["source", "target"], ...] = ("source", "target")
FIRST = {
    "en": (
        "I have a cat",
        "I love machine learning",
        "She likes tea",
        "The animal didn't cross the street because it was too tired",
    ),
    "zh": (
        "我喜欢猫",
        "欢迎来到北京",
        "我爱机器学习",
        "他昨天在图书馆读了一本有意思的书",
    ),
}
Refused = tuple[int, str, GlassformerError | None]  # number and text of a line, and why


@dataclass(frozen=True)
class Batch:
    """The sentences that can be read, with their runs: alone, masked, and as it is switched."""

    alone: tuple[Trace, ...]
    masked: tuple[InBatch, ...]
    switched: tuple[InBatch, ...]
    off: tuple[str, ...]  # the sides whose padding mask is off


def typed() -> str:
    """The lines on screen; where none were typed, a few in the direction of the state."""
    now = state.get_state()
    if now.batch.strip():
        return now.batch
    chinese = now.direction == "zh-en" or (
        now.direction == "auto" and service.on_screen().direction.startswith("zh")
    )
    return "\n".join(FIRST["zh" if chinese else "en"])


def read(text: str) -> tuple[list[Trace], list[Refused]]:
    """The runs of the lines that can be read; number, text and error of the others.

    No error stands for a line beyond the eighth.
    """
    direction = state.get_state().direction
    good: list[Trace] = []
    bad: list[Refused] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if len(good) == MOST:
            bad.append((number, line, None))
            continue
        try:
            good.append(service.get_trace(line, direction, *service.made_by()))
        except GlassformerError as error:
            bad.append((number, line, error))
    return good, bad


def off_sides() -> tuple[Literal["source", "target"], ...]:
    """The sides whose padding mask the experiment takes away."""
    switches = experiments.now().switches
    return tuple(side for side in SIDES if PaddingOff(side) in switches)


def others_switched() -> bool:
    """Whether the experiment has switches that this page leaves out."""
    return len(experiments.now().switches) > len(off_sides())


def batch_of(traces: list[Trace]) -> Batch:
    """Both passes over the batch."""
    off, place = off_sides(), service.made_by()
    switches = Experiment(tuple(PaddingOff(side) for side in off))
    masked, switched = (
        service.get_batch(asked, traces, *place) for asked in (Experiment(), switches)
    )
    return Batch(tuple(traces), masked, switched, off)
