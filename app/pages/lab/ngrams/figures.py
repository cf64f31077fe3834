"""Candidates of the counts and of the translator, and the perplexity of both by order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.curves import panel_title
from glassformer.app.pages.lab.figures.tables import name_html, rows_table, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.labels import format_percent
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_suffix,
    axis_title,
    dotted_line,
    panel_axes,
    panel_spans,
    upright_line,
)
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.ngrams import LONGEST, Likely, Perplexity
from glassformer.core.trace.trace import Candidate

Texts = Mapping[str, str]
NAMES = {"translator": ("by_model", "model_level"), "gpt": ("by_gpt", "gpt_level")}


@dataclass(frozen=True)
class Foreseen:
    """What counts and translator say of the next word, and of held-out sentences."""

    before: tuple[str, ...]  # the words written so far, as they are shown
    written: str  # the next one
    order: int  # n
    met: int  # how often the last n − 1 words were met
    counted: tuple[Likely, ...]
    model: tuple[Candidate, ...]
    perplexities: tuple[Perplexity, ...]  # of 1, 2, … words
    model_perplexity: float
    beside: str  # which model it is, of `NAMES`


def candidates_tables(found: Foreseen, texts: Texts) -> str:
    """The likeliest next words of both, side by side, as HTML.

    texts: "by_counts" with {order} and {met}, those of `NAMES`, "probability", "count".
    """
    counts = [_row(each.word, each.probability, f"<td>{each.count}</td>") for each in found.counted]
    words = [_row(each.token, each.probability) for each in found.model]
    heads = [texts["probability"], texts["count"]]
    by_counts = texts["by_counts"].format(order=found.order, met=found.met)
    return tables_side_by_side(
        [
            (by_counts, rows_table("lab-lines", heads, counts)),
            (texts[NAMES[found.beside][0]], rows_table("lab-lines", heads[:1], words)),
        ]
    )


def _row(word: str, probability: float, more: str = "") -> tuple[str, str]:
    return f"<th>{name_html(word)}</th>", f"<td>{format_percent(probability)}</td>{more}"


def perplexity_figure(found: Foreseen, texts: Texts, look: FigureStyle) -> go.Figure:
    """Perplexity by the order of the counts beside the translator's, and what was never counted.

    texts: "perplexity", "unseen", "n", those of `NAMES` with {value}, "hover" with {order} and
    {value}, "hover_unseen" with {order}, {unseen} and {words}.
    """
    values = [each.value for each in found.perplexities]
    layout = base_layout(
        look,
        margin={"l": look.px(52), "r": look.px(12), "t": look.px(34), "b": look.px(46), "pad": 2},
        hovermode="closest",
        annotations=[],
        shapes=[],
    )
    axes = (_reach([*values, found.model_perplexity], look), _shares(look))
    titles = (texts["perplexity"], texts["unseen"])
    spans = panel_spans([1.3, 1], 0.09)
    for at, (span, axis, title) in enumerate(zip(spans, axes, titles, strict=True)):
        across = grid_axis(look, showgrid=False, range=[0.7, LONGEST + 0.3], dtick=1, tick0=1)
        across |= {"title": axis_title(texts["n"], look, 4), "domain": span}
        layout |= anchored_axes(at, across, axis)
        layout["annotations"].append(panel_title(f"<b>{escape(title)}</b>", span[0], look))
        end = axis_suffix(at)
        where = {"xref": f"x{end}", "yref": f"y{end} domain", "layer": "below"}
        layout["shapes"].append(upright_line(found.order, look, "query", 1, "dot", **where))
    level = texts[NAMES[found.beside][1]].format(value=look.number(found.model_perplexity))
    height = float(np.log10(found.model_perplexity))
    place = {"xref": "x", "yref": "y"}
    layout["annotations"].append(
        annotate_at(escape(level), look, LONGEST, height, 13, "value", "right top", **place)
    )
    return go.Figure(_curves(found, level, texts, look), layout)


def _curves(found: Foreseen, level: str, texts: Texts, look: FigureStyle) -> list[go.Trace]:
    orders, values = range(1, LONGEST + 1), [each.value for each in found.perplexities]
    shares = [each.unseen / each.words for each in found.perplexities]
    hovers = [
        texts["hover"].format(order=at, value=look.number(value))
        for at, value in zip(orders, values, strict=True)
    ]
    missed = [
        texts["hover_unseen"].format(order=at, unseen=each.unseen, words=each.words)
        for at, each in zip(orders, found.perplexities, strict=True)
    ]
    return [
        _curve(np.where(np.isfinite(values), values, np.nan), "query", hovers, 0, look),
        _level(found.model_perplexity, level, look),
        _curve(np.asarray(shares), "changed", missed, 1, look),
    ]


def _reach(values: Sequence[float], look: FigureStyle) -> dict[str, Any]:
    ends = np.log10([each for each in values if isfinite(each)])
    between = [float(ends.min()) - 0.2, float(ends.max()) + 0.15]
    ticks = [step * 10**power for power in range(6) for step in (1, 2, 5)]
    return grid_axis(look, type="log", range=between, tickvals=ticks, ticktext=[*map(str, ticks)])


def _shares(look: FigureStyle) -> dict[str, Any]:
    return grid_axis(look, range=[-0.03, 1.03], tickformat=".0%")


def _curve(
    values: np.ndarray, role: str, said: Sequence[str], at: int, look: FigureStyle
) -> go.Scatter:
    places = np.arange(1, len(values) + 1, dtype=np.float32)
    line = {"color": look.colour(role), "width": 3}
    shown = [escape(each) for each in said]
    return dotted_line(places, values.astype(np.float64), line, look.px(9), shown, **panel_axes(at))


def _level(value: float, said: str, look: FigureStyle) -> go.Scatter:
    line = {"color": look.colour("value"), "width": 3, "dash": "dash"}
    places = np.asarray([0.7, LONGEST + 0.3], dtype=np.float32)
    return go.Scatter(
        x=places, y=np.asarray([value, value]), mode="lines", line=line, hoverinfo="text",
        hovertext=escape(said), **panel_axes(0),
    )  # fmt: skip
