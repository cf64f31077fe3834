"""One head's weights with the padding masks, without, and the difference, on the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging, sequential
from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout, colour_bar, hatching, token_axis

GAP = 0.02
LABELS, BARS = 96, 120  # pixels of the rows' words, and of the two colour bars


@dataclass(frozen=True)
class Maps:
    """(rows, keys): weights 0..1 and what may be looked at, in both views."""

    weights: tuple[np.ndarray, np.ndarray]
    allowed: tuple[np.ndarray, np.ndarray]
    rows: Sequence[str]
    keys: Sequence[str]
    real: int  # keys that are words, not padding


def batch_maps(
    maps: Maps,
    titles: Sequence[str],
    words: tuple[str, str],
    look: Look,
    size: tuple[int, int] = (1000, 360),
) -> go.Figure:
    """Three heat maps beside each other: before, after (one scale), after − before.

    titles: of the three. words: what the hover calls a weight, and a difference.
    """
    before, after = (each.astype(np.float32) for each in maps.weights)
    change = after - before
    tops = [float(np.nanmax(np.abs(each), initial=0)) for each in (before, after, change)]
    scales = (max(tops[:2]) or 1.0, tops[2] or 1.0)
    width = (1 - 2 * GAP) / 3
    layout: dict[str, Any] = {}
    drawn: list[Any] = []
    notes, lines = [], []
    for place, (values, title) in enumerate(zip((before, after, change), titles, strict=True)):
        number = "" if place == 0 else str(place + 1)
        start = place * (width + GAP)
        drawn.append(_cells(values, number, "weights" if place < 2 else "difference", words))
        if place < 2 and not maps.allowed[place].all():
            drawn.append(_hatched(maps.allowed[place], number, look))
        layout |= _axes(maps, number, (start, start + width), look, size)
        notes.append(_title(title, number, look))
        lines.append(_line(maps, number, look))
    return go.Figure(
        drawn,
        base_layout(
            look,
            size[1],
            template="none",
            margin={"l": look.px(LABELS), "r": 8, "t": look.px(24), "b": look.px(26), "pad": 2},
            coloraxis=_scale(look, 0.0, scales[0], 1.01),
            coloraxis2=_scale(look, -scales[1], scales[1], 1.07),
            annotations=notes,
            shapes=lines,
            hovermode="closest",
            **layout,
        ),
    )


def _scale(look: Look, low: float, high: float, x: float) -> dict[str, Any]:
    colours = diverging(look.dark) if low < 0 else sequential("weights", look.dark)
    bar = colour_bar(look) | {"x": x, "nticks": 4}
    return {"cmin": low, "cmax": high, "colorscale": colours, "colorbar": bar}


def _cells(values: np.ndarray, number: str, kind: str, words: tuple[str, str]) -> go.Heatmap:
    weights = kind == "weights"
    called = escape(words[0] if weights else words[1])
    return go.Heatmap(
        z=values,
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        coloraxis="coloraxis" if weights else "coloraxis2",
        xgap=1,
        ygap=1,
        hovertemplate=f"<b>%{{y}}</b> → <b>%{{x}}</b><br>{called} %{{z:.5~g}}<extra></extra>",
    )


def _hatched(allowed: np.ndarray, number: str, look: Look) -> go.Scatter:
    cover = hatching(allowed, look)
    cover.update(xaxis=f"x{number}", yaxis=f"y{number}")
    return cover


def _axes(
    maps: Maps, number: str, domain: tuple[float, float], look: Look, size: tuple[int, int]
) -> dict[str, Any]:
    pixels = (domain[1] - domain[0]) * (size[0] - LABELS - BARS)
    across = token_axis(maps.keys, look, pixels, "top")
    across |= {"domain": list(domain), "anchor": f"y{number}"}
    down = token_axis(maps.rows, look, size[1] - 90, "left")
    down |= {"anchor": f"x{number}", "showticklabels": number == "", "automargin": number == ""}
    return {f"xaxis{number}": across, f"yaxis{number}": down}


def _title(title: str, number: str, look: Look) -> dict[str, Any]:
    return {
        "text": f"<b>{escape(title)}</b>",
        "font": {"size": look.px(13), "color": look.colour("text")},
        "showarrow": False,
        "xref": f"x{number} domain",
        "x": 0,
        "yref": "paper",
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "yshift": -4,
    }


def _line(maps: Maps, number: str, look: Look) -> dict[str, Any]:
    """Where the words end and the padding begins."""
    place = maps.real - 0.5
    return {
        "type": "line",
        "xref": f"x{number}",
        "yref": f"y{number} domain",
        "x0": place,
        "x1": place,
        "y0": 0,
        "y1": 1,
        "line": {"color": look.colour("changed"), "width": 1.5, "dash": "dot"},
        "visible": maps.real < len(maps.keys),
    }


def row_labels(read: Sequence[str], written: Sequence[str]) -> list[str]:
    """A row of the decoder: the word it reads and the one it writes."""
    pairs = zip(read, written, strict=True)
    return [f"{visible(one)}▸{visible(two)}" for one, two in pairs]
