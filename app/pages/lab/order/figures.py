"""A sentence and its words in another order: what the encoder gives for both, what differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import escape, fit_to_width, text_width, visible
from glassformer.app.plots.marks import anchored_axes, annotate_at, panel_axes, stack_downwards
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    is_numbered,
    named_ticks,
    token_axis,
)

TYPICAL = 1130  # pixels across, to turn a word's width into a share
LONGEST_WORD = 96  # pixels
ROW_GAP = 0.14  # between two rows of maps, as a share of the height
TOP = 26  # pixels above a row for its title
LINE = 15  # pixels of a row's word, with its share of the gaps


@dataclass(frozen=True)
class OrderMaps:
    """One encoder's three maps, (S, n) each: the sentence, the shuffled one, what is left over."""

    title: str
    good: bool  # nothing is left over
    still: np.ndarray
    moved: np.ndarray
    apart: np.ndarray


def order_figure(
    rows: Sequence[OrderMaps], words: Sequence[str], order: Sequence[int], seen: str,
    texts: Mapping[str, str], look: FigureStyle,
) -> go.Figure:  # fmt: skip
    """A row of three maps for each encoder; all numbers of a kind on one colour scale.

    words: of the sentence. order: which of them stands at each place of the shuffled one. seen:
    "output", words × features, or "weights", not negative and square, words × words.
    texts: "still_<seen>", "moved_<seen>", "apart_<seen>", "hover", "feature".
    """
    are_words = seen == "weights"
    shuffled = [words[at] for at in order]
    margin = {"l": look.px(LONGEST_WORD + 12), "r": 8, "t": look.px(TOP + 26), "b": 6, "pad": 2}
    least = look.px(780), look.px(TOP + 32 + len(rows) * len(words) * LINE)
    layout = base_layout(look, least=least, margin=margin, hovermode="closest", annotations=[])
    limit = max(float(np.abs(each.still).max()) for each in rows)
    plain = min(float(each.still.min()) for each in rows) >= 0
    left, wide = _columns(words, look)
    traces = []
    for r, (row, (low, top)) in enumerate(
        zip(rows, stack_downwards([1] * len(rows), ROW_GAP), strict=True)
    ):
        role = "value" if row.good else "changed"
        title = annotate_at(f"<b>{escape(row.title)}</b>", look, 0, top, 14, role, yshift=2)
        layout["annotations"].append(title)
        for c, values in enumerate((row.still, row.moved, row.apart)):
            names, at = shuffled if c else words, 3 * r + c
            limits = (0 if plain and c < 2 else -limit, limit)
            across = _across(values.shape[1], names if are_words else ())
            down = _down(names, c < 2, look) | {"domain": [low, top]}
            layout |= anchored_axes(at, across | {"domain": [left[c], left[c] + wide]}, down)
            column = "%{x}" if are_words else texts["feature"].format(at="%{x}")
            traces.append(_map(values, limits, at, texts["hover"], column, look))
    layout["annotations"] += [
        annotate_at(
            escape(texts[f"{name}_{seen}"]), look, x + wide / 2, 1, 13, "faint", "center bottom",
            yshift=look.px(TOP),
        )
        for name, x in zip(("still", "moved", "apart"), left, strict=True)
    ]  # fmt: skip
    return go.Figure(traces, layout)


def _columns(words: Sequence[str], look: FigureStyle) -> tuple[list[float], float]:
    """Where the three columns begin, and their width, as shares."""
    longest = max((text_width(visible(word), look.px(12)) for word in words), default=0)
    names = (min(longest, look.px(LONGEST_WORD)) + 18) / TYPICAL
    wide = (1 - names - 0.02) / 3
    return [0, wide + names, 2 * wide + names + 0.02], wide


def _map(
    values: np.ndarray,
    limits: tuple[float, float],
    at: int,
    hover: str,
    column: str,
    look: FigureStyle,
) -> go.Heatmap:
    # Rows, and columns that are words, are named by the ticks of their axes.
    said = hover.format(row="%{y}", column=column, value=f"%{{z:.{look.precision}~g}}")
    return heat_map(
        values,
        limits,
        look,
        x=np.arange(1, values.shape[1] + 1, dtype=np.float32),
        showscale=False,
        xgap=0 if values.shape[1] > 40 else 1,
        ygap=1,
        hovertemplate=f"{said}<extra></extra>",
        **panel_axes(at),
    )


def _across(size: int, names: Sequence[str]) -> dict[str, Any]:
    """Without marks; the names are for the hover."""
    bare = {"ticks": "", "showgrid": False, "zeroline": False, "fixedrange": True}
    return bare | {"range": [0.5, size + 0.5], "showticklabels": False} | _named(names, 1)


def _down(names: Sequence[str], named: bool, look: FigureStyle) -> dict[str, Any]:
    drawn = token_axis(names, look, pixels=210, side="left")
    if not named:
        drawn |= _named(names, 0) | {"showticklabels": False}
    elif not is_numbered(drawn, names):
        drawn |= _named(names, 0)
    return drawn | {"automargin": False, "color": look.colour("text"), "showline": False}


def _named(names: Sequence[str], first: int) -> dict[str, Any]:
    if not names:
        return {}
    shown = [escape(fit_to_width(visible(name), 12, LONGEST_WORD)) for name in names]
    return named_ticks(shown, range(first, len(names) + first))
