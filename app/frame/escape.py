"""One step out: the trail closes, an open block closes, otherwise what is pinned is released."""

from __future__ import annotations

from app.panels.provenance import close
from app.session import store
from app.session.state import State
from app.ui.component import component

_escape = component(__file__, "escape")


def listen() -> None:
    """Let the Escape key take one step out; call it once a run. It takes no room."""
    now = store.get_state()
    inside = now.trail is not None or _block_is_open(now) or is_pinned(now)
    _escape("bridge_escape", {"inside": inside}, out=lambda _: step_out())


def step_out() -> None:
    """Close the number trail, or the block that is open; where none is, release what is pinned."""
    if store.get_state().trail is not None:
        close()
    elif _block_is_open(store.get_state()):
        store.update(block="")
    else:
        release()


def release() -> None:
    """Let go of the pinned word and cell."""
    store.update(query=None, key=None, token=None)


def is_pinned(now: State) -> bool:
    """Whether a word or a cell, or a row or column of cells, is pinned."""
    return now.query is not None or now.key is not None or now.token is not None


def _block_is_open(now: State) -> bool:
    return now.block != "" and store.page() == ""  # only Translate shows it
