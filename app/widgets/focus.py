"""What every picture of the run on screen starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from app import service, state
from app.figures.theme import Look
from app.widgets.chart import current_look
from core.trace.trace import Trace


@dataclass(frozen=True)
class OnScreen:
    """The state, the run and the reader's look; a page's own focus adds what it reads off them."""

    now: state.State
    trace: Trace
    look: Look

    @classmethod
    def current(cls) -> Self:
        """The focus of this session."""
        return cls(state.get_state(), service.on_screen(), current_look())
