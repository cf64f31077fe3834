"""A tensor of one axis as bars, and how the numbers of any are distributed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import Side, corner_title, hover_text, outer_axes, sheet_axes
from glassformer.app.plots.bars import row_bars
from glassformer.app.plots.labels import escape, format_number, visible
from glassformer.app.plots.marks import annotate_at
from glassformer.app.plots.sheet import HEIGHT
from glassformer.app.plots.theme import FigureStyle, base_layout

BAR_HEIGHT = 13  # pixels below which the numbers at the bars would overlap
FEW = 50  # values, whose counts are read on a plain scale
CROWDED = 0.8  # share of all values in one bin from which the counts are drawn on a log scale


def tensor_bars(
    values: np.ndarray,
    side: Side,
    role: str,
    word: str,
    look: FigureStyle,
    names: Sequence[str] | None = None,
) -> go.Figure:
    """One bar a position, its number beside it.

    values: (rows,) numbers; NaN and ∞ are written without a bar. names: what the numbers
    stand for, where they are names and not amounts (token ids); written beside them, without bars.
    """
    lengths = np.where(np.isfinite(values) & (names is None), values, 0).astype(np.float32)
    nothing = Side("", (1,))
    exact = [_written(value, 9) for value in values.tolist()]
    texts = [_written(value, look.precision) for value in values.tolist()]
    if names is not None:
        pairs = zip(texts, names, strict=True)
        texts = [f"{text}  {escape(visible(name))}" for text, name in pairs]
    bars = row_bars(
        lengths,
        texts if len(side) * look.px(BAR_HEIGHT) <= HEIGHT else None,
        (),
        look,
        textfont=None,
        customdata=exact,
        hovertemplate=f"{hover_text(side, nothing)}<br>{escape(word)} <b>%{{customdata}}</b>"
        "<extra></extra>",
        marker={"color": look.colour(role), "line": {"width": 0}},
    )
    axes = sheet_axes(side, nothing, look, (500, HEIGHT - 40))
    axes["xaxis"] |= _lengths_axis(lengths, look, shown=names is None)
    layout = base_layout(look, HEIGHT, bargap=0.35, **axes, **corner_title(side.title, look))
    return go.Figure([bars, outer_axes()], layout)


def _lengths_axis(lengths: np.ndarray, look: FigureStyle, shown: bool) -> dict[str, Any]:
    """From 0, or about 0 for signed values, with room for the numbers beside the bars."""
    reach = float(np.abs(lengths).max(initial=0)) or 1.0
    return {
        "range": [-1.25 * reach if lengths.min(initial=0) < 0 else 0.0, 1.25 * reach],
        "tickmode": "auto",
        "showticklabels": shown,
        "tickfont": look.font(12, "faint"),
        "zeroline": True,
        "zerolinecolor": look.colour("line"),
    }


def _written(value: float, digits: int) -> str:
    whole = int(value) if np.isfinite(value) and float(value).is_integer() else value
    return format_number(whole, digits)


def tensor_histogram(
    edges: np.ndarray,
    counts: np.ndarray,
    role: str,
    words: tuple[str, str, str],
    look: FigureStyle,
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
    layout = base_layout(look, height, bargap=0)
    small = {"tickfont": look.font(12, "faint")}
    layout["xaxis"] |= small | {"nticks": 5, "tickformat": "~g", "tickangle": 0}
    layout["yaxis"] |= small | {
        "type": "log" if log else "linear",
        "dtick": 1 if log or counts.max(initial=0) <= 4 else None,
        "nticks": 4,
        "tickformat": "~s",
        "showgrid": True,
    }
    # What the counts are, level, at the top of their axis.
    layout["annotations"] = [annotate_at(escape(words[2 if log else 1]), look, 0, 1, 12, "faint")]
    layout["margin"] |= {"t": look.px(22)}
    return go.Figure(bars, layout)
