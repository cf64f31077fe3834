"""What the model was choosing between at one step, as bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from app.figures import drawing as go
from app.figures.colours import mix
from app.figures.labels import escape, format_percent, visible
from app.figures.theme import Look, base_layout


def candidates(
    tokens: Sequence[str],
    probabilities: Sequence[float],
    look: Look,
    chosen: int = 0,
    height: int = 170,
    signs: Mapping[int, str] = MappingProxyType({}),
) -> go.Figure:
    """One horizontal bar a word, in the order given, the chosen one in full colour.

    probabilities: 0..1, on an axis from 0 to 1; NaN is written as such and has no bar.
    signs: the places of what is a sign, not a word, and what hover says of it; they are grey.
    """
    known = [0.0 if math.isnan(share) else share for share in probabilities]
    written = ["NaN" if math.isnan(share) else format_percent(share) for share in probabilities]
    strong = look.colour("data")
    weak = mix(look.colour("panel"), strong, 0.5)
    bars = go.Bar(
        x=known,
        y=list(range(len(tokens))),
        orientation="h",
        width=0.72,
        marker={"color": [strong if at == chosen else weak for at in range(len(tokens))]},
        text=written,
        textposition="outside",
        textfont={"size": look.px(13), "color": look.colour("text")},
        cliponaxis=False,
        customdata=[
            f"{_named(token, signs.get(at))}<br><b>{share:.6g}</b>"
            for at, (token, share) in enumerate(zip(tokens, probabilities, strict=True))
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    layout = base_layout(look, height=height, bargap=0.2)
    layout["xaxis"] = layout["xaxis"] | {"range": [0, 1.15], "visible": False}
    layout["yaxis"] = layout["yaxis"] | _word_axis(tokens, look, chosen, signs)
    return go.Figure(bars, layout)


def _named(token: str, sign: str | None) -> str:
    name = escape(visible(token))
    return f"{name} · {escape(sign)}" if sign else name


def _word_axis(
    tokens: Sequence[str], look: Look, chosen: int, signs: Mapping[int, str]
) -> dict[str, object]:
    labels = [escape(visible(token)) for token in tokens]
    for at in signs:
        labels[at] = f'<span style="color:{look.colour("faint")}">{labels[at]}</span>'
    if labels:
        labels[chosen] = f"<b>{labels[chosen]}</b>"
    return {
        "tickmode": "array",
        "tickvals": list(range(len(tokens))),
        "ticktext": labels,
        "tickfont": {"size": look.px(14)},
        "range": [len(tokens) - 0.5, -0.5],
        "type": "linear",
        "ticklabelposition": "outside",
        "ticklen": 6,
        "ticks": "",
    }
