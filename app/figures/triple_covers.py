"""What lies over the cells of two runs that are no numbers: hatching, grey, crosses."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import faded
from app.figures.labels import escape
from app.figures.theme import Look, hatching
from app.figures.triple_layout import axis_names
from core.reading.beside import Beside


def covers(
    found: Beside, at: int, forbidden_words: str, only: tuple[str, str], look: Look
) -> list[Any]:
    """The covers of a picture (0, 1; 2 is the difference); each answers hover.

    forbidden_words: of a cell that the mask forbids. only: of one that a single run has.
    """
    there, other = found.there
    shown = there & other if at == 2 else found.there[at]
    free = found.compared if at == 2 else found.said[at]
    values = (*found.values, found.difference)[at]
    forbidden, gone = shown & ~free, ~shown
    lost = shown & free & ~np.isfinite(values)
    x, y, _, _ = axis_names(at)
    laid: list[Any] = []
    if forbidden.any():
        hatched = hatching(~forbidden, look) | {"xaxis": x, "yaxis": y}
        laid += [_silent(forbidden, forbidden_words, look, at), hatched]
    for run, alone in enumerate((there & ~other, other & ~there)):
        cells = gone & alone
        if cells.any():
            laid.append(_silent(cells, only[run], look, at, "line"))
    for name, cells in _kinds(values, lost):
        laid += [_silent(cells, name, look, at), _crosses(cells, look, at)]
    return laid


def _kinds(values: np.ndarray, lost: np.ndarray) -> list[tuple[str, np.ndarray]]:
    kinds = (("NaN", np.isnan), ("∞", np.isposinf), ("−∞", np.isneginf))
    return [(name, lost & test(values)) for name, test in kinds if (lost & test(values)).any()]


def _silent(cells: np.ndarray, said: str, look: Look, at: int, role: str = "panel") -> go.Heatmap:
    x, y, _, _ = axis_names(at)
    colour = look.colour(role) if role == "panel" else faded(look.colour(role), 0.75)
    return go.Heatmap(
        z=np.where(cells, 1.0, np.nan).astype(np.float32),
        xaxis=x,
        yaxis=y,
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        hoverongaps=False,
        hovertemplate=f"<b>%{{y}}</b> · <b>%{{x}}</b><br>{escape(said)}<extra></extra>",
    )


def _crosses(cells: np.ndarray, look: Look, at: int) -> go.Scatter:
    down, across = np.nonzero(cells)
    x, y, _, _ = axis_names(at)
    line = {"width": 2, "color": look.colour("changed")}
    return go.Scatter(
        x=across.astype(np.float32),
        y=down.astype(np.float32),
        xaxis=x,
        yaxis=y,
        mode="markers",
        marker={"symbol": "x-thin", "size": look.px(9), "line": line},
        hoverinfo="skip",
    )
