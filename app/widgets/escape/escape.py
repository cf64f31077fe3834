"""One step out: the trail closes, an open block closes, otherwise what is pinned is released."""

from __future__ import annotations

from app import state
from app.widgets.component import component
from app.widgets.trail.opening import close

_escape = component(__file__, "escape")


def listen() -> None:
    """Let the Escape key take one step out; call it once a run. It takes no room."""
    now = state.get_state()
    _escape(
        key="bridge_escape",
        data={"inside": now.trail is not None or _block_is_open(now) or is_pinned(now)},
        on_out_change=step_out,
    )


def step_out() -> None:
    """Close the number trail, or the block that is open; where none is, release what is pinned."""
    if state.get_state().trail is not None:
        close()
    elif _block_is_open(state.get_state()):
        state.update(block="")
    else:
        release()


def release() -> None:
    """Let go of the pinned word and cell."""
    state.update(query=None, key=None, token=None)


def is_pinned(now: state.State) -> bool:
    """Whether a word or a cell, or a row or column of cells, is pinned."""
    return now.query is not None or now.key is not None or now.token is not None


def _block_is_open(now: state.State) -> bool:
    return now.block != "" and state.page() == ""  # only Translate shows it
