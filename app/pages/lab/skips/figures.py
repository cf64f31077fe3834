"""The residual stream through the layers: a way around every sub-layer, and what the stream is."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.colours import mix_colours, readable_on
from glassformer.app.plots.labels import MINUS, escape
from glassformer.app.plots.marks import annotate_at, hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.skips import FIRST, PARTS, Skips

ROLES = {"self_attention": "weights", "feed_forward": "feed_forward"}
SHORT = {"self_attention": "short_self_attention", "feed_forward": "short_feed_forward"}
THICKEST = 22  # pixels of a line that carries all of the stream
TELLING = 0.08  # the least share that has its name in the bar
Texts = Mapping[str, str]


def skips_figure(found: Skips, texts: Texts, look: FigureStyle) -> go.Figure:
    """Above, the sub-layers on the way, with the way around each; below, the stream's parts.

    texts: "input", "shift", "self_attention", "feed_forward", their short names "short_…", and
    with places "named" (part, layer), "around", "adds", "share"; "made_of" is the axis.
    """
    count = len(found.around)
    margin = {"l": look.px(52), "r": 8, "t": look.px(26), "b": look.px(26), "pad": 0}
    least = look.px(min(48 * count, 640)), 0
    layout = base_layout(
        look, least=least, margin=margin, barmode="relative", bargap=0.5, annotations=[]
    )
    room = {"range": [-0.6, count + 0.6], "domain": [0, 1]}
    layout["xaxis"] = grid_axis(look, anchor="y") | room | {
        "showgrid": False, "tickvals": list(range(count + 1)), "ticktext": _states(found, texts),
    }  # fmt: skip
    layout["yaxis"] = grid_axis(look, domain=[0, 0.47], tickformat=".0%", zeroline=True)
    bare = {"visible": False, "fixedrange": True}
    layout["xaxis2"] = room | bare | {"anchor": "y2"}
    layout["yaxis2"] = bare | {"domain": [0.6, 1], "range": [-0.8, 1.45]}
    layout["shapes"] = [
        shape for at in range(count) for shape in _ways(float(found.around[at]), at, look)
    ]
    layout["annotations"] = [
        *_around(found, look),
        annotate_at(escape(texts["made_of"]), look, 0, 0.47, 13, yshift=look.px(6)),
    ]
    return go.Figure([*_bars(found, texts, look), _boxes(found, texts, look)], layout)


def part_name(part: int, texts: Texts, short: bool = False) -> str:
    """What a part of the stream is called: "layer 2, feed-forward", or "2 FF"."""
    if part < FIRST:
        return texts[("input", "shift")[part]]
    layer, which = divmod(part - FIRST, len(PARTS))
    name = texts[SHORT[PARTS[which]] if short else PARTS[which]]
    return f"{layer + 1} {name}" if short else texts["named"].format(part=name, layer=layer + 1)


def _percent(share: float, digits: int = 0) -> str:
    rounded = round(share, digits + 2) + 0.0  # no −0
    return f"{rounded:.{digits}%}".replace("-", MINUS)


def _states(found: Skips, texts: Texts) -> list[str]:
    names = [part_name(at + FIRST, texts, short=True) for at in range(len(found.around))]
    return [texts["input"], *names]


def _ways(around: float, at: int, look: FigureStyle) -> list[dict[str, Any]]:
    """The way around sub-layer `at` as an arc, the one through it as a line; as thick as shares."""

    def line(path: str, share: float) -> dict[str, Any]:
        role = "data" if share >= 0 else "changed"
        drawn = {"color": look.colour(role), "width": max(1.0, abs(share) * THICKEST)}
        place = {"xref": "x2", "yref": "y2", "layer": "below", "opacity": 0.55}
        return {"type": "path", "path": path, "line": drawn} | place

    arc = f"M{at + 0.08},0 C{at + 0.1},1.2 {at + 0.9},1.2 {at + 0.92},0"
    return [line(arc, around), line(f"M{at},0 L{at + 1},0", 1 - around)]


def _around(found: Skips, look: FigureStyle) -> list[dict[str, Any]]:
    """The shares in numbers: that of the way around on the arc, that of the sub-layer below it."""
    said = []
    for at, share in enumerate(found.around.tolist()):
        for value, y, role in ((share, 1.3, "data"), (1 - share, -0.62, "text")):
            spot = {"xref": "x2", "yref": "y2"}
            said.append(
                annotate_at(_percent(value), look, at + 0.5, y, 12, role, "center middle", **spot)
            )
    return said


def _boxes(found: Skips, texts: Texts, look: FigureStyle) -> go.Scatter:
    count = len(found.around)
    names = [part_name(at + FIRST, texts, short=True) for at in range(count)]
    said = [
        "<br>".join([
            f"<b>{escape(part_name(at + FIRST, texts))}</b>",
            escape(texts["adds"].format(
                share=_percent(1 - float(found.around[at]), 1),
                around=_percent(float(found.around[at]), 1),
                longer=look.number(float(found.longer[at])),
                last=_percent(float(found.shares[-1, at + FIRST]), 1),
            )),
        ])
        for at in range(count)
    ]  # fmt: skip
    inks = [look.colour(ROLES[PARTS[at % len(PARTS)]]) for at in range(count)]
    return go.Scatter(
        x=np.arange(count, dtype=np.float32) + 0.5, y=np.zeros(count, np.float32),
        xaxis="x2", yaxis="y2", mode="markers+text", showlegend=False,
        marker={"symbol": ["circle", "square"] * (count // 2), "size": look.px(34), "color": inks},
        text=[f"<b>{escape(name)}</b>" for name in names],
        textfont={"size": look.px(11), "color": look.colour("page")}, **hover_texts(said),
    )  # fmt: skip


def _bars(found: Skips, texts: Texts, look: FigureStyle) -> list[go.Bar]:
    """A bar for each place of the stream, a piece for each part: of one layer, of one shade."""
    shares = found.shares.numpy()
    layers = max(1, len(found.around) // len(PARTS))
    places, bars = np.arange(len(shares), dtype=np.float32), []
    for part in range(shares.shape[1]):
        if not np.abs(shares[:, part]).max() > 0:
            continue
        layer, which = divmod(part - FIRST, len(PARTS))
        role = ("data", "norm")[part] if part < FIRST else ROLES[PARTS[which]]
        faint = 0.0 if part < FIRST else 0.5 * (layer / layers)
        states = _states(found, texts)
        said = [
            escape(texts["share"].format(
                part=part_name(part, texts), share=_percent(share, 1), place=states[at]
            ))
            for at, share in enumerate(shares[:, part].tolist())
        ]  # fmt: skip
        name = part_name(part, texts, short=True)
        back = mix_colours(look.colour(role), look.colour("page"), faint)
        bars.append(go.Bar(
            x=places, y=shares[:, part].astype(np.float32), showlegend=False,
            marker={"color": back, "line": {"width": 1, "color": look.colour("page")}},
            text=[escape(name) if share > TELLING else "" for share in shares[:, part].tolist()],
            textposition="inside", insidetextanchor="middle", textangle=0,
            textfont={"size": look.px(11), "color": readable_on(back)}, constraintext="none",
            **hover_texts(said),
        ))  # fmt: skip
    return bars
