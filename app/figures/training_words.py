"""Word vectors on a plane: a point a word, in the colour of what the word is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import head_colour, mix
from app.figures.label_places import Label, label_places
from app.figures.labels import escape, text_width, visible
from app.figures.theme import Look, base_layout
from core.reading.word_plane import Word

SYMBOLS = {"en": "circle", "zh": "diamond"}
MARGIN = 0.06  # of the width and the height, on all sides: names need room, too
FONTS, SIZES = (12, 14), (7, 9)  # pixels of a word's name and point; those of the sentence last
LIFT = 0.3  # share of the text colour in a hue on dark: names are thin, thinner than lines
Ends = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class PlaneTexts:
    """What the figure says, in the reader's language."""

    axes: tuple[str, str]
    groups: Mapping[str, str]  # what a group is called; "" for words of the sentence alone


def words_figure(
    words: Sequence[Word], path: np.ndarray, ends: Ends, texts: PlaneTexts, look: Look, width: int,
    height: int,
) -> go.Figure:  # fmt: skip
    """The words at one step, and the way that those of the sentence have come.

    path (steps so far, N, 2): places on the plane, the step in view last. ends: of both axes, the
    same at all steps, so that points move and axes do not. width, height: the least pixels that the
    figure will have; names that would cover others in them are left to the mouse.
    """
    now, hues = path[-1], group_colours(words, look)
    traces = [_ways(words, path, look)]
    below = look.px(22)
    names = _named(words, now, ends, look, (width - 16, height - 8 - below))
    traces += [_points(words, now, hues, texts, look, spoken, names) for spoken in (False, True)]
    layout = base_layout(look, height, margin={"l": 8, "r": 8, "t": 8, "b": below, "pad": 0})
    layout["xaxis"] = _axis(ends[0], texts.axes[0], look)
    layout["yaxis"] = _axis(ends[1], texts.axes[1], look)
    layout["hovermode"] = "closest"
    return go.Figure(traces, layout)


def group_colours(words: Sequence[Word], look: Look) -> dict[str, str]:
    """A hue for each group, in the order of the words; words without one are in the text colour."""
    names = dict.fromkeys(word.group for word in words if word.group)
    text, lift = look.colour("text"), LIFT if look.dark else 0.0
    hues = {
        name: mix(head_colour(place, look.dark), text, lift) for place, name in enumerate(names)
    }
    return {**hues, "": text}


def ends_of(paths: np.ndarray) -> Ends:
    """Where both axes begin and end so that all points of all steps (steps, N, 2) are seen."""
    places = paths.reshape(-1, 2)
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.where(high > low, high - low, 1.0) * MARGIN
    starts, stops = (low - room).tolist(), (high + room).tolist()
    return (starts[0], stops[0]), (starts[1], stops[1])


def _ways(words: Sequence[Word], path: np.ndarray, look: Look) -> go.Scatter:
    x: list[float | None] = []
    y: list[float | None] = []
    for place, word in enumerate(words):
        if word.spoken:
            x += [*map(float, path[:, place, 0]), None]
            y += [*map(float, path[:, place, 1]), None]
    line = {"color": mix(look.colour("line"), look.colour("faint"), 0.35), "width": 1.5}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")


def _points(
    words: Sequence[Word], now: np.ndarray, hues: Mapping[str, str], texts: PlaneTexts, look: Look,
    spoken: bool, names: Sequence[str],
) -> go.Scatter:  # fmt: skip
    chosen = [place for place, word in enumerate(words) if word.spoken == spoken]
    shown = [words[place] for place in chosen]
    size = look.px(SIZES[spoken])
    return go.Scatter(
        x=now[chosen, 0].astype(np.float32),
        y=now[chosen, 1].astype(np.float32),
        mode="markers+text",
        text=[_name(words[place], spoken) if names[place] else "" for place in chosen],
        textposition=[names[place] or "top center" for place in chosen],
        textfont={
            "size": look.px(FONTS[spoken]),
            "color": [look.colour("text") if spoken else hues[word.group] for word in shown],
        },
        marker={
            "size": size,
            "symbol": [SYMBOLS.get(word.language, "circle") for word in shown],
            "color": [hues[word.group] for word in shown],
            "opacity": 1.0 if spoken else 0.7,
            "line": {"color": look.colour("text"), "width": 2 if spoken else 0},
        },
        customdata=[_said(word, texts) for word in shown],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _named(
    words: Sequence[Word], now: np.ndarray, ends: Ends, look: Look, size: tuple[int, int]
) -> list[str]:
    """On which side of its point each name stands, "" for none; the sentence's own come first."""
    shares = [(now[:, at] - low) / ((high - low) or 1) for at, (low, high) in enumerate(ends)]
    x, y = shares[0] * size[0], (1 - shares[1]) * size[1]
    order = [
        *(at for at, word in enumerate(words) if word.spoken),
        *(at for at, word in enumerate(words) if word.named and not word.spoken),
    ]
    labels = []
    for at in order:
        spoken = words[at].spoken
        font = look.px(FONTS[spoken])
        wide = text_width(visible(words[at].piece), font * (1.06 if spoken else 1))
        gap = look.px(SIZES[spoken]) / 1.6 + 1  # as Plotly has it
        labels.append(Label(float(x[at]), float(y[at]), wide, 1.15 * font, gap, spoken))
    half = look.px(SIZES[True]) / 2
    marks = [
        (each.x - half, each.y - half, each.x + half, each.y + half) for each in labels if each.must
    ]
    names = [""] * len(words)
    for at, place in zip(order, label_places(labels, marks), strict=True):
        names[at] = place
    return names


def _name(word: Word, spoken: bool) -> str:
    label = escape(visible(word.piece))
    return f"<b>{label}</b>" if spoken else label


def _said(word: Word, texts: PlaneTexts) -> str:
    group = texts.groups.get(word.group, "")
    return escape(visible(word.piece)) + (f" · {escape(group)}" if group else "")


def _axis(ends: tuple[float, float], title: str, look: Look) -> dict[str, Any]:
    return {
        "range": list(ends),
        "showgrid": False,
        "zeroline": True,
        "zerolinecolor": look.colour("line"),
        "showticklabels": False,
        "fixedrange": True,
        "title": {
            "text": escape(title),
            "font": {"size": look.px(12), "color": look.colour("faint")},
            "standoff": 4,
        },
    }
