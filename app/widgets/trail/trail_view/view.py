"""The terms of a number as signed bars, or the numbers visited; a click goes to a number."""

from __future__ import annotations

from typing import Any

from app import state
from app.figures.theme import Look
from app.widgets.component import component
from app.widgets.trail import opening
from core.trail.terms import Cell

_view = component(__file__, "trail_view")


def trail_view(key: str, data: dict[str, Any], look: Look) -> None:
    """Draw `data["rows"]` as terms, or `data["way"]` as the numbers visited.

    key: unique on the page. Texts go in as data: nothing of a user's is read as HTML.
    """

    def gone() -> None:
        value = state.trigger(key, "go")
        if value:
            opening.go(read_cell(value))

    colours = {
        "up": look.colour("key"), "down": look.colour("query"), "grey": look.colour("faint"),
        "own": look.colour("weights"),
    }  # fmt: skip
    _view(key=key, data={**data, "colours": colours}, on_go_change=gone, height="stretch")


def read_cell(value: dict[str, Any]) -> Cell:
    """The cell that the browser sent."""
    return Cell(str(value["address"]), tuple(int(index) for index in value["index"]))
