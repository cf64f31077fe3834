"""The terms of a number as signed bars, or the numbers visited; a click goes to a number."""

from __future__ import annotations

from typing import Any

from app.panels import provenance
from app.ui.component import component
from core.explain.provenance.node import Cell

_view = component(__file__, "trail_view")


def trail_view(key: str, data: dict[str, Any]) -> None:
    """Draw `data["rows"]` as terms, or `data["way"]` as the numbers visited.

    key: unique on the page. Texts go in as data: nothing of a user's is read as HTML.
    """
    _view(key, data, height="stretch", go=lambda sent: provenance.go(read_cell(sent)))


def read_cell(value: dict[str, Any]) -> Cell:
    """The cell that the browser sent."""
    return Cell(str(value["address"]), tuple(int(index) for index in value["index"]))
