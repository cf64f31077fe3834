"""How far a change ran: depth downwards, words across, the encoder above the decoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.colours import mix_colours, sequential
from glassformer.app.plots.heat import foot_bar
from glassformer.app.plots.labels import escape, is_chinese, visible, widest
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_suffix,
    colour_label,
    frame_cells,
    hover_texts,
    panel_axes,
    stack_downwards,
)
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    hatch_cells,
    is_numbered,
    token_axis,
)
from glassformer.core.text.vocabulary import END

LEAST = -4  # log₁₀ of what the palest colour stands for: 0.0001 of the tensor's own length
TICKS = ("0.01%", "0.1%", "1%", "10%", "100%")
BAR = 34  # pixels below the picture for the colour bar
TALLEST = 4  # signs of a word that is written downwards
GAP = 22  # pixels between the stacks
CHART_WIDTH = 370  # about; decides how words are written


@dataclass(frozen=True)
class Stack:
    """One stack: rows down in computation order, words across.

    moved (R, T): how far, relative to the tensor's own length; NaN where numbers are lost.
    hovers: what a cell answers.
    """

    name: str
    rows: Sequence[str]
    tokens: Sequence[str]
    moved: np.ndarray
    hovers: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Marks:
    """Rows that stand out, each as (stack, row): where it began, and what the page is about."""

    first: tuple[int, int] | None = None
    focus: tuple[int, int] | None = None


def shade_cells(moved: np.ndarray) -> np.ndarray:
    """Where on the colour scale, LEAST … 0, a cell stands; NaN (no colour) for still and lost.

    The scale is that of log₁₀: what moved at all has at least the palest colour.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.clip(np.log10(np.asarray(moved, dtype=np.float64)), LEAST, 0.0)
    still = ~(np.asarray(moved) > 0)
    return np.where(still, np.nan, found).astype(np.float32)


def by_layer_figure(
    stacks: Sequence[Stack], marks: Marks, look: FigureStyle, height: int
) -> go.Figure:
    """The stacks below each other, a heat map each; the figure's trace i is that of stack i."""
    cells = [_cells(each, at) for at, each in enumerate(stacks)]
    lost = [
        hatch_cells(~np.isnan(each.moved), look, **panel_axes(at))
        for at, each in enumerate(stacks)
        if np.isnan(each.moved).any()
    ]
    longest = max(widest(row, look.px(12)) for each in stacks for row in each.rows)
    left = round(longest) + look.px(8)
    words = [_words(each, left, at, look) for at, each in enumerate(stacks)]
    top, bottom = look.px(6) + words[0][1], look.px(BAR + 4) + words[-1][1]
    right = look.px(24) if any(slanted for *_, slanted in words) else look.px(6)
    ticks = [*zip(range(LEAST, 0), TICKS, strict=False), (0, f"≥ {TICKS[-1]}")]
    layout = base_layout(
        look,
        margin={"l": left, "r": right, "t": top, "b": bottom, "pad": 2},
        plot_bgcolor=look.colour("panel"),
        shapes=_frames(stacks, marks, look),
        annotations=[],
        coloraxis={
            "cmin": LEAST,
            "cmax": 0,
            "colorscale": _scale(look),
            "colorbar": foot_bar(look, 0.45, 0.94, ticks, 12),
        },
    )
    inner = max(height - top - bottom, 100)
    gap = look.px(GAP) / inner
    for at, domain in enumerate(stack_downwards([len(each.rows) for each in stacks], gap)):
        stack = stacks[at]
        labels = [_row(stack, at, row, marks, look) for row in range(len(stack.rows))]
        down = rows_axis(labels, look, 12, domain=domain, automargin=False)
        layout |= anchored_axes(at, words[at][0], down)
        name = annotate_at(
            f"<b>{escape(stack.name)}</b>", look, 0, domain[1], 12, "faint", "right bottom"
        )
        layout["annotations"].append(name | {"xshift": -4, "yshift": 1})
    return go.Figure([*cells, *lost], layout)


def _cells(stack: Stack, at: int) -> go.Heatmap:
    return go.Heatmap(
        z=shade_cells(stack.moved),
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hoverongaps=True,
        **panel_axes(at),
        **hover_texts([list(row) for row in stack.hovers], "customdata"),
    )


def _words(stack: Stack, left: int, at: int, look: FigureStyle) -> tuple[dict[str, Any], int, bool]:
    """The axis of words, the pixels that it needs, and whether the words slant.

    It stands above the first stack, below the others. Chinese that does not fit across stands
    upright, sign below sign.
    """
    font, side = look.px(12), "bottom" if at else "top"
    axis = token_axis(stack.tokens, look, CHART_WIDTH - left, side)
    axis |= {"automargin": False, "tickfont": {"size": font}}
    if axis["tickangle"]:
        longest = max(widest(each, font) for each in axis["ticktext"])
        axis["tickangle"] *= -1 if at else 1
        return axis, round(0.72 * min(longest, look.px(90))) + font, True
    room = (CHART_WIDTH - left) / max(len(stack.tokens), 1)
    down = [_down(each, font, room) for each in stack.tokens]
    stacked = any("<br>" in each for each in down)
    if (stacked or is_numbered(axis, stack.tokens)) and all(down):
        axis |= {"tickvals": list(range(len(down))), "ticktext": down}
        signs = max(each.count("<br>") + 1 for each in down)
        return axis, round(1.3 * font * signs) + 4, False
    return axis, round(1.5 * font), False


def _down(token: str, font: int, room: float) -> str:
    """A word written downwards, or across where it is narrow enough; "" for one that cannot be."""
    if token == END:
        return f'<span style="font-size:{round(0.75 * font)}px">eos</span>'
    if widest(token, font) + font / 3 <= room:  # the next word stands apart
        return escape(visible(token))
    if len(token) <= TALLEST and is_chinese(token) and font <= room:
        return "<br>".join(map(escape, visible(token)))
    return ""


def _row(stack: Stack, at: int, row: int, marks: Marks, look: FigureStyle) -> str:
    label = escape(stack.rows[row])
    if marks.first == (at, row):
        return f"<b>{colour_label(f'▸ {label}', look.colour('changed'))}</b>"
    return label


def _frames(stacks: Sequence[Stack], marks: Marks, look: FigureStyle) -> list[dict[str, Any]]:
    """A line around a row: where the change began, and the row that the page is about."""
    found = []
    for place, role, width in ((marks.focus, "text", 1.5), (marks.first, "changed", 2)):
        if place is not None:
            at, row = place
            axes = {"xref": f"x{axis_suffix(at)}", "yref": f"y{axis_suffix(at)}"}
            ends = (0, len(stacks[at].tokens) - 1)
            found.append(frame_cells((row, row), ends, look, width, role, **axes))
    return found


def _scale(look: FigureStyle) -> list[list[float | str]]:
    """From a pale tint, which still differs from the panel, to the colour of what changed."""
    scale = sequential("changed", look.dark)
    pale = mix_colours(look.colour("panel"), look.colour("changed"), 0.1)
    return [[0.0, pale], *[each for each in scale if float(each[0]) > 0.1]]
