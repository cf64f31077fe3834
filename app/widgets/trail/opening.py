"""Where the trail begins, how it goes on, and the numbers visited on the way."""

from __future__ import annotations

import streamlit as st

from app import service, state
from app.words import say
from core.trail.terms import Cell, Index

VISITED = "trail"  # the cells of the way, the first one opened first
OPENED = "trail_opened"
LONGEST = 200  # cells that are remembered


def open_button(address: str, index: Index, key: str) -> None:
    """Draw the button that opens the drawer for one recorded number.

    address: of the tensor. index: an entry for each axis, the batch too. key: unique on the page.
    """
    label, why = say("trail.open"), say("trail.open_help")
    icon = ":material/account_tree:"
    if st.button(label, key=key, help=why, type="tertiary", icon=icon):
        open_trail(address, index)
        redraw()


def open_trail(address: str, index: Index) -> None:
    """Open the drawer for a number, for callbacks; an earlier trail is forgotten."""
    start = (address, tuple(map(int, index)))
    _keep((start,))
    state.keep(OPENED, True)
    state.update(trail=start)


def redraw() -> None:
    """Run the whole page where the drawer was opened just now: it stands outside of fragments.

    For the first line of a fragment whose callbacks call `open_trail`.
    """
    if state.kept(OPENED):
        state.keep(OPENED, False)
        st.rerun()


def close() -> None:
    """Close the drawer."""
    _keep(())
    state.update(trail=None)


def visited() -> tuple[Cell, ...]:
    """The numbers on the way, the one in the drawer last."""
    now = state.get_state().trail
    if now is None:
        return ()
    run, cells = state.kept(VISITED, (None, ()))
    if run != _run() or now not in cells:  # from a link, or by the browser's back button
        cells = (now,)
    return tuple(Cell(*cell) for cell in cells[: cells.index(now) + 1])


def go(*cells: Cell) -> None:
    """Go on to a number by way of others; one that was visited before is gone back to."""
    way = [(cell.address, cell.index) for cell in visited()]
    for cell in cells:
        place = (cell.address, cell.index)
        way = way[: way.index(place)] if place in way else way
        way.append(place)
    _keep(tuple(way[-LONGEST:]))
    state.update(trail=way[-1])


def _keep(way: tuple[tuple[str, Index], ...]) -> None:
    state.keep(VISITED, (_run(), way))


def _run() -> tuple[str, ...]:
    """What tells a run from others: a place of one may not exist in another."""
    now, file = state.get_state(), service.file()
    return now.text, now.direction, now.model, now.step, file.mark if file else ""
