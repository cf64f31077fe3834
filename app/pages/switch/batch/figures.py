"""One head's weights with the padding masks, without, and the difference; the words in each run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import diverging_scale, sequential
from glassformer.app.plots.labels import escape, format_percent, text_width, visible
from glassformer.app.plots.marks import (
    anchored_axes,
    axis_suffix,
    axis_title,
    panel_axes,
    panel_spans,
    upright_line,
)
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    colour_bar,
    hatch_cells,
    token_axis,
)

GAP = 0.02
LABELS, BARS = 96, 120  # pixels of the rows' words at most, and of the two colour bars
SCALE = 54  # pixels of one of them with its numbers


@dataclass(frozen=True)
class Maps:
    """(rows, keys): weights 0..1 and what may be looked at, in both views."""

    weights: Sequence[np.ndarray]
    allowed: Sequence[np.ndarray]
    rows: Sequence[str]
    keys: Sequence[str]
    real: int  # keys that are words, not padding


def batch_maps(
    maps: Maps,
    titles: Sequence[str],
    words: tuple[str, str],
    look: FigureStyle,
    size: tuple[int, int] = (1000, 360),
) -> go.Figure:
    """Three heat maps beside each other: before, after (one scale), after − before.

    titles: of the three. words: what the hover calls a weight, and a difference.
    """
    before, after = (each.astype(np.float32) for each in maps.weights)
    three = (before, after, after - before)
    tops = [float(np.nanmax(np.abs(each), initial=0)) for each in three]
    most, change = max(tops[:2]) or 1.0, tops[2] or 1.0
    layout = base_layout(
        look,
        size[1],
        least=(0.8 * size[0], 0),
        template="none",
        margin=_margin(maps, look),
        coloraxis=_scale(look, 0.0, most, 1.01),
        coloraxis2=_scale(look, -change, change, 1.01 + look.px(SCALE) / (0.6 * size[0])),
        shapes=[],
        hovermode="closest",
    )
    drawn: list[go.Trace] = []
    for at, (values, text, domain) in enumerate(
        zip(three, titles, panel_spans([1] * 3, GAP), strict=True)
    ):
        drawn.append(_cells(values, at, escape(words[0] if at < 2 else words[1])))
        if at < 2 and not maps.allowed[at].all():
            drawn.append(hatch_cells(maps.allowed[at], look, **panel_axes(at)))
        layout |= _axes(maps, at, domain, text, look, size)
        # Where the words end and the padding begins.
        end = upright_line(
            maps.real - 0.5, look, "changed", 1.5, visible=maps.real < len(maps.keys)
        )
        axes = {"xref": f"x{axis_suffix(at)}", "yref": f"y{axis_suffix(at)} domain"}
        layout["shapes"].append(end | axes)
    return go.Figure(drawn, layout)


def _margin(maps: Maps, look: FigureStyle) -> dict[str, float]:
    """Room for the words of the rows, and no more: cells get the rest."""
    longest = max(text_width(visible(row), look.px(13)) for row in maps.rows)
    left = min(look.px(LABELS), longest + 12)
    return {"l": left, "r": 8, "t": look.px(24), "b": 8, "pad": 2}


def _scale(look: FigureStyle, low: float, high: float, x: float) -> dict[str, Any]:
    colours = diverging_scale(look.dark) if low < 0 else sequential("weights", look.dark)
    bar = colour_bar(look) | {"x": x, "nticks": 4}
    return {"cmin": low, "cmax": high, "colorscale": colours, "colorbar": bar}


def _cells(values: np.ndarray, at: int, called: str) -> go.Heatmap:
    return go.Heatmap(
        z=values,
        coloraxis="coloraxis" if at < 2 else "coloraxis2",
        xgap=1,
        ygap=1,
        hovertemplate=f"<b>%{{y}}</b> → <b>%{{x}}</b><br>{called} %{{z:.5~g}}<extra></extra>",
        **panel_axes(at),
    )


def _axes(
    maps: Maps, at: int, domain: list[float], title: str, look: FigureStyle, size: tuple[int, int]
) -> dict[str, Any]:
    """The axes of a map, its title above the words: a low window shows the upper end alone."""
    pixels = (domain[1] - domain[0]) * (size[0] - LABELS - BARS)
    across = token_axis(maps.keys, look, pixels, "top")
    across |= {"domain": domain, "title": axis_title(title, look, role="text")}
    down = token_axis(maps.rows, look, size[1] - 90, "left")
    down |= {"showticklabels": at == 0, "automargin": at == 0}
    return anchored_axes(at, across, down)


def words_table(
    heads: Sequence[str],
    words: Sequence[str],
    columns: Sequence[Sequence[float]],
    marked_from: float,
    look: FigureStyle,
) -> str:
    """A row a word, HTML; `columns` are its probabilities, 0..1, the first what others are beside.

    heads: of the words and of each column. marked_from: a larger change is marked.
    """

    def cell(value: float, first: float) -> str:
        moved = "" if abs(value - first) <= marked_from else ' class="moved"'
        return f"<td{moved}>{escape(format_percent(value, look.precision))}</td>"

    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    rows = ""
    for word, shares in zip(words, zip(*columns, strict=True), strict=True):
        cells = "".join(cell(share, shares[0]) for share in shares)
        rows += f"<tr><td>{escape(visible(word))}</td>{cells}</tr>"
    return (
        f'<table class="plain batch-words"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
