"""Word vectors on a plane: a point a word, in the colour of what the word is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import head_colour, mix_colours
from glassformer.app.plots.labels import escape, text_width, visible
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.analysis.training_views import Word

SYMBOLS = {"en": "circle", "zh": "diamond"}
MARGIN = 0.06  # of the width and the height, on all sides: names need room, too
FONTS, SIZES = (12, 14), (7, 9)  # pixels of a word's name and point; those of the sentence last
LIFT = 0.3  # share of the text colour in a hue on dark: names are thin, thinner than lines
Ends = tuple[tuple[float, float], tuple[float, float]]
Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels

# Plotly's names, the best place first; the shift of the name's middle, in its own half sizes.
PLACES = {
    "top center": (0, -1), "bottom center": (0, 1), "middle right": (1, 0), "middle left": (-1, 0),
    "top right": (1, -1), "top left": (-1, -1), "bottom right": (1, 1), "bottom left": (-1, 1),
}  # fmt: skip


def words_figure(
    words: Sequence[Word], path: np.ndarray, ends: Ends, axes: tuple[str, str],
    groups: Mapping[str, str], look: FigureStyle, size: tuple[int, int],
) -> go.Figure:  # fmt: skip
    """The words at one step, and the way that those of the sentence have come.

    path (steps so far, N, 2): places on the plane, the step in view last. ends: of both axes, the
    same at all steps, so that points move and axes do not. axes: their titles. groups: what each is
    called. size: width and height, the least pixels that the figure will have; names that would
    cover others in them are left to the mouse.
    """
    now, hues, (width, height) = path[-1], group_colours(words, look), size
    traces = [_ways(words, path, look)]
    below = look.px(22)
    names = _named(words, now, ends, look, (width - 16, height - 8 - below))
    traces += [_points(words, now, hues, groups, look, spoken, names) for spoken in (False, True)]
    layout = base_layout(look, height, margin={"l": 8, "r": 8, "t": 8, "b": below, "pad": 0})
    layout["xaxis"] = _axis(ends[0], axes[0], look)
    layout["yaxis"] = _axis(ends[1], axes[1], look)
    layout["hovermode"] = "closest"
    return go.Figure(traces, layout)


def group_colours(words: Sequence[Word], look: FigureStyle) -> dict[str, str]:
    """A hue for each group, in the order of the words; words without one are in the text colour."""
    names = dict.fromkeys(word.group for word in words if word.group)
    text, lift = look.colour("text"), LIFT if look.dark else 0.0
    hues = {
        name: mix_colours(head_colour(place, look.dark), text, lift)
        for place, name in enumerate(names)
    }
    return {**hues, "": text}


def ends_of(paths: np.ndarray) -> Ends:
    """Where both axes begin and end so that all points of all steps (steps, N, 2) are seen."""
    places = paths.reshape(-1, 2)
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.where(high > low, high - low, 1.0) * MARGIN
    starts, stops = (low - room).tolist(), (high + room).tolist()
    return (starts[0], stops[0]), (starts[1], stops[1])


def _ways(words: Sequence[Word], path: np.ndarray, look: FigureStyle) -> go.Scatter:
    spoken = [place for place, word in enumerate(words) if word.spoken]
    x, y = ([each for at in spoken for each in (*way[:, at].tolist(), None)]
            for way in (path[..., 0], path[..., 1]))  # fmt: skip
    line = {"color": mix_colours(look.colour("line"), look.colour("faint"), 0.35), "width": 1.5}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")


def _points(
    words: Sequence[Word], now: np.ndarray, hues: Mapping[str, str], groups: Mapping[str, str],
    look: FigureStyle, spoken: bool, names: Sequence[str],
) -> go.Scatter:  # fmt: skip
    chosen = [place for place, word in enumerate(words) if word.spoken == spoken]
    shown = [words[place] for place in chosen]
    colours = [hues[word.group] for word in shown]
    labels = [escape(visible(word.piece)) for word in shown]
    called = [groups.get(word.group, "") for word in shown]
    said = [
        f"{label} · {escape(group)}" if group else label
        for label, group in zip(labels, called, strict=True)
    ]
    labels = [f"<b>{label}</b>" for label in labels] if spoken else labels
    return go.Scatter(
        x=now[chosen, 0].astype(np.float32),
        y=now[chosen, 1].astype(np.float32),
        mode="markers+text",
        text=[text if names[at] else "" for text, at in zip(labels, chosen, strict=True)],
        textposition=[names[place] or "top center" for place in chosen],
        textfont={
            "size": look.px(FONTS[spoken]),
            "color": [look.colour("text")] * len(shown) if spoken else colours,
        },
        marker={
            "size": look.px(SIZES[spoken]),
            "symbol": [SYMBOLS.get(word.language, "circle") for word in shown],
            "color": colours,
            "opacity": 1.0 if spoken else 0.7,
            "line": {"color": look.colour("text"), "width": 2 if spoken else 0},
        },
        cliponaxis=False,
        **hover_texts(said, "customdata"),
    )


def _named(
    words: Sequence[Word], now: np.ndarray, ends: Ends, look: FigureStyle, size: tuple[int, int]
) -> list[str]:
    """On which side of its point each name stands, "" for none; the sentence's own come first."""
    shares = [(now[:, at] - low) / ((high - low) or 1) for at, (low, high) in enumerate(ends)]
    x, y = shares[0] * size[0], (1 - shares[1]) * size[1]
    shown = [at for at, word in enumerate(words) if word.spoken or word.named]
    order = sorted(shown, key=lambda at: not words[at].spoken)
    labels = []
    for at in order:
        spoken = words[at].spoken
        font = look.px(FONTS[spoken])
        wide = text_width(visible(words[at].piece), font * (1.06 if spoken else 1))
        gap = look.px(SIZES[spoken]) / 1.6 + 1  # as Plotly has it
        labels.append(Label(float(x[at]), float(y[at]), wide, 1.15 * font, gap, spoken))
    half = look.px(SIZES[True]) / 2
    own = [each for each in labels if each.must]
    marks = [(each.x - half, each.y - half, each.x + half, each.y + half) for each in own]
    places = dict(zip(order, label_places(labels, marks), strict=True))
    return [places.get(at, "") for at in range(len(words))]


def _axis(ends: tuple[float, float], title: str, look: FigureStyle) -> dict[str, Any]:
    heading = {"text": escape(title), "font": look.font(12, "faint"), "standoff": 4}
    return {
        "range": list(ends), "title": heading, "showticklabels": False, "fixedrange": True,
        "showgrid": False, "zeroline": True, "zerolinecolor": look.colour("line"),
    }  # fmt: skip


@dataclass(frozen=True)
class Label:
    """The name of one point, sizes in pixels; `must`: rather over a point than left out."""

    x: float
    y: float  # downwards
    width: float
    height: float
    gap: float  # from the middle of the point to its name
    must: bool = False


def label_places(labels: Sequence[Label], marks: Sequence[Box] = ()) -> list[str]:
    """A place of `PLACES` for each name, "" for one that has no free place.

    The first ones choose first. marks: what no name should cover, either.
    """
    taken, chosen = np.array(marks).reshape(-1, 4), list[str]()
    points = len(taken)
    for label in labels:
        half = np.array([label.width, label.height]) / 2
        middles = np.array([*PLACES.values()]) * (label.gap + half) + (label.x, label.y)  # (8, 2)
        boxes = np.hstack([middles - half, middles + half])  # (8, 4)
        low = np.maximum(boxes[:, None, :2], taken[:, :2])  # of what each shares with those taken
        high = np.minimum(boxes[:, None, 2:], taken[:, 2:])
        shared = (high - low).clip(0).prod(axis=-1)  # (8, taken)
        names = shared[:, points:].sum(axis=-1) if label.must else shared.sum(axis=-1)  # (8,)
        best = int(np.lexsort((shared.sum(axis=-1), names))[0])
        free = names[best] == 0
        chosen.append([*PLACES][best] if free else "")
        if free:
            taken = np.vstack([taken, boxes[best]])
    return chosen
