"""The table of the position encoding, beside other tables, and added to words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.heat import (
    bulk_magnitude,
    cell_gaps,
    foot_bar,
    heat_map,
    largest_magnitude,
)
from glassformer.app.plots.labels import escape, fit_to_width, format_number
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_suffix,
    axis_title,
    cell_frame,
    frame_cells,
    level_line,
    panel_axes,
    panel_spans,
    stack_downwards,
)
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    colour_bar,
    named_ticks,
    token_axis,
)
from glassformer.app.words import say, say_each

# Pixels of the pictures, about; they decide how words are written.
WIDTH, HEIGHT = 900, 560
VARIANTS_HEIGHT, SAME_HEIGHT = 520, 540
BETWEEN, BELOW = 0.03, 0.09  # shares of the picture between two tables, between two strips
FOOT = 76  # pixels below the variants: axis and colour scale
STEPS = (1, 2, 5, 10, 20, 50, 100)  # between two numbers of an axis
TICKS = 12  # names of columns inside attention, about
ROOM = 108  # pixels for the names of the strips' rows


def map_figure(
    table: np.ndarray, tokens: Sequence[str], cell: tuple[int, int], look: FigureStyle
) -> go.Figure:
    """A table (L, D), L at least the number of tokens; `cell` (position, feature) is framed."""
    length, width = table.shape
    shapes, notes = [], []
    if length > len(tokens):
        end = len(tokens) - 0.5
        shapes.append(level_line(end, look))
        said, panel = escape(say("positions.end")), look.colour("panel")
        text = annotate_at(said, look, 0.995, end, 13, "changed", "right top", yshift=-3)
        notes.append(text | {"yref": "y", "bgcolor": panel})
    down = position_axis(length, tokens, look, HEIGHT - 60, say("positions.axis_position"))
    more = {"x0": 1, "dx": 1, "y0": 0, "dy": 1, "hovertemplate": _hover()}
    parts = {"xaxis": _feature_axis(width, look), "yaxis": down, "annotations": notes}
    return _framed_table(table, cell, 1, parts, shapes, look, **more)


def inside_figure(
    table: np.ndarray, rows: Sequence[str], columns: Sequence[str], cell: tuple[int, int],
    across: str, look: FigureStyle,
) -> go.Figure:  # fmt: skip
    """What positions are inside attention: a table (R, C), `cell` (row, column) is framed.

    columns: a name each, of which some are written. across: what they are.
    """
    wide = len(columns)
    places = list(range(0, wide, max(1, round(wide / TICKS))))
    axis = base_layout(look)["xaxis"] | named_ticks([escape(columns[at]) for at in places], places)
    axis |= {"title": axis_title(across, look), "range": [-0.5, wide - 0.5]}
    down = token_axis(rows, look, HEIGHT - 60, "left") | {"automargin": False}
    names = np.broadcast_to([escape(each) for each in columns], table.shape)
    hover = f"%{{y}} · {escape(across)} %{{text}}<br><b>%{{z:.7~g}}</b><extra></extra>"
    axes = {"xaxis": axis, "yaxis": down}
    return _framed_table(table, cell, 0, axes, [], look, text=names, hovertemplate=hover)


def _framed_table(
    table: np.ndarray, cell: tuple[int, int], first: int, parts: dict[str, Any],
    shapes: list[dict[str, Any]], look: FigureStyle, **more: Any,
) -> go.Figure:  # fmt: skip
    """A table on the diverging scale, the row and the column of `cell` framed.

    first: what columns are counted from on their axis. parts: of the layout. more: of the cells.
    """
    (rows, columns), (row, column), limit = table.shape, cell, colour_limit(table)
    bar, gaps = colour_bar(look), cell_gaps(table.shape)
    cells = heat_map(table, (-limit, limit), look, colorbar=bar, **gaps, **more)
    frames = [
        frame_cells((row, row), (first, first + columns - 1), look, 1.5),
        frame_cells((0, rows - 1), (first + column, first + column), look, 1.5),
    ]
    margin = {"l": look.px(84), "r": 8, "t": 8, "b": look.px(44), "pad": 2}
    layout = base_layout(look, HEIGHT, margin=margin, shapes=[*frames, *shapes], **parts)
    return go.Figure(cells, layout)


def colour_limit(table: np.ndarray) -> float:
    """Where the colour scale ends: 1 for sines and cosines."""
    most = largest_magnitude(table)
    return 1.0 if 0.9 < most <= 1.0001 else most


def _hover() -> str:
    """A cell's position, feature and number."""
    places = f"{say('positions.axis_position')} %{{y}} · {say('positions.axis_feature')} %{{x}}"
    return f"{escape(places)}<br><b>%{{z:.7~g}}</b><extra></extra>"


def _feature_axis(width: int, look: FigureStyle) -> dict[str, Any]:
    """Features from 1 to D across."""
    step = next(each for each in (1, 2, 4, 5, 10, 20, 50, 100) if width / each <= 17 or each == 100)
    ticks = [1, *range(step, width + 1, step)] if step > 1 else list(range(1, width + 1))
    title = axis_title(say("positions.axis_feature"), look)
    more = {"title": title, "tickvals": ticks, "range": [0.5, width + 0.5]}
    axis: dict[str, Any] = base_layout(look)["xaxis"]
    return axis | more


def position_axis(
    length: int, tokens: Sequence[str], look: FigureStyle, pixels: float, title: str = "",
    side: str = "left", steps: Sequence[int] = STEPS, most: int = 16,
) -> dict[str, Any]:  # fmt: skip
    """Positions from 0: the words where there are as many, else at most so many numbers."""
    if length == len(tokens):
        return token_axis(tokens, look, pixels, side) | {"automargin": False}
    step = next((each for each in steps if length / each <= most), steps[-1])
    ends = [length - 0.5, -0.5] if side == "left" else [-0.5, length - 0.5]
    ticks = {"tickvals": list(range(0, length, step)), "range": ends, "side": side}
    axis: dict[str, Any] = base_layout(look)["xaxis"]
    return axis | ticks | {"title": axis_title(title, look)}


def variants_figure(
    tables: Sequence[tuple[str, np.ndarray]],
    tokens: Sequence[str],
    cell: tuple[int, int],
    look: FigureStyle,
) -> go.Figure:
    """Titles and tables (L, D), the last one the difference; the cell in focus is framed."""
    length, width = tables[0][1].shape
    across = _feature_axis(width, look)
    if width > 12:
        across["tickvals"] = [across["tickvals"][0], *across["tickvals"][4::4]]
    drawn, notes, shapes = [], [], []
    axes: dict[str, Any] = {}
    domains = panel_spans([1] * len(tables), BETWEEN)
    for at, ((name, values), span) in enumerate(zip(tables, domains, strict=True)):
        end = axis_suffix(at)
        drawn.append(_variant(values, at, span, at == len(tables) - 1, look))
        title = "" if at else say("positions.axis_position")
        rows = position_axis(length, tokens, look, VARIANTS_HEIGHT - 110, title)
        follows = {"matches": "y", "showticklabels": False} if at else {}
        axes |= anchored_axes(at, across | {"domain": span}, rows | follows)
        notes.append(annotate_at(f"<b>{escape(name)}</b>", look, span[0], 1, 14, yshift=4))
        framed = cell_frame(cell[0], cell[1] + 1, look)
        shapes.append(framed | {"xref": f"x{end}", "yref": f"y{end}"})
    layout = base_layout(
        look,
        VARIANTS_HEIGHT,
        margin={"l": look.px(84), "r": 8, "t": look.px(28), "b": look.px(FOOT), "pad": 2},
        shapes=shapes,
        annotations=notes,
        **axes,
    )
    return go.Figure(drawn, layout)


def _variant(
    values: np.ndarray, at: int, span: list[float], difference: bool, look: FigureStyle
) -> go.Heatmap:
    most = largest_magnitude(values) if difference and values.any() else 1.0
    ticks = [(each, format_number(each, 3)) for each in (-most, 0, most)]
    middle, length = (span[0] + span[1]) / 2, 0.7 * (span[1] - span[0])
    return heat_map(
        values,
        (-most, most),
        look,
        x0=1,
        dx=1,
        colorbar=foot_bar(look, middle, length, ticks, ypad=4),
        hovertemplate=_hover(),
        **panel_axes(at),
    )


def same_figure(
    strips: Sequence[tuple[str, np.ndarray]], names: Sequence[str], feature: int, look: FigureStyle
) -> go.Figure:
    """Strips below each other on one colour scale: two places' words, positions and sums.

    strips: title and numbers (2, D). names: of the two rows. feature: the one in focus, framed.
    """
    width = strips[0][1].shape[1]
    most = bulk_magnitude(np.concatenate([values for _, values in strips]))
    feature_said, value_said = (
        escape(each) for each in say_each("positions.axis_feature positions.value").values()
    )
    shared: dict[str, Any] = {"x0": 1, "dx": 1, "ygap": 2, "colorbar": colour_bar(look)}
    shared["hovertemplate"] = (
        f"%{{text}}<br>{feature_said} %{{x}}<br>{value_said} <b>%{{z:.7~g}}</b><extra></extra>"
    )
    labels = [escape(fit_to_width(name, look.px(13), look.px(ROOM - 14))) for name in names]
    foot = f"y{axis_suffix(len(strips) - 1)}"
    layout = base_layout(
        look,
        SAME_HEIGHT,
        margin={"l": look.px(ROOM), "r": 8, "t": look.px(26), "b": look.px(44), "pad": 2},
        xaxis=_feature_axis(width, look) | {"anchor": foot},
        shapes=[],
        annotations=[],
    )
    drawn, base = [], layout["yaxis"]
    domains = stack_downwards([len(values) for _, values in strips], BELOW)
    for at, ((title, values), domain) in enumerate(zip(strips, domains, strict=True)):
        drawn.append(
            heat_map(values, (-most, most), look, **shared)
            | {"showscale": at == 0, "xaxis": "x", "yaxis": f"y{axis_suffix(at)}"}
            | {"text": [[escape(name)] * width for name in names]}
        )
        axis = rows_axis(labels, look, domain=domain, anchor="x", automargin=False)
        layout[f"yaxis{axis_suffix(at)}"] = base | axis
        layout["annotations"].append(annotate_at(escape(title), look, 0, domain[1], yshift=2))
        box = cell_frame(0, feature + 1, look, 1.5, yref="paper", y0=domain[0], y1=domain[1])
        layout["shapes"].append(box)
    return go.Figure(drawn, layout)
