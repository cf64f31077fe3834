"""The places of the page: columns as high as the window, so that nothing needs to be scrolled."""

from __future__ import annotations

from app import state
from app.state import State
from app.widgets.chart import current_look
from app.widgets.style import put_sheet

ABOVE = 15.6  # rem that the frame and the translation take
ABOVE_COMPACT = 14.4  # the same with the compact translation of large type


def apply_layout() -> None:
    """Put the page's own style sheet on it."""
    above = ABOVE_COMPACT if is_large(state.get_state()) else ABOVE
    page = current_look().colour("page")
    own = f":root {{ --translate-above: {above}rem; --translate-page: {page}; }}"
    put_sheet(__file__, "layout.css", own)


def is_large(now: State) -> bool:
    """Whether the type is so large that the words need the room of everything else."""
    return now.size > 100
