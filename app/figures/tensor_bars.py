"""A tensor with one number a position, and how the numbers of a tensor are distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, format_number, visible
from app.figures.tensor_axes import Side, corner, hover_text, rim, sheet_axes
from app.figures.theme import Look, base_layout

BAR_HEIGHT = 13  # pixels below which the numbers at the bars would overlap
FEW = 50  # values, whose counts are read on a plain scale
CROWDED = 0.8  # share of all values in one bin from which the counts are drawn on a log scale


def tensor_bars(
    values: np.ndarray,
    side: Side,
    role: str,
    word: str,
    look: Look,
    names: Sequence[str] | None = None,
    height: int = 420,
) -> go.Figure:
    """One bar a position, its number beside it.

    values: (rows,) numbers; NaN and ∞ are written without a bar. names: what the numbers
    stand for, where they are names and not amounts (token ids); written beside them, without bars.
    """
    lengths = np.where(np.isfinite(values) & (names is None), values, 0).astype(np.float32)
    where, nothing = hover_text(side, Side("", (1,))), Side("", (1,))
    exact = [_written(value, look, 9) for value in values.tolist()]
    bars = go.Bar(
        x=lengths,
        y=np.arange(len(side)),
        orientation="h",
        text=_texts(values, names, look) if height >= len(side) * look.px(BAR_HEIGHT) else None,
        textposition="outside",
        cliponaxis=False,
        customdata=exact,
        hovertemplate=f"{where}<br>{escape(word)} <b>%{{customdata}}</b><extra></extra>",
        marker={"color": look.colour(role), "line": {"width": 0}},
    )
    axes = sheet_axes(side, nothing, look, (500, height - 40))
    axes["xaxis"] |= _lengths_axis(lengths, look, shown=names is None)
    return go.Figure(
        [bars, rim()], base_layout(look, height, bargap=0.35, **axes, **corner(side.title, look))
    )


def _lengths_axis(lengths: np.ndarray, look: Look, shown: bool) -> dict[str, Any]:
    """From 0, or about 0 for signed values, with room for the numbers beside the bars."""
    reach = float(np.abs(lengths).max(initial=0)) or 1.0
    return {
        "range": [-1.25 * reach if lengths.min(initial=0) < 0 else 0.0, 1.25 * reach],
        "tickmode": "auto",
        "showticklabels": shown,
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "zeroline": True,
        "zerolinecolor": look.colour("line"),
    }


def _texts(values: np.ndarray, names: Sequence[str] | None, look: Look) -> list[str]:
    written = [_written(value, look) for value in values.tolist()]
    if names is None:
        return written
    return [f"{text}  {escape(visible(name))}" for text, name in zip(written, names, strict=True)]


def _written(value: float, look: Look, digits: int = 0) -> str:
    whole = int(value) if np.isfinite(value) and float(value).is_integer() else value
    return format_number(whole, digits or look.precision)


def tensor_histogram(
    edges: np.ndarray,
    counts: np.ndarray,
    role: str,
    words: tuple[str, str, str],
    look: Look,
    height: int = 190,
) -> go.Figure:
    """The distribution of a tensor's values.

    edges: (bins + 1,), counts: (bins,). words: "value", "how many", "how many (log scale)"; the
    scale of the counts is logarithmic where one bin would dwarf all others.
    """
    many = counts.sum() > FEW and (counts > 0).sum() > 1
    log = many and counts.max() > CROWDED * counts.sum()
    between = np.stack([edges[:-1], edges[1:]], axis=1).astype(np.float32)
    bars = go.Bar(
        x=between.mean(axis=1),
        y=counts.astype(np.int32),
        width=np.diff(edges).astype(np.float32),
        customdata=between,
        hovertemplate=f"{escape(words[0])} %{{customdata[0]:.4~g}} … %{{customdata[1]:.4~g}}"
        f"<br>{escape(words[1])} <b>%{{y}}</b><extra></extra>",
        marker={"color": look.colour(role), "line": {"width": 0}},
    )
    small = {"tickfont": {"size": look.px(12), "color": look.colour("faint")}}
    layout = base_layout(look, height, bargap=0)
    across = {"nticks": 5, "tickformat": "~g", "tickangle": 0}
    upwards = {
        "type": "log" if log else "linear",
        "dtick": 1 if log or counts.max(initial=0) <= 4 else None,
        "nticks": 4,
        "tickformat": "~s",
        "showgrid": True,
    }
    more = {
        "xaxis": layout["xaxis"] | small | across,
        "yaxis": layout["yaxis"] | small | upwards,
        "annotations": [_above(words[2] if log else words[1], look)],
        "margin": layout["margin"] | {"t": look.px(22)},
    }
    return go.Figure(bars, layout | more)


def _above(text: str, look: Look) -> dict[str, Any]:
    """What the counts are, level, at the top of their axis."""
    return {
        "text": escape(text),
        "font": {"size": look.px(12), "color": look.colour("faint")},
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
    }
