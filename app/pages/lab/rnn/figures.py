"""What three writers write, how many letters are right by length, and where they look."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.curves import legend_above, panel_title
from glassformer.app.pages.lab.figures.tables import rows_table
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.plots.marks import (
    anchored_axes,
    axis_title,
    dotted_line,
    hover_texts,
    panel_axes,
    panel_spans,
    upright_line,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, line_axis, named_ticks
from glassformer.core.lab.rnn import LONGEST, TRAINED_TO, Way, Written

DRAWN: dict[Way, tuple[int, str, str]] = {  # whose hue, the dash and the dots
    "vector": (0, "dash", "square"),
    "dot": (2, "solid", "circle"),
    "additive": (3, "dot", "diamond"),
}
MAPS: tuple[Way, ...] = ("dot", "additive")
FORMULAS = {"dot": "q · k", "additive": "v · tanh(W q + U k)"}
ENDED = "⏎"  # the end mark

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Attempts:
    """The letters, what should be written, and what each writer wrote."""

    letters: str
    wanted: str
    written: Mapping[Way, Written]


def written_table(found: Attempts, texts: Texts) -> str:
    """A row for what should be written and one for each writer, wrong letters framed, as HTML.

    texts: the ways, "wanted", "wrote", "right", "weights", "of" with {right} and {all}.
    """
    rows = [
        (
            f"<th>{escape(texts['wanted'])}</th>",
            _letters(found.wanted + ENDED, "") + "<td></td>" * 2,
        )
    ]
    for way, each in found.written.items():
        name = " ".join([escape(texts[way]), f"<small>{FORMULAS.get(way, '')}</small>"])
        said = texts["of"].format(right=each.right, all=len(found.wanted))
        text = each.text + ENDED * each.ended
        facts = f"<td>{escape(said)}</td><td>{format_number(each.parameters)}</td>"
        rows.append((f"<th>{name}</th>", _letters(text, found.wanted + ENDED) + facts))
    heads = [texts["wrote"], texts["right"], texts["weights"]]
    return rows_table("lab-lines lab-written", heads, rows)


def _letters(text: str, wanted: str) -> str:
    """A cell of letters; those that differ from what is wanted are marked."""
    shown = ""
    for at, letter in enumerate(text):
        wrong = bool(wanted) and letter != wanted[at : at + 1]
        shown += f"<del>{letter}</del>" if wrong else f"<span>{letter}</span>"
    return f"<td>{shown}</td>"


def writers_figure(found: Attempts, texts: Texts, look: FigureStyle) -> go.Figure:
    """The share of letters right by the length of a word, and where the two look as they write.

    texts: the ways, "by_length", "length", "trained", "looks" with {way}, "hover" with {way},
    {length} and {share}, "hover_cell" with {written}, {read} and {weight}.
    """
    layout = base_layout(
        look,
        least=(look.px(510), 0),
        margin={"l": look.px(46), "r": look.px(12), "t": look.px(62), "b": look.px(46), "pad": 2},
        showlegend=True,
        legend=legend_above(look),
        hovermode="closest",
        annotations=[],
        shapes=[],
    )
    spans = panel_spans([1.5, 1, 1], 0.045)
    traces: list[go.Trace] = [_curve(way, each, texts, look) for way, each in found.written.items()]
    counts = range(1, LONGEST + 1)
    across = grid_axis(look, showgrid=False, range=[0.5, LONGEST + 0.5])
    across |= named_ticks([str(count) for count in counts], counts)
    across |= {"title": axis_title(texts["length"], look, 4), "domain": spans[0]}
    upwards = grid_axis(look, range=[-0.03, 1.05], tickformat=".0%")
    layout |= anchored_axes(0, across, upwards)
    titles = [texts["by_length"]]
    end = {"xref": "x", "yref": "y domain", "layer": "below"}
    layout["shapes"].append(upright_line(TRAINED_TO + 0.5, look, "faint", 1, "dot", **end))
    for at, way in enumerate(MAPS, start=1):
        traces.append(_map(found, way, at, texts, look))
        rows = _symbols(found.written[way])
        layout |= anchored_axes(
            at,
            line_axis(len(found.letters), "bottom") | named_ticks(list(found.letters))
            | {"title": axis_title(texts["read"], look, 4), "domain": spans[at]},
            line_axis(len(rows), "left") | named_ticks(rows),
        )  # fmt: skip
        titles.append(texts["looks"].format(way=texts[way]))
    layout["annotations"] = [
        panel_title(f"<b>{escape(title)}</b>", span[0], look)
        for title, span in zip(titles, spans, strict=True)
    ]
    return go.Figure(traces, layout)


def _curve(way: Way, each: Written, texts: Texts, look: FigureStyle) -> go.Scatter:
    hue, dash, symbol = DRAWN[way]
    line = {"color": head_colour(hue, look.dark), "width": 3, "dash": dash}
    shares = each.accuracy.numpy()
    said = [
        escape(texts["hover"].format(way=texts[way], length=at, share=format_percent(share)))
        for at, share in enumerate(shares.tolist(), start=1)
    ]
    places = np.arange(1, len(shares) + 1, dtype=np.float32)
    drawn = dotted_line(places, shares, line, look.px(8), said, name=escape(texts[way]))
    drawn["marker"] |= {"symbol": symbol}
    return drawn


def _symbols(each: Written) -> list[str]:
    return list(each.text + ENDED * each.ended)


def _map(found: Attempts, way: Way, at: int, texts: Texts, look: FigureStyle) -> go.Heatmap:
    weights = found.written[way].weights.numpy()
    said = [
        [
            escape(texts["hover_cell"].format(written=row, read=column, weight=look.number(value)))
            for column, value in zip(found.letters, values, strict=True)
        ]
        for row, values in zip(_symbols(found.written[way]), weights.tolist(), strict=True)
    ]
    more: dict[str, Any] = {"showscale": False, "xgap": 1, "ygap": 1, **panel_axes(at)}
    return heat_map(weights, (0, 1), look, **hover_texts(said), **more)
