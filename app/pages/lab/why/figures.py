"""Which word moves the last output, how long a layer takes, and the paper's Table 1."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.tables import rows_table
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis, rows_axis
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import escape, format_number
from glassformer.app.plots.marks import (
    annotate_at,
    axis_title,
    colour_label,
    dotted_line,
    hover_texts,
)
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.why_attention import Bound, Kind, LayerType, Race, Route

HUES = {"recurrent": 0, "convolution": 1, "dilated": 3, "attention": 2, "connected": 5,
        "restricted": 6}  # fmt: skip
SPLIT = (0.34, 0.44)  # shares of the height: the strips end, the curves begin
LEGEND = 112  # pixels left for the names of the strips
SIGNS = {"^2": "²", r" \cdot ": " · ", r"\log_k": "log<sub>k</sub>"}  # of the paper's formulas
MEASURED: dict[LayerType, Kind] = {
    "attention": "attention", "recurrent": "recurrent", "convolution": "dilated",
    "connected": "connected", "restricted": "restricted",
}  # fmt: skip

Texts = Mapping[str, str]


def travel_figure(routes: Sequence[Route], texts: Texts, look: FigureStyle) -> go.Figure:
    """Curves of the gradient at every word, and below each word its steps to the last output.

    texts: "gradient", "path", "word", "hover", and "kind_…" for each kind.
    """
    count = len(routes[0].path)
    values = np.concatenate([each.gradients.numpy() for each in routes])
    kinds = [_coloured(texts[f"kind_{each.kind}"], each.kind, look) for each in routes]
    layout = base_layout(
        look,
        least=(look.px(LEGEND + 13 * count), 0),
        margin=_margin(look),
        hovermode="closest",
        xaxis=grid_axis(look, showgrid=False, anchor="y2", range=[0.5, count + 0.5])
        | {"dtick": 1 if count <= 16 else 4 if count > 24 else 2, "tick0": 1}
        | {"title": axis_title(texts["word"], look, 5)},
        yaxis=grid_axis(look, type="log", anchor="x", domain=[SPLIT[1], 1], dtick=1)
        | {"exponentformat": "power", "range": _log_range(values[values > 0], 0.15)},
        yaxis2=rows_axis(kinds, look, domain=[0, SPLIT[0]], anchor="x", automargin=False),
        annotations=[
            annotate_at(escape(text), look, 0, y, 14, yshift=4)
            for text, y in ((texts["gradient"], 1), (texts["path"], SPLIT[0]))
        ],
    )
    curves = [_curve(each, texts, look) for each in routes]
    return go.Figure([*curves, _strips(routes, texts, look)], layout)


def kind_colour(kind: str, look: FigureStyle) -> str:
    """The hue of a kind of layer, one that the colour-blind can tell from the others."""
    return head_colour(HUES[kind], look.dark)


def _curve(route: Route, texts: Texts, look: FigureStyle) -> go.Scatter:
    gradients, kind = route.gradients.numpy(), texts[f"kind_{route.kind}"]
    said = []
    for at, (value, path) in enumerate(zip(gradients.tolist(), route.path.tolist(), strict=True)):
        known = {"kind": kind, "word": at + 1, "gradient": look.number(value), "path": path or "–"}
        said.append(escape(texts["hover"].format(**known)))
    shown = np.where(gradients > 0, gradients, np.nan).astype(np.float64)
    line = {"color": kind_colour(route.kind, look), "width": 3}
    return dotted_line(
        np.arange(1, len(shown) + 1, dtype=np.float32), shown, line, look.px(6), said
    )


def _strips(routes: Sequence[Route], texts: Texts, look: FigureStyle) -> go.Heatmap:
    steps = np.stack([each.path.numpy() for each in routes])
    written = [[str(path or "–") for path in row] for row in steps.tolist()]
    said = [
        [
            escape(f"{texts[f'kind_{each.kind}']}, {texts['word']} {at + 1}: {path}")
            for at, path in enumerate(row)
        ]
        for each, row in zip(routes, written, strict=True)
    ]
    return heat_map(
        steps,
        (0, max(float(steps.max()), 1.0) * 1.6),
        look,
        x=np.arange(1, steps.shape[1] + 1, dtype=np.float32),
        yaxis="y2",
        showscale=False,
        xgap=1,
        ygap=3,
        text=written,
        texttemplate="%{text}",
        textfont=look.font(11, "text"),
        **hover_texts(said),
    )


def _log_range(values: np.ndarray, room: float = 0.06) -> list[float]:
    """The range of a logarithmic axis that shows all values, with some room."""
    ends = np.log10([float(values.min()), float(values.max())])
    return [float(ends[0]) - room, float(ends[1]) + room]


def _coloured(text: str, kind: str, look: FigureStyle) -> str:
    return colour_label(escape(text), kind_colour(kind, look))


def _margin(look: FigureStyle) -> dict[str, int]:
    return {"l": look.px(LEGEND), "r": look.px(16), "t": look.px(28), "b": look.px(42), "pad": 4}


def time_figure(found: Race | None, texts: Texts, look: FigureStyle) -> go.Figure:
    """Time of one layer against the length of the sentence, both on logarithmic scales.

    texts: "length", "time", "time_hover", "waiting", and "kind_…" for each kind.
    """
    layout = base_layout(look, margin=_margin(look), hovermode="closest", annotations=[])
    layout["xaxis"] = grid_axis(look, type="log", title=axis_title(texts["length"], look, 5))
    layout["yaxis"] = grid_axis(look, type="log", title=axis_title(texts["time"], look, 5))
    layout["yaxis"] |= {"exponentformat": "none"}
    if found is None:
        nothing: dict[str, Any] = {"tickvals": [], "range": [0, 1]}
        layout["xaxis"] |= nothing
        layout["yaxis"] |= nothing
        waiting = annotate_at(escape(texts["waiting"]), look, 0.5, 0.5, 15, "faint", "auto auto")
        return go.Figure([], layout | {"annotations": [waiting]})
    sizes = found.lengths.numpy()
    layout["xaxis"] |= {"tickvals": sizes.tolist(), "range": _log_range(sizes)}
    layout["yaxis"] |= {"dtick": 1, "minor": {"showgrid": False}}
    layout["margin"] |= {"r": look.px(110)}
    traces = []
    for kind, seconds in found.seconds.items():
        times, name = 1000 * seconds.numpy(), texts[f"kind_{kind}"]
        said = [
            escape(texts["time_hover"].format(kind=name, length=size, time=look.number(time)))
            for size, time in zip(sizes.tolist(), times.tolist(), strict=True)
        ]
        line = {"color": kind_colour(kind, look), "width": 3}
        traces.append(dotted_line(sizes.astype(np.float64), times, line, look.px(8), said))
        known = np.flatnonzero(np.isfinite(times))
        if len(known):
            x, y = (float(np.log10(each[known[-1]])) for each in (sizes, times))
            end = annotate_at(_coloured(name, kind, look), look, x, y, at="left auto", xshift=10)
            layout["annotations"].append(end | {"xref": "x", "yref": "y"})
    return go.Figure(traces, layout)


def table_html(
    bounds: Sequence[Bound], routes: Sequence[Route], texts: Texts, look: FigureStyle
) -> str:
    """The paper's Table 1 with what was measured beside it, HTML.

    texts: "head_cost", "head_sequential", "head_path", "here" in front of a measured number, and
    "layer_…" for each layer. The convolution's row is the dilated one, as in the paper.
    """
    found = {each.kind: each for each in routes}
    rows = []
    for bound in bounds:
        route = found[MEASURED[bound.layer]] if bound.layer in MEASURED else None
        seen: tuple[int | None, ...] = (None, None, None)
        if route:
            seen = (None, route.sequential, int(route.path.max()))
        colour = kind_colour(route.kind, look) if route else look.colour("text")
        said = escape(texts[f"layer_{bound.layer}"])
        name = f'<th style="text-decoration:underline 3px {colour}">{said}</th>'
        cells = zip(bound.formulas, bound.values, seen, strict=True)
        rows.append((name, "".join(_cell(*each, texts["here"], look) for each in cells)))
    heads = [texts[f"head_{name}"] for name in ("cost", "sequential", "path")]
    return rows_table("told lab-bounds", heads, rows)


def formula_html(formula: str) -> str:
    r"""A formula of the table as HTML: `O(n^2 \cdot d)` is "O(n² · d)"."""
    text = escape(formula)
    for sign, shown in SIGNS.items():
        text = text.replace(sign, shown)
    return text


def _cell(formula: str, value: float, seen: int | None, measured: str, look: FigureStyle) -> str:
    number = format_number(int(value) if value == int(value) else value, look.precision)
    here = "" if seen is None else f"<b>{escape(measured)} {format_number(seen)}</b>"
    return f"<td>{formula_html(formula)}<br><span>= {number}</span>{here}</td>"
