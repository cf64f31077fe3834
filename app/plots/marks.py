"""What is written and drawn around numbers: notes, lines and frames, hover texts, panels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glassformer.app.plots import drawing as go
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.theme import FigureStyle


def annotate_at(
    html: str, look: FigureStyle, x: float, y: float, size: int = 13, role: str = "text",
    at: str = "left bottom", **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """An annotation; x and y are shares of the figure unless `more` names other axes.

    html: escaped already. at: which corner or side of the text stands there.
    """
    across, up = at.split()
    return {
        "text": html, "font": look.font(size, role), "showarrow": False, "x": x, "y": y,
        "xref": "paper", "yref": "paper", "xanchor": across, "yanchor": up,
    } | more  # fmt: skip


def row_title(text: str, look: FigureStyle, role: str) -> dict[str, Any]:
    """A note in the corner, above the labels of the rows: an axis title would be rotated."""
    return annotate_at(escape(text), look, 0, 1, 13, role, "right bottom", xshift=-4, yshift=4)


def axis_title(
    text: str, look: FigureStyle, standoff: int = 6, role: str = "faint"
) -> dict[str, Any]:
    """The title of an axis."""
    return {"text": escape(text), "font": look.font(13, role), "standoff": standoff}


def upright_line(
    x: float, look: FigureStyle, role: str, width: float = 2, dash: str = "dot", **more: Any
) -> dict[str, Any]:
    """A line from the foot of the figure to its top, at a place of the horizontal axis."""
    line = {"color": look.colour(role), "width": width, "dash": dash}
    return {
        "type": "line", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line,
    } | more  # fmt: skip


def level_line(y: float, look: FigureStyle) -> dict[str, Any]:
    """A dashed line over the whole width at a height of the vertical axis: here something ends."""
    line = {"color": look.colour("changed"), "width": 2, "dash": "dash"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def frame_cells(
    down: tuple[float, float], across: tuple[float, float], look: FigureStyle, width: float = 2,
    role: str = "text", **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A frame around cells, from the first row and column to the last."""
    (top, bottom), (left, right) = down, across
    return {
        "type": "rect", "line": {"color": look.colour(role), "width": width},
        "x0": left - 0.5, "x1": right + 0.5, "y0": top - 0.5, "y1": bottom + 0.5,
    } | more  # fmt: skip


def cell_frame(
    row: float, column: float, look: FigureStyle, width: float = 2, **more: Any
) -> dict[str, Any]:
    """A frame around one cell."""
    return frame_cells((row, row), (column, column), look, width, **more)


def hover_texts(texts: Any, name: str = "hovertext") -> dict[str, Any]:
    """A text a point, shown as it is; name "customdata" for one that clicks report."""
    return {name: texts, "hovertemplate": f"%{{{name}}}<extra></extra>"}


def dotted_line(
    x: Any, y: Any, line: Mapping[str, Any], size: int, said: Sequence[str], **more: Any
) -> go.Scatter:
    """A line with a dot of `size` pixels at every point; said: what a dot says on hover."""
    return go.Scatter(
        x=x, y=y, mode="lines+markers", line=line, marker={"size": size}, cliponaxis=False,
        **more, **hover_texts(said),
    )  # fmt: skip


def colour_label(html: str, colour: str) -> str:
    """A part of a label in a colour of its own."""
    return f'<span style="color:{colour}">{html}</span>'


def grey_labels(axis: dict[str, Any], places: Iterable[int], look: FigureStyle) -> dict[str, Any]:
    """An axis of words with some of its labels in grey."""
    grey, ticks = set(places), zip(axis["tickvals"], axis["ticktext"], strict=True)
    labels = [
        colour_label(text, look.colour("faint")) if at in grey else text for at, text in ticks
    ]
    return axis | {"ticktext": labels}


def word_pairs(rows: Sequence[str], columns: Sequence[str], sign: str = "→") -> list[list[str]]:
    """The two words of every cell, for the hover of maps whose axes may have no room for them."""
    across = [escape(visible(word)) for word in columns]
    return [[f"{escape(visible(row))} {sign} {column}" for column in across] for row in rows]


def axis_suffix(panel: int) -> str:
    """What the names of a panel's axes end with: "" for the first, then "2", "3", …."""
    return str(panel + 1) if panel else ""


def panel_axes(panel: int) -> dict[str, Any]:
    """The axes of a panel, as its traces name them."""
    return {"xaxis": f"x{axis_suffix(panel)}", "yaxis": f"y{axis_suffix(panel)}"}


def anchored_axes(
    panel: int, across: Mapping[str, Any], upwards: Mapping[str, Any]
) -> dict[str, Any]:
    """The two axes of a panel in a layout, each anchored at the other."""
    end = axis_suffix(panel)
    return {
        f"xaxis{end}": {**across, "anchor": f"y{end}"},
        f"yaxis{end}": {**upwards, "anchor": f"x{end}"},
    }


def panel_spans(shares: Sequence[float], gap: float) -> list[list[float]]:
    """Where panels of these relative sizes lie, from 0 to 1 with gaps between them."""
    unit = (1 - gap * (len(shares) - 1)) / sum(shares)
    found, start = [], 0.0
    for share in shares:
        found.append([start, min(start + share * unit, 1.0)])
        start += share * unit + gap
    return found


def stack_downwards(shares: Sequence[float], gap: float) -> list[list[float]]:
    """The same from the top downwards, each as (low, high)."""
    return [[max(1 - end, 0.0), 1 - start] for start, end in panel_spans(shares, gap)]
