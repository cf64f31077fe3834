"""Probabilities of several labels: by one softmax, and by a sigmoid each."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.pages.lab.figures.curves import panel_title
from app.pages.lab.figures.tables import name, rows_table
from app.plots import drawing as go
from app.plots.axes import bare_axis, rows_axis
from app.plots.bars import row_bars
from app.plots.colours import faded
from app.plots.labels import escape, visible
from app.plots.marks import hover, on, spans, suffix, upright
from app.plots.theme import FigureStyle, base_layout
from core.lab.labels import Judged, Labels

KINDS = ("softmax", "sigmoid")
Texts = Mapping[str, str]


def labels_figure(
    found: Labels, names: Sequence[str], texts: Texts, look: FigureStyle
) -> go.Figure:
    """A panel for each function with a bar a label; those it chooses in full colour.

    texts: "softmax", "sigmoid", "hover" with {name}, {probability}, {loss} and {gradient}.
    """
    right = found.true.tolist()
    rows = [
        f"{'✓ ' if yes else ''}{escape(visible(each))}"
        for each, yes in zip(names, right, strict=True)
    ]
    layout = base_layout(
        look, margin={"l": 8, "r": look.px(30), "t": look.px(30), "b": look.px(24), "pad": 4},
        annotations=[], shapes=[],
    )  # fmt: skip
    traces = []
    for at, (kind, domain) in enumerate(zip(KINDS, spans([1, 1], 0.14), strict=True)):
        end, judged = suffix(at), getattr(found, kind)
        layout[f"xaxis{end}"] = bare_axis(look, 12, domain=domain, anchor=f"y{end}", dtick=0.5)
        layout[f"xaxis{end}"] |= {"range": [0, 1.12]}
        layout[f"yaxis{end}"] = rows_axis(rows, look, 14, anchor=f"x{end}")
        layout["annotations"].append(panel_title(f"<b>{escape(texts[kind])}</b>", domain[0], look))
        if kind == "sigmoid":
            where = {"xref": f"x{end}", "yref": f"y{end} domain", "layer": "below"}
            layout["shapes"].append(upright(0.5, look, "faint", 1, **where))
        traces.append(_bars(judged, names, texts, look, at))
    return go.Figure(traces, layout)


def _bars(
    judged: Judged, names: Sequence[str], texts: Texts, look: FigureStyle, panel: int
) -> go.Bar:
    hue, said = look.colour("weights"), []
    columns = (judged.probabilities, judged.losses, judged.gradients)
    for each, *values in zip(names, *(column.tolist() for column in columns), strict=True):
        kinds = ("probability", "loss", "gradient")
        written = dict(zip(kinds, map(look.number, values), strict=True))
        said.append(escape(texts["hover"].format(name=visible(each), **written)))
    shares = judged.probabilities.numpy()
    shown = [hue if chosen else faded(hue, 0.35) for chosen in judged.chosen.tolist()]
    return row_bars(
        shares.astype(np.float32), [look.number(each) for each in shares.tolist()], shown, look,
        **hover(said), **on(panel),
    )  # fmt: skip


def losses_table(found: Labels, names: Sequence[str], texts: Texts, look: FigureStyle) -> str:
    """The sum, what is chosen and the loss of both, as HTML.

    texts: "softmax", "sigmoid", "sum", "chosen", "loss", "least", "nothing", "comma".
    """
    rows = []
    for kind in KINDS:
        judged = getattr(found, kind)
        every = zip(names, judged.chosen.tolist(), strict=True)
        chosen = [name(each) for each, yes in every if yes]
        numbers = (float(judged.probabilities.sum()), judged.loss, judged.least)
        total, loss, least = (
            texts["nothing"] if math.isnan(each) else look.number(each) for each in numbers
        )
        cells = (total, texts["comma"].join(chosen) or texts["nothing"], loss, least)
        rows.append((f"<th>{texts[kind]}</th>", "".join(f"<td>{each}</td>" for each in cells)))
    heads = [texts[each] for each in ("sum", "chosen", "loss", "least")]
    return rows_table("lab-keeps", heads, rows)
