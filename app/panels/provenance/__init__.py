"""Where the trail begins, how it goes on, and the numbers visited on the way."""

import streamlit as st

from glassformer.app.session import store
from glassformer.app.words import say
from glassformer.core.explain.provenance.node import Cell, Index

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
    store.memory().trail_opened = True
    store.update(trail=(address, tuple(map(int, index))), way=())


def redraw() -> None:
    """Run the whole page where the drawer was opened just now: it stands outside of fragments.

    For the first line of a fragment whose callbacks call `open_trail`.
    """
    if store.memory().trail_opened:
        store.memory().trail_opened = False
        st.rerun()


def close_drawer() -> None:
    """Close the drawer."""
    store.update(trail=None, way=())


def visited_cells() -> tuple[Cell, ...]:
    """The numbers on the way, the one in the drawer last."""
    now = store.get_state()
    return tuple(Cell(*cell) for cell in (*now.way, now.trail) if cell is not None)


def go_to_number(*cells: Cell) -> None:
    """Go on to a number by way of others; one that was visited before is gone back to."""
    way = [(cell.address, cell.index) for cell in visited_cells()]
    for cell in cells:
        place = (cell.address, cell.index)
        way = way[: way.index(place)] if place in way else way
        way.append(place)
    store.update(trail=way[-1], way=tuple(way[-LONGEST:-1]))
