"""Where the reader stands in the training, and going elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from app import service, state
from app.figures.theme import Look
from app.widgets.chart import current_look
from core.errors import GlassformerError
from core.history import History
from core.reading.training_views import Replay
from core.trace.trace import Trace


@dataclass(frozen=True)
class Training:
    """What the panels of the page share."""

    now: state.State
    trace: Trace  # the sentence at the step in view
    end: Trace  # the sentence at the end of the training
    history: History
    replay: Replay
    look: Look

    @staticmethod
    def current() -> Training | None:
        """What there is to show; None for a model without history.

        A sentence that cannot be translated leaves the last good one on screen.
        Raises GlassformerError where history or snapshots cannot be read.
        """
        now = state.get_state()
        history = service.get_history(now.model)
        if history is None or not history.steps:
            return None
        try:
            replay = service.get_replay(now.text, now.direction, now.model)
            end = service.get_trace(now.text, now.direction, now.model)
            state.keep("replay", (now.model, replay, end))
        except GlassformerError:
            model, replay, end = state.kept("replay", ("", None, None))
            if replay is None or model != now.model:
                raise
        if replay is None:
            return None
        return Training(now, service.on_screen(), end, history, replay, current_look())

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps that have a snapshot, the end last."""
        return self.replay.steps

    @property
    def place(self) -> int:
        """Which of the steps is in view."""
        return self.steps.index(int(self.now.step)) if self.now.step else len(self.steps) - 1

    def goer(self) -> Callable[[int], None]:
        """A callback that goes to one of the steps by its place."""
        return goer(self.steps)


def goer(steps: Sequence[int]) -> Callable[[int], None]:
    """A callback that goes to one of these steps; the last one is the end: links leave it out."""

    def go(place: int) -> None:
        state.update(step="" if place == len(steps) - 1 else str(steps[place]))

    return go
