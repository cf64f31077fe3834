"""A tensor as a heat map or as bars, and how its numbers are distributed.

Signed values on the diverging scale about 0, the others on the role's colour from 0. What the
attention mask forbids is hatched and takes no part in the scale; NaN and ∞ are crossed out.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.plots import drawing as go
from app.plots.axes import Side, corner, hover_text, rim, sheet_axes
from app.plots.bars import row_bars
from app.plots.heat import crosses, gaps, heat_map, no_numbers, silent
from app.plots.labels import MINUS, escape, format_number, visible
from app.plots.marks import note
from app.plots.theme import FigureStyle, base_layout, colour_bar, hatching

CELL_WIDTH, CELL_HEIGHT = 42, 19  # pixels a number needs to be written in its cell
MOST_DECIMALS, LARGEST = 3, 9999.5  # numbers too long for a cell; the hover has every digit
HEIGHT = 420  # pixels of the picture
INNER = (530, 360)  # pixels, about, that the labels and the colour bar leave of it
BAR_HEIGHT = 13  # pixels below which the numbers at the bars would overlap
FEW = 50  # values, whose counts are read on a plain scale
CROWDED = 0.8  # share of all values in one bin from which the counts are drawn on a log scale


def tensor_heatmap(
    values: np.ndarray,
    allowed: np.ndarray | None,
    sides: tuple[Side, Side],
    limits: tuple[float, float],
    role: str,
    words: tuple[str, str],
    look: FigureStyle,
) -> go.Figure:
    """The picture of a sheet.

    values, allowed: (rows, columns), float32 and False where hatched. sides: the rows and the
    columns. limits: of the colour scale, the first below 0 for signed values. role: whose colour
    unsigned values have. words: the hover's words for "value" and "masked".
    """
    said = np.ones(values.shape, bool) if allowed is None else allowed
    shown = np.where(said & np.isfinite(values), values, np.nan).astype(np.float32)
    where, panel = hover_text(*sides), look.colour("panel")
    said_cells = f"{where}<br>{escape(words[0])} <b>%{{z:.9~g}}</b><extra></extra>"
    more = gaps(shown.shape) | _numbers(shown, limits, look)
    more |= {"colorbar": colour_bar(look), "hoverongaps": False, "hovertemplate": said_cells}
    cells = heat_map(shown, limits, look, role, **more)
    drawn: list[go.Trace] = [cells]
    if not said.all():
        fill = f"{where}<br>{escape(words[1])} {_fill(values, said)}"
        drawn += [silent(~said, panel, fill), hatching(said, look)]
    for kind, lost in no_numbers(values, said):
        hover = f"{where}<br>{escape(words[0])} <b>{kind}</b>"
        drawn += [silent(lost, panel, hover), crosses(lost, look)]
    axes = sheet_axes(*sides, look, INNER)
    layout = base_layout(look, HEIGHT, **axes, **corner(sides[0].title, look))
    return go.Figure([*drawn, rim()], layout)


def _numbers(shown: np.ndarray, limits: tuple[float, float], look: FigureStyle) -> dict[str, Any]:
    """The numbers themselves where every cell has the room for one."""
    rows, columns = shown.shape
    if INNER[0] / columns < look.px(CELL_WIDTH):
        return {}
    if INNER[1] / rows < look.px(CELL_HEIGHT):
        return {}
    decimals = _decimals(max(map(abs, limits)))
    if decimals is None:
        return {}
    texts = [[_short(float(value), decimals) for value in row] for row in shown]
    return {"text": texts, "texttemplate": "%{text}", "textfont": {"size": look.px(12)}}


def _decimals(reach: float) -> int | None:
    """The same decimals in all cells, two or three digits for the largest; None if too long."""
    decimals = max(0, 1 - math.floor(math.log10(reach)))
    decimals = 2 if decimals == 1 and reach < 10 else decimals
    return decimals if decimals <= MOST_DECIMALS and reach < LARGEST else None


def _short(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return ""
    written = f"{value:.{decimals}f}"
    return written.lstrip("-") if float(written) == 0 else written.replace("-", MINUS)


def _fill(values: np.ndarray, said: np.ndarray) -> str:
    """What the masked cells hold, where all hold the same."""
    fills = np.unique(values[~said])
    return f"<b>{format_number(float(fills[0]), 9)}</b>" if len(fills) == 1 else ""


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
    layout = base_layout(look, HEIGHT, bargap=0.35, **axes, **corner(side.title, look))
    return go.Figure([bars, rim()], layout)


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
    layout["annotations"] = [note(escape(words[2 if log else 1]), look, 0, 1, 12, "faint")]
    layout["margin"] |= {"t": look.px(22)}
    return go.Figure(bars, layout)
