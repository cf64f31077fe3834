"""One head, large: who looks (down) at whom (across), and how spread out each row is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.colours import Scale, diverging_scale, mix_colours, sequential
from glassformer.app.plots.heat import GAPS_UP_TO, heat_map
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import (
    axis_title,
    cell_frame,
    colour_label,
    frame_cells,
    grey_labels,
    hover_texts,
    row_title,
    word_pairs,
)
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    colour_bar,
    hatch_cells,
    is_numbered,
    token_axis,
)
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import HeadMap, Numbers, Side

SPREAD_FROM = 0.885  # where the bars of the rows' spread begin, as a share of the width
GAP = 0.02  # between the cells and the bars
CELLS = (0, 1)  # the figure's traces that are cells: words, sinks
GREYED = 0.8  # of the way to grey; the rest keeps the sign of a score


@dataclass(frozen=True)
class MapLayout:
    """What is marked, and how large the figure is, in pixels."""

    pinned: tuple[int, int] | None = None  # (query, key)
    without_sinks: bool = False  # the colours are scaled by the other words alone
    width: int = 620
    height: int = 560

    @property
    def columns_width(self) -> float:
        """Pixels across for the words: without the row labels and the bars."""
        return self.width * SPREAD_FROM - 90

    @property
    def rows_height(self) -> float:
        """Pixels down for the words: without the column labels and the colour bar."""
        return self.height - 120


def map_figure(
    view: HeadMap, sides: tuple[Side, Side], stage: str, look: FigureStyle, layout: MapLayout
) -> go.Figure:
    """The heat map of one head at one stage, with the spread of its weights beside the rows.

    Weights run from 0 to the largest; scores are symmetric about 0. Sinks are grey. Where the mask
    has been applied, forbidden cells are hatched; their number still answers hover.
    """
    words = None
    if any(numbered_axes(sides, look, layout)):
        words = np.array(word_pairs(sides[0].labels, sides[1].tokens), dtype=object)  # (T, S)
    limits = colour_limits(view, sides, stage, layout.without_sinks)
    traces: list[go.Trace] = [
        _cells(cells_of(view.values, sides, grey), stage, grey, limits, words, look)
        for grey in (False, True)
    ]
    if stage in ("masked", "weights") and not view.allowed.all():
        traces.append(hatch_cells(view.allowed, look))
    return go.Figure([*traces, *_spread(view, look)], _layout(view, sides, look, layout))


def words_axis(
    side: Side, pinned: int | None, role: str, look: FigureStyle, pixels: float
) -> dict[str, Any]:
    """The words down ("query") or across ("key"): sinks in grey, the pinned one in its colour."""
    axis = _fitting(side, role, look, pixels)
    places, labels = axis["tickvals"], axis["ticktext"]
    if side.first and is_numbered(axis, side.labels):
        labels[:] = [str(int(label) + side.first) for label in labels]
    if pinned is not None and pinned not in places:  # numbered instead of the ticks nearby
        room = places[1] - places[0] if len(places) > 1 else 1
        ticks = [tick for tick in zip(places, labels, strict=True) if abs(tick[0] - pinned) >= room]
        ticks = sorted([*ticks, (pinned, str(side.first + pinned + 1))])
        places[:], labels[:] = [at for at, _ in ticks], [label for _, label in ticks]
    if pinned is not None:
        at = places.index(pinned)
        labels[at] = colour_label(f"<b>{labels[at]}</b>", look.colour(role))
    return grey_labels(axis, side.sinks - {pinned}, look)


def numbered_axes(
    sides: tuple[Side, Side], look: FigureStyle, layout: MapLayout
) -> tuple[bool, bool]:
    """Whether the rows, and the columns, have no room for their words and show numbers instead."""
    (rows, columns), width = sides, layout.columns_width
    return (
        is_numbered(_fitting(rows, "query", look, layout.rows_height), rows.labels),
        is_numbered(_fitting(columns, "key", look, width), columns.labels),
    )


def _fitting(side: Side, role: str, look: FigureStyle, pixels: float) -> dict[str, Any]:
    where = "left" if role == "query" else "top"
    axes = [token_axis(side.labels, each, pixels, where) for each in look.smaller()]
    return next((axis for axis in axes if not is_numbered(axis, side.labels)), axes[0])


def _cells(
    cells: np.ndarray, stage: str, grey: bool, limits: tuple[float, float],
    words: np.ndarray | None, look: FigureStyle,
) -> go.Heatmap:  # fmt: skip
    # Python sends no token per cell: plotly.js writes the label of a tick for %{x} and %{y}.
    names = "%{text}" if words is not None else "<b>%{y}</b> → <b>%{x}</b>"
    gap, number = int(max(cells.shape) <= GAPS_UP_TO), say(f"attention.number_{stage}")
    return heat_map(
        cells,
        limits,
        look,
        colorscale=colour_scale(stage, grey, look),
        text=None if words is None else np.where(np.isnan(cells), "", words),
        showscale=not grey,
        colorbar=colour_bar(look)
        | {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "ypad": 8}
        # its last number ends before what stands below the spread
        | {"len": 0.88 * (SPREAD_FROM - GAP), "xpad": 0, "title": {"text": ""}},
        xgap=gap,
        ygap=gap,
        hoverongaps=False,
        hovertemplate=f"{names}<br>{escape(number)} %{{z:.7~g}}<extra></extra>",
    )


def _spread(view: HeadMap, look: FigureStyle) -> list[go.Bar]:
    """A bar a row: its entropy, on the outline of the largest entropy that the row could have."""
    places = np.arange(len(view.entropy))
    shared = {"orientation": "h", "y": places, "xaxis": "x2", "width": 0.62}
    said = [
        say("attention.spread_hover", entropy=look.number(spread), most=look.number(most),
            words=look.number(np.exp(spread)))
        for spread, most in zip(view.entropy, view.most, strict=True)
    ]  # fmt: skip
    outline, own = ({"color": look.colour(role)} for role in ("line", "weights"))
    return [
        go.Bar(x=view.most, marker=outline, hoverinfo="skip", **shared),
        go.Bar(x=view.entropy, marker=own, **hover_texts(said), **shared),
    ]


def _layout(
    view: HeadMap, sides: tuple[Side, Side], look: FigureStyle, layout: MapLayout
) -> dict[str, Any]:
    (query, key), (rows, columns) = layout.pinned or (None, None), sides
    writing = "_writing" if rows.writes else ""
    across = words_axis(columns, key, "key", look, layout.columns_width)
    across |= {"domain": [0, SPREAD_FROM - GAP]}
    most = max(float(view.most.max()), 0.1)
    beside = bare_axis(look, 11, domain=[SPREAD_FROM, 1], anchor="y") | {
        "range": [0, most * 1.04],
        "tickvals": [0, most],
        "ticktext": ["0", f"{most:.2f}"],
        "title": {
            "text": escape(say("attention.spread")),
            "font": look.font(12, "faint"),
            "standoff": 4,
        },
    }
    return base_layout(
        look,
        layout.height,
        template="none",
        xaxis=across | {"title": axis_title(say("attention.at"), look, 10, "key")},
        yaxis=words_axis(rows, query, "query", look, layout.rows_height),
        xaxis2=beside,
        barmode="overlay",
        margin={"l": look.px(64), "r": look.px(18), "t": 8, "b": look.px(40), "pad": 2},
        shapes=[] if layout.pinned is None else _pin(layout.pinned, look),
        annotations=[row_title(say(f"attention.looks{writing}"), look, "query")],
        hovermode="closest",
    )


def _pin(pinned: tuple[int, int], look: FigureStyle) -> list[dict[str, Any]]:
    """The cell, and the way from the words to it for those who sit far away."""
    query, key = pinned
    return [
        frame_cells((query, query), (0, key - 1), look, role="query", name="row"),
        frame_cells((0, query - 1), (key, key), look, role="key", name="column"),
        cell_frame(query, key, look, 3, name="pinned"),
    ]


def colour_limits(
    view: HeadMap, sides: tuple[Side, Side], stage: str, without_sinks: bool
) -> tuple[float, float]:
    """The values at both ends of the colour scale.

    Forbidden cells never count; sinks do not where there is anything else.
    """
    counted = view.allowed & np.isfinite(view.values)
    words = counted & ~_sink_cells(sides)
    if without_sinks and words.any():
        counted = words
    largest = float(np.abs(view.values[counted]).max()) if counted.any() else 1.0
    largest = largest or 1.0
    return (0.0, largest) if stage == "weights" else (-largest, largest)


def _sink_cells(sides: tuple[Side, Side]) -> np.ndarray:
    rows, columns = (np.isin(np.arange(len(side.tokens)), sorted(side.sinks)) for side in sides)
    return rows[:, None] | columns[None, :]


def cells_of(values: Numbers, sides: tuple[Side, Side], grey: bool) -> np.ndarray:
    """The cells of the words or of the sinks; the others are gaps."""
    return np.where(_sink_cells(sides) == grey, values, np.float32(np.nan)).astype(np.float32)


def colour_scale(stage: str, grey: bool, look: FigureStyle) -> Scale:
    """Purple from 0 for weights, diverging for scores; `grey` for the cells of sinks."""
    if stage == "weights":
        return sequential("faint" if grey else "weights", look.dark)
    if not grey:
        return diverging_scale(look.dark)
    faint, panel = look.colour("faint"), look.colour("panel")
    below, above = (mix_colours(look.colour(role), faint, GREYED) for role in ("query", "key"))
    return [[0, below], [0.5, panel], [1, above]]
