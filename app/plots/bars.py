"""Level bars, a row each, with their numbers behind them; what the model was choosing between."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import escape, format_percent, visible
from glassformer.app.plots.marks import colour_label, hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout

NOTHING: Mapping[int, str] = MappingProxyType({})


def row_bars(
    lengths: Sequence[float] | np.ndarray, texts: Sequence[str] | None, colours: Sequence[str],
    look: FigureStyle, size: int = 13, **more: Any,
) -> go.Bar:  # fmt: skip
    """A bar a row with a text behind it; NaN in a list has no bar, arrays are sent as they are.

    more: width and others of plotly's own.
    """
    if not isinstance(lengths, np.ndarray):
        lengths = [0.0 if math.isnan(length) else length for length in lengths]
    given: dict[str, Any] = {
        "x": lengths,
        "y": list(range(len(lengths))),
        "orientation": "h",
        "marker": {"color": list(colours)},
        "text": texts,
        "textposition": "outside",
        "textangle": 0,
        "textfont": look.font(size, "text"),
        "cliponaxis": False,
    }
    return go.Bar(**given | more)


def share_hover(name: str, share: float, *more: str | None) -> str:
    """A name, what else is known of it, and its probability with more digits."""
    parts = [escape(part) for part in (name, *more) if part]
    return f"{' · '.join(parts)}<br><b>{share:.6g}</b>"


def format_share(share: float, remark: str | None, look: FigureStyle) -> str:
    """A share as it stands behind its bar, with what is to be said of its word."""
    said = format_percent(share)
    return (
        said if remark is None else f"{said}  {colour_label(escape(remark), look.colour('faint'))}"
    )


def candidates(
    tokens: Sequence[str],
    probabilities: Sequence[float],
    look: FigureStyle,
    chosen: int = 0,
    height: int = 170,
    signs: Mapping[int, str] = NOTHING,
    remarks: Mapping[int, str] = NOTHING,
) -> go.Figure:
    """One horizontal bar a word, in the order given, the chosen one in full colour.

    probabilities: 0..1, on an axis from 0 to 1; NaN is written as such and has no bar.
    signs: the places of what is a sign, not a word, and what hover says of it; they are grey.
    remarks: at some places, why the word cannot be written; such words are grey, too.
    """
    strong = look.colour("data")
    weak = mix_colours(look.colour("panel"), strong, 0.5)
    said = [
        share_hover(visible(token), share, signs.get(at), remarks.get(at))
        for at, (token, share) in enumerate(zip(tokens, probabilities, strict=True))
    ]
    bars = row_bars(
        probabilities,
        [format_share(share, remarks.get(at), look) for at, share in enumerate(probabilities)],
        [strong if at == chosen else weak for at in range(len(tokens))],
        look,
        width=0.72,
        **hover_texts(said, "customdata"),
    )
    labels = [escape(visible(token)) for token in tokens]
    for at in {*signs, *remarks}:
        labels[at] = colour_label(labels[at], look.colour("faint"))
    if labels:
        labels[chosen] = f"<b>{labels[chosen]}</b>"
    layout = base_layout(look, height=height, bargap=0.2)
    layout["xaxis"] |= {"range": [0, 1.15], "visible": False}
    layout["yaxis"] |= rows_axis(labels, look, 14, ticklen=6, ticklabelposition="outside")
    return go.Figure(bars, layout)
