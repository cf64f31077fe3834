"""One step's distribution: the best words as bars, what was taken, what a cut left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.figures import drawing as go
from app.figures.colours import mix
from app.figures.labels import escape, format_percent, visible
from app.figures.theme import Look, base_layout

NOTHING: Mapping[int, str] = MappingProxyType({})
ROOM = 1.32  # of the axis, whose bars end at 1: percentages and remarks stand to the right
WIDTH = 0.74


def next_words(
    words: Sequence[str],
    probabilities: Sequence[float],
    chosen: int | None,
    look: Look,
    cut: int | None = None,
    *,
    height: int = 300,
    forced: bool = False,
    signs: Mapping[int, str] = NOTHING,
    remarks: Mapping[int, str] = NOTHING,
    rest: tuple[str, float] | None = None,
) -> go.Figure:
    """One horizontal bar a word, in the order given; the chosen one in full colour.

    probabilities: 0..1, NaN has no bar. chosen: its place, None where it is not among the words.
    cut: so many words stay; a dashed line follows them and the others are pale. forced: the chosen
    word was given by hand. signs: places of what is a sign, not a word, and what it is. remarks: at
    some places, why a word cannot be taken; such words are grey. rest: the name and the share of
    all other words, a last bar. A click anywhere on a row reports its place as y; that of the rest
    is len(words).
    """
    names = [*map(visible, words), *([rest[0]] if rest else [])]
    shares = [*probabilities, *([rest[1]] if rest else [])]
    colours = _colours(len(words), chosen, look, cut, forced, remarks)
    colours += [look.colour("line")] if rest else []
    texts = [_said(share, remarks.get(at), look) for at, share in enumerate(shares)]
    hovers = [
        _hover(name, share, signs.get(at), remarks.get(at))
        for at, (name, share) in enumerate(zip(names, shares, strict=True))
    ]
    layout = base_layout(look, height=height, barmode="overlay", template="none")
    layout["xaxis"] = layout["xaxis"] | {"range": [0, ROOM], "visible": False}
    grey = {*signs, *remarks, *([len(words)] if rest else [])}
    labels = [escape(name) for name in names]
    layout["yaxis"] = layout["yaxis"] | _axis(labels, look, chosen, forced, grey)
    layout["shapes"] = _cut_line(cut, len(words), look)
    return go.Figure([_bars(shares, colours, texts, look), _whole_rows(hovers)], layout)


def _bars(
    shares: Sequence[float], colours: Sequence[str], texts: Sequence[str], look: Look
) -> go.Bar:
    return go.Bar(
        x=[0.0 if math.isnan(share) else share for share in shares],
        y=list(range(len(shares))),
        orientation="h",
        width=WIDTH,
        marker={"color": list(colours)},
        text=list(texts),
        textposition="outside",
        textangle=0,
        constraintext="none",
        textfont={"size": look.px(13), "color": look.colour("text")},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _whole_rows(hovers: Sequence[str]) -> go.Bar:
    """Unseen, over the whole width: the smallest bar is as easy to click as the largest."""
    return go.Bar(
        x=[ROOM] * len(hovers),
        y=list(range(len(hovers))),
        orientation="h",
        width=1,
        marker={"color": "rgba(0,0,0,0)"},
        customdata=list(hovers),
        hovertemplate="%{customdata}<extra></extra>",
    )


def _colours(
    count: int, chosen: int | None, look: Look, cut: int | None, forced: bool,
    remarks: Mapping[int, str],
) -> list[str]:  # fmt: skip
    panel, strong = look.colour("panel"), look.colour("data")
    found = [mix(panel, strong, 0.5)] * count
    for at in range(count):
        if at in remarks:
            found[at] = mix(panel, look.colour("faint"), 0.4)
        elif cut is not None and at >= cut:
            found[at] = mix(panel, strong, 0.18)
    if chosen is not None:
        found[chosen] = look.colour("changed") if forced else strong
    return found


def _said(share: float, remark: str | None, look: Look) -> str:
    said = "NaN" if math.isnan(share) else format_percent(share)
    if remark is None:
        return said
    return f'{said}  <span style="color:{look.colour("faint")}">{escape(remark)}</span>'


def _hover(name: str, share: float, sign: str | None, remark: str | None) -> str:
    further = [escape(part) for part in (sign, remark) if part]
    return f"{' · '.join([escape(name), *further])}<br><b>{share:.6g}</b>"


def _axis(
    labels: list[str], look: Look, chosen: int | None, forced: bool, grey: set[int]
) -> dict[str, Any]:
    for at in grey:
        labels[at] = f'<span style="color:{look.colour("faint")}">{labels[at]}</span>'
    if chosen is not None:
        labels[chosen] = f"<b>{labels[chosen]}</b>"
        if forced:
            ink = look.colour("changed")
            labels[chosen] = f'<span style="color:{ink}">{labels[chosen]}</span>'
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "tickfont": {"size": look.px(15)},
        "range": [len(labels) - 0.5, -0.5],
        "type": "linear",
        "ticklen": 6,
        "ticks": "",
    }


def _cut_line(cut: int | None, count: int, look: Look) -> list[dict[str, Any]]:
    """Below the last word that stays; none where all of them stay."""
    if cut is None or cut >= count:
        return []
    line = {"color": look.colour("changed"), "width": 2, "dash": "dash"}
    return [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": cut - 0.5, "y1": cut - 0.5,
         "line": line}
    ]  # fmt: skip
