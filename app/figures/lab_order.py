"""A sentence and its words in another order: what the encoder gives for both, what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging, sequential
from app.figures.labels import escape, fitted, text_width, visible
from app.figures.theme import Look, base_layout, is_numbered, token_axis

TYPICAL = 1130  # pixels across, to turn a word's width into a share
LONGEST_WORD = 96  # pixels
ROW_GAP = 0.14  # between two rows of maps, as a share of the height
TOP = 26  # pixels above a row for its title


@dataclass(frozen=True)
class Row:
    """One encoder's three maps, (S, n) each: the sentence, the shuffled one, what is left over."""

    title: str
    good: bool  # nothing is left over
    still: np.ndarray
    moved: np.ndarray
    apart: np.ndarray


@dataclass(frozen=True)
class OrderTexts:
    """What the figure says."""

    heads: Sequence[str]  # above the three columns
    hover: str  # with {row} {column} {value}
    column: str  # with {at}; "" where the columns are words


def order_figure(
    rows: Sequence[Row],
    words: Sequence[str],
    order: Sequence[int],
    texts: OrderTexts,
    look: Look,
) -> go.Figure:
    """A row of three maps for each encoder; all numbers of a kind on one colour scale.

    words: of the sentence. order: which of them stands at each place of the shuffled one. Maps of
    weights are not negative and square, their columns are the words of their rows.
    """
    shuffled = [words[at] for at in order]
    layout = base_layout(look, margin=_margin(look), hovermode="closest")
    limit = max(float(np.abs(each.still).max()) for each in rows)
    plain = min(float(each.still.min()) for each in rows) >= 0
    left, wide = _columns(words, look)
    tall = (1 - ROW_GAP * (len(rows) - 1)) / len(rows)
    traces, titles = [], []
    for r, row in enumerate(rows):
        top = 1 - r * (tall + ROW_GAP)
        titles.append(_title(row, top, look))
        for c, values in enumerate((row.still, row.moved, row.apart)):
            names = shuffled if c else words
            number = 3 * r + c + 1
            axis = str(number) if number > 1 else ""
            layout[f"xaxis{axis}"] = _across(
                values.shape[1], () if texts.column else names, left[c], wide, axis
            )
            layout[f"yaxis{axis}"] = _down(names, c < 2, top, tall, axis, look)
            signed = c == 2 or not plain
            traces.append(_map(values, limit, signed, axis, texts, look))
    titles += [_head(text, x + wide / 2, look) for text, x in zip(texts.heads, left, strict=True)]
    layout["annotations"] = titles
    return go.Figure(traces, layout)


def _columns(words: Sequence[str], look: Look) -> tuple[list[float], float]:
    """Where the three columns begin, and their width, as shares."""
    longest = max((text_width(visible(word), look.px(12)) for word in words), default=0)
    names = (min(longest, look.px(LONGEST_WORD)) + 18) / TYPICAL
    wide = (1 - names - 0.02) / 3
    return [0, wide + names, 2 * wide + names + 0.02], wide


def _map(
    values: np.ndarray,
    limit: float,
    signed: bool,
    axis: str,
    texts: OrderTexts,
    look: Look,
) -> go.Heatmap:
    # Rows, and columns that are words, are named by the ticks of their axes.
    column = texts.column.format(at="%{x}") if texts.column else "%{x}"
    value = f"%{{z:.{look.precision}~g}}"
    said = texts.hover.format(row="%{y}", column=column, value=value)
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        x=np.arange(1, values.shape[1] + 1, dtype=np.float32),
        xaxis=f"x{axis}",
        yaxis=f"y{axis}",
        zmin=-limit if signed else 0,
        zmax=limit,
        colorscale=diverging(look.dark) if signed else sequential("weights", look.dark),
        showscale=False,
        xgap=0 if values.shape[1] > 40 else 1,
        ygap=1,
        hovertemplate=f"{said}<extra></extra>",
    )


def _across(size: int, names: Sequence[str], left: float, wide: float, axis: str) -> dict[str, Any]:
    """Without marks; the names are for the hover."""
    return {
        "domain": [left, left + wide],
        "anchor": f"y{axis}",
        "range": [0.5, size + 0.5],
        "showticklabels": False,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    } | _named(names, 1)


def _down(
    names: Sequence[str], named: bool, top: float, tall: float, axis: str, look: Look
) -> dict[str, Any]:
    drawn = token_axis(names, look, pixels=210, side="left")
    if not named:
        drawn |= _named(names, 0) | {"showticklabels": False}
    elif not is_numbered(drawn, names):
        drawn |= _named(names, 0)
    return drawn | {
        "domain": [max(top - tall, 0), top],
        "anchor": f"x{axis}",
        "automargin": False,
        "color": look.colour("text"),
        "showline": False,
    }


def _named(names: Sequence[str], first: int) -> dict[str, Any]:
    if not names:
        return {}
    shown = [escape(fitted(visible(name), 12, LONGEST_WORD)) for name in names]
    places = list(range(first, len(names) + first))
    return {"tickmode": "array", "tickvals": places, "ticktext": shown}


def _title(row: Row, top: float, look: Look) -> dict[str, Any]:
    return {
        "text": f"<b>{escape(row.title)}</b>",
        "x": 0,
        "y": top,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 2,
        "xshift": 0,
        "showarrow": False,
        "font": {"size": look.px(14), "color": look.colour("value" if row.good else "changed")},
    }


def _head(text: str, x: float, look: Look) -> dict[str, Any]:
    return {
        "text": escape(text),
        "x": x,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "yshift": look.px(TOP),
        "showarrow": False,
        "font": {"size": look.px(13), "color": look.colour("faint")},
    }


def _margin(look: Look) -> dict[str, int]:
    return {"l": look.px(LONGEST_WORD + 12), "r": 8, "t": look.px(TOP + 26), "b": 6, "pad": 2}
