"""An LSTM's step in numbers, and how far each word still reaches what the decoder gets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.curves import legend_above, panel_title
from glassformer.app.pages.lab.figures.tables import matrix_html
from glassformer.app.pages.lab.why.figures import kind_colour
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.labels import MINUS, escape, format_percent, visible
from glassformer.app.plots.marks import (
    anchored_axes,
    axis_title,
    dotted_line,
    panel_axes,
    panel_spans,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks, token_axis
from glassformer.core.lab.seq2seq import Answer, Reading

DRAWN: dict[Answer, tuple[str, str, str]] = {  # whose hue, the dash and the dots
    "vector": ("recurrent", "dash", "square"),
    "attention": ("attention", "solid", "circle"),
}
ROWS = ("before", "forget", "input", "candidate", "cell", "output", "hidden", "kept")
PIXELS = 300  # of the words' axis

Texts = Mapping[str, str]


def gates_table(found: Reading, step: int, texts: Texts, look: FigureStyle) -> str:
    """All that an LSTM computes at one word, a number of the state a column, as HTML.

    texts: a name for each of `ROWS`.
    """
    gates = found.gates
    before = gates.cell[step - 1] if step else gates.cell[0] * 0
    named = {"before": before, "kept": gates.kept[step]}
    rows = [named[name] if name in named else getattr(gates, name)[step] for name in ROWS]
    cells = np.stack([row.numpy() for row in rows])
    columns = [str(at + 1) for at in range(cells.shape[1])]
    names = [texts["forget_gate" if name == "forget" else name] for name in ROWS]

    def write(value: float) -> str:  # as many decimals everywhere: shares of 1 beside each other
        return f"{value:.{look.precision}f}".replace("-", MINUS)

    return matrix_html(cells, look, "weights", names, columns, write=write, ours=True)


def reach_figure(found: Reading, texts: Texts, look: FigureStyle) -> go.Figure:
    """By how much each answer moves without a word, and without the first one as they get more.

    texts: "vector", "attention", "by_word", "by_length", "length", "hover_word" and
    "hover_length" with {kind}, {word}, {length} and {share}.
    """
    words, count = [visible(each) for each in found.words], len(found.words)
    every = np.concatenate([each.numpy() for part in _parts(found) for each in part.values()])
    layout = base_layout(
        look,
        margin={"l": look.px(52), "r": look.px(12), "t": look.px(62), "b": look.px(46), "pad": 2},
        showlegend=True,
        legend=legend_above(look),
        hovermode="closest",
        annotations=[],
    )
    traces: list[go.Trace] = []
    panels = zip(_parts(found), panel_spans([1.35, 1], 0.04), ("by_word", "by_length"), strict=True)
    for at, (curves, domain, name) in enumerate(panels):
        axis = token_axis(words, look, look.px(PIXELS)) if at == 0 else _counts(count, texts, look)
        upwards = _shares(every, look) | {"showticklabels": at == 0}
        layout |= anchored_axes(at, axis | {"domain": domain}, upwards)
        title = f"<b>{escape(texts[name])}</b>"
        layout["annotations"].append(panel_title(title, domain[0], look))
        said = texts[f"hover_{name.removeprefix('by_')}"]
        more = {"showlegend": at == 0, **panel_axes(at)}
        traces += [
            _curve(kind, values.numpy(), found.words, said, texts, look, **more)
            for kind, values in curves.items()
        ]
    return go.Figure(traces, layout)


def _parts(found: Reading) -> tuple[dict[Answer, Any], dict[Answer, Any]]:
    return found.by_word, found.by_length


def _curve(
    kind: Answer, values: np.ndarray, words: Sequence[str], said: str, texts: Texts,
    look: FigureStyle, **more: Any,
) -> go.Scatter:  # fmt: skip
    whose, dash, symbol = DRAWN[kind]
    line = {"color": kind_colour(whose, look), "width": 3, "dash": dash}
    told = []
    for at, value in enumerate(values.tolist()):
        word, share = visible(words[at]), format_percent(value)
        known = {"kind": texts[kind], "word": word, "length": at + 1, "share": share}
        told.append(escape(said.format(**known)))
    shown = np.where(values > 0, values, np.nan)
    drawn = dotted_line(
        np.arange(len(shown), dtype=np.float32), shown.astype(np.float64), line, look.px(8), told,
        name=escape(texts[kind]), **more,
    )  # fmt: skip
    drawn["marker"] |= {"symbol": symbol}
    return drawn


def _counts(count: int, texts: Texts, look: FigureStyle) -> dict[str, Any]:
    step = 1 if count <= 8 else 2
    places = list(range(0, count, step))
    axis = grid_axis(look, showgrid=False, range=[-0.5, count - 0.5])
    axis |= named_ticks([str(at + 1) for at in places], places)
    return axis | {"title": axis_title(texts["length"], look, 4)}


def _shares(values: np.ndarray, look: FigureStyle) -> dict[str, Any]:
    """A logarithmic axis named in percent, with a tick a power of ten."""
    ends = np.log10([float(values[values > 0].min()), float(values.max())])
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    names = [f"{100 * 10.0**power:.10g}%" for power in powers]
    axis = grid_axis(look, type="log", range=[float(ends[0]) - 0.15, float(ends[1]) + 0.15])
    return axis | named_ticks(names, [10.0**power for power in powers])
