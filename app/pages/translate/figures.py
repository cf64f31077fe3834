"""What goes into a block, what happens and what comes out: heat maps side by side, one a word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import (
    bulk_magnitude,
    cell_gaps,
    foot_bar,
    heat_map,
    largest_magnitude,
)
from glassformer.app.plots.labels import (
    escape,
    fit_to_width,
    format_number,
    is_chinese,
    shorten_text,
    visible,
    widest,
)
from glassformer.app.plots.marks import (
    annotate_at,
    axis_suffix,
    panel_axes,
    panel_spans,
    word_pairs,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, hatch_cells, token_axis

TITLE, FOOT, GAP = 24, 66, 0.06  # pixels; GAP is a share of the width
SCALE = 32  # pixels of the foot that the colour scale takes
WIDTH, WIDEST_MARGIN = 560, 136  # pixels of the figure, of the words of the rows
MOST = 14  # columns that have room for their words
FONT, SLANT = 11, 45  # pixels, degrees
LATIN, SIGNS = 46, 4  # pixels of a slanted word along its line, signs of an upright one

ScaleKind = Literal["signed", "positive", "plain"]


@dataclass(frozen=True)
class Picture:
    """One heat map. Rows are words; columns are numbered from 1, or words where `columns` has them.

    With a `step` above 1 a column stands for that many neighbours. `cells` are texts written into
    the cells. `limit` is where the colour scale ends; a picture without one (None) ends where
    `bulk` says. "plain" pictures are not coloured. `address` is that of the tensor whose numbers
    these are, "" where they are none that a run has recorded, such as a mean.
    """

    title: str
    values: np.ndarray  # (T, C) float32
    axis: str  # what a column is: "feature", "word"
    scale: ScaleKind = "signed"
    role: str = "data"
    limit: float | None = None
    columns: tuple[str, ...] | None = None
    step: int = 1
    cells: tuple[tuple[str, ...], ...] = ()
    allowed: np.ndarray | None = None  # (T, C) False where the mask forbids: hatched
    share: float = 1.0  # of the width, against the other pictures
    address: str = ""

    @property
    def end(self) -> float:
        """Where the colour scale ends."""
        return bulk_magnitude(self.values) if self.limit is None else self.limit

    @property
    def clipped(self) -> bool:
        """Whether values lie beyond the end of the colour scale."""
        return self.scale != "plain" and largest_magnitude(self.values) > self.end * (1 + 1e-6)


def block_pictures(
    pictures: Sequence[Picture], words: Sequence[str], look: FigureStyle, height: int = 330
) -> go.Figure:
    """The pictures from left to right over one word axis, each with its own scale below it.

    The first curves of the figure are the pictures, in their order.

    words: of the rows, the same for all.
    """
    room = look.px(WIDEST_MARGIN)
    shown = [fit_to_width(visible(word), look.px(13), room - 16) for word in words]
    margin = int(min(max((widest(word, look.px(13)) for word in shown), default=0) + 16, room))
    places = panel_spans([picture.share for picture in pictures], GAP)
    foot = max([look.px(FOOT), *(words_height(each, look) + look.px(SCALE) for each in pictures)])
    inner = height - TITLE - foot
    rows = _from_one(token_axis(shown, look, inner, side="left")) | {"automargin": False}
    axes: dict[str, Any] = {}
    maps: list[go.Trace] = []
    hatched: list[go.Trace] = []
    notes = [
        annotate_at(escape(picture.title), look, span[0], 1)
        for picture, span in zip(pictures, places, strict=True)
    ]
    for at, (picture, span) in enumerate(zip(pictures, places, strict=True)):
        end, width = axis_suffix(at), (WIDTH - margin) * (span[1] - span[0])
        axes[f"xaxis{end}"] = _columns_axis(picture, look, width) | {"domain": span}
        # Only the first picture writes the words, the others follow it.
        follows = {"showticklabels": False, "matches": "y"} if at else {"ticklabelstandoff": 5}
        axes[f"yaxis{end}"] = rows | follows | {"anchor": f"x{end}"}
        maps.append(_heat_map(picture, words, look, at, span, inner))
        notes += column_words(picture, look, width, end)
        if picture.allowed is not None and not picture.allowed.all():
            hatched.append(hatch_cells(picture.allowed, look, first=1, **panel_axes(at)))
    last = pictures[-1]  # half of the number below its last column stands beside it
    beside = widest(str(last.values.shape[1] * last.step), look.px(11)) / 2
    sides = {"l": margin, "r": max(6, math.ceil(beside)), "t": look.px(TITLE), "b": foot}
    least = (look.px(100 * len(pictures)), 0)
    layout = base_layout(look, height, least, margin=sides, annotations=notes, **axes)
    return go.Figure([*maps, *hatched], layout)


def _columns_axis(picture: Picture, look: FigureStyle, width: float) -> dict[str, Any]:
    count, title = picture.values.shape[1], picture.axis
    if picture.columns is None:
        last = count * picture.step
        axis = token_axis([""] * count, look, width) | {
            "tickvals": [1, count] if count > 1 else [],
            "ticktext": ["1", str(last)],
            "tickangle": 0,
            "range": [0.5, count + 0.5],
        }
    else:
        axis = _from_one(token_axis(picture.columns, look, width))
        if words_height(picture, look):
            title = ""
            axis |= {"showticklabels": False}
    heading = {"text": escape(title), "standoff": 0, "font": look.font(12, "faint")}
    return axis | {"automargin": False, "title": heading, "tickfont": look.font(11, "faint")}


def _from_one(axis: dict[str, Any]) -> dict[str, Any]:
    """A token axis whose positions count from 1, so that a number on hover is the screen's."""
    shifted = {name: [value + 1 for value in axis[name]] for name in ("tickvals", "range")}
    return axis | shifted


def _heat_map(
    picture: Picture,
    rows: Sequence[str],
    look: FigureStyle,
    at: int,
    span: list[float],
    height: float,
) -> go.Heatmap:
    limit = picture.end
    low = -limit if picture.scale == "signed" else 0.0
    cells: dict[str, Any] = {}
    if picture.cells:
        cells["text"] = [[escape(visible(cell)) for cell in row] for row in picture.cells]
    if picture.columns is not None:
        cells["customdata"] = word_pairs(rows, picture.columns)
    if picture.cells and height / max(len(picture.values), 1) >= look.px(12):
        cells |= {"texttemplate": "%{text}", "textfont": {"size": look.px(12)}}
    if picture.scale == "plain":
        panel = look.colour("panel")
        cells["colorscale"] = [[0, panel], [1, panel]]
    middle, length = (span[0] + span[1]) / 2, (span[1] - span[0]) * 0.64
    ticks = _ticks(low, limit, picture.clipped)
    return heat_map(
        picture.values,
        (low, limit),
        look,
        picture.role,
        x0=1,
        dx=1,
        y0=1,
        dy=1,
        showscale=picture.scale != "plain",
        colorbar=foot_bar(look, middle, length, ticks, xpad=0, ypad=0),
        hoverongaps=True,
        hovertemplate=_hover(picture, look),
        **cell_gaps(picture.values.shape, 24),
        **panel_axes(at),
        **cells,
    )


def _hover(picture: Picture, look: FigureStyle) -> str:
    value = f"%{{z:.{look.precision}~g}}"
    if picture.columns is not None:
        return f"%{{customdata}}<br><b>{value}</b><extra></extra>"
    if picture.cells:
        value = "%{text}" if picture.scale == "plain" else "%{text} · " + value
    return f"%{{y}} · {escape(picture.axis)} %{{x}}<br><b>{value}</b><extra></extra>"


def _ticks(low: float, high: float, clipped: bool) -> list[tuple[float, str]]:
    """The numbers of a scale; "≥" where larger values have the colour of its end."""
    below, above = ("≤ ", "≥ ") if clipped else ("", "")
    ends = [(low, below + format_number(low, 2))] if low else []
    return [*ends, (0.0, "0"), (high, above + format_number(high, 2))]


def words_height(picture: Picture, look: FigureStyle) -> int:
    """How many pixels the words below the columns take; 0 where the picture has none."""
    if picture.columns is None or not 0 < len(picture.columns) <= MOST:
        return 0
    font = look.px(FONT)
    heights = [
        len(word) * font * 1.2
        if is_chinese(word)
        else (widest(word, font) + font) * math.sin(math.radians(SLANT))
        for word in (_short(word, look) for word in picture.columns)
    ]
    return math.ceil(max(heights)) + 6


def column_words(
    picture: Picture, look: FigureStyle, width: float, end: str
) -> list[dict[str, Any]]:
    """A note for each column: Latin slanted, Chinese upright, sign below sign.

    width: of the picture in pixels, end: of the names of its axes.
    """
    if not words_height(picture, look):
        return []
    columns = picture.columns or ()
    size = min(look.px(FONT), max(round(width / len(columns)), 10))
    # A mark at the end would slant below the upright word before it.
    upright, last = any(map(is_chinese, columns)), len(columns) - 1
    found = []
    for at, word in enumerate(columns):
        text, placed = _placed(_short(word, look), to_right=upright and 2 * at > last)
        each = annotate_at(text, look, at + 1, 0, at="center top", yshift=-2)
        each |= {"xref": f"x{end}", "yref": f"y{end} domain"}
        each["font"]["size"] = size
        found.append(each | placed)
    return found


def _placed(word: str, to_right: bool) -> tuple[str, dict[str, Any]]:
    if is_chinese(word):
        return "<br>".join(map(escape, word)), {}
    if len(word) == 1:
        return escape(word), {}
    way, side = (1, "left") if to_right else (-1, "right")
    return escape(word), {"xanchor": side, "textangle": way * SLANT, "xshift": -way * 5}


def _short(word: str, look: FigureStyle) -> str:
    shown = visible(word)
    if is_chinese(shown):
        return shorten_text(shown, SIGNS)
    return fit_to_width(shown, look.px(FONT), look.px(LATIN))
