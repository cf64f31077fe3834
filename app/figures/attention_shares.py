"""One cell of an attention map in every head of its layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import faded, head_colour
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout
from core.reading.attention_terms import CellOfHeads
from core.reading.attention_views import Numbers

ROOM = 1.35  # the axis in bars' lengths: beyond the longest stands its number


@dataclass(frozen=True)
class SharesTexts:
    """What the figure says, in the reader's language."""

    heads: Sequence[str]  # (H,) the names of the rows
    mean: str  # the label of the mean's line
    forbidden: str


def shares_figure(
    cell: CellOfHeads, stage: str, texts: SharesTexts, look: Look, height: int
) -> go.Figure:
    """One cell at one stage in each head, as bars in the heads' colours, with a line at the mean.

    Weights run from 0, scores to both sides of 0. A forbidden cell has a hatched band, no number.
    """
    values = np.where(cell.forbidden | ~np.isfinite(cell.values), np.nan, cell.values)
    ends = _ends(values, stage)
    layout = base_layout(
        look,
        height,
        template="none",
        barmode="overlay",
        xaxis=_value_axis(ends, look),
        yaxis=_head_axis(texts.heads, look),
        shapes=_mean_line(cell, look),
        annotations=[
            *_mean_label(cell, ends, texts.mean, look),
            *_numbers(cell, ends, texts, look),
        ],
    )
    traces = [_bars(values.astype(np.float32), look)]
    if cell.forbidden.any():
        traces.append(_hatched(cell.forbidden, ends, look))
    return go.Figure(traces, layout)


def _ends(values: Numbers, stage: str) -> tuple[float, float]:
    reach = ROOM * float(np.abs(np.nan_to_num(values)).max()) or 1.0
    return (0.0 if stage == "weights" else -reach, reach)


def _value_axis(ends: tuple[float, float], look: Look) -> dict[str, Any]:
    return {
        "range": list(ends),
        "showticklabels": False,
        "ticks": "",
        "showgrid": False,
        "zeroline": True,
        "zerolinecolor": look.colour("faint"),
        "zerolinewidth": 1,
        "fixedrange": True,
    }


def _bars(values: Numbers, look: Look) -> go.Bar:
    places = np.arange(len(values))
    return go.Bar(
        x=values,
        y=places,
        orientation="h",
        width=0.72,
        marker={"color": [head_colour(int(head), look.dark) for head in places]},
        hovertemplate="%{x:.7~g}<extra></extra>",
    )


def _hatched(forbidden: np.ndarray, ends: tuple[float, float], look: Look) -> go.Bar:
    """A band across the panel for each head that may not look, as in the matrix."""
    places = np.flatnonzero(forbidden)
    pattern = {"shape": "/", "size": 7, "solidity": 0.16, "fillmode": "replace"}
    pattern |= {"fgcolor": faded(look.colour("faint"), 0.6), "bgcolor": look.colour("panel")}
    return go.Bar(
        x=np.full(len(places), ends[1] - ends[0], np.float32),
        base=ends[0],
        y=places,
        orientation="h",
        width=0.72,
        marker={"color": look.colour("panel"), "pattern": pattern},
        hoverinfo="skip",
    )


def _numbers(
    cell: CellOfHeads, ends: tuple[float, float], texts: SharesTexts, look: Look
) -> list[dict[str, Any]]:
    """The value at the end of each bar, on the page's colour: the line of the mean stays behind."""
    notes = []
    for place, (value, struck) in enumerate(zip(cell.values, cell.forbidden, strict=True)):
        text = texts.forbidden if struck else format_number(float(value), look.precision)
        at = float(value) if np.isfinite(value) and not struck else 0.0
        note = {"x": at, "y": place, "text": escape(text), "showarrow": False, "borderpad": 1}
        note |= {"font": {"size": look.px(13)}, "bgcolor": look.colour("page")}
        side = ("right", -3) if at < 0 else ("left", 3)
        if struck:
            note["x"], side = sum(ends) / 2, ("center", 0)
        notes.append(note | {"xanchor": side[0], "xshift": side[1]})
    return notes


def _head_axis(names: Sequence[str], look: Look) -> dict[str, Any]:
    return {
        "range": [len(names) - 0.5, -1.2],  # the line's label stands above the first bar
        "tickvals": list(range(len(names))),
        "ticktext": [escape(name) for name in names],
        "tickfont": {"size": look.px(13)},
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _mean_line(cell: CellOfHeads, look: Look) -> list[dict[str, Any]]:
    if not np.isfinite(cell.mean):
        return []
    line = {"type": "line", "x0": cell.mean, "x1": cell.mean, "layer": "below"}
    line |= {"y0": -0.6, "y1": len(cell.values) - 0.4}
    return [line | {"line": {"color": look.colour("text"), "width": 1.5, "dash": "dot"}}]


def _mean_label(
    cell: CellOfHeads, ends: tuple[float, float], mean: str, look: Look
) -> list[dict[str, Any]]:
    if not np.isfinite(cell.mean):
        return []
    side = "left" if cell.mean < sum(ends) / 2 else "right"
    label = {"x": cell.mean, "y": -0.9, "text": escape(mean), "showarrow": False}
    return [label | {"font": {"size": look.px(12)}, "xanchor": side}]
