"""The figures of the beam: scores over α, and the source words that a step looks at."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.bars import row_bars, share_hover
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import escape, format_number, visible
from glassformer.app.plots.marks import grey_labels, hover_texts, upright_line
from glassformer.app.plots.theme import FigureStyle, base_layout, is_numbered, token_axis

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def alpha_scores(
    alphas: np.ndarray, scores: np.ndarray, names: Sequence[str], now: float, focus: int | None,
    look: FigureStyle, title: str, height: int = 200,
) -> go.Figure:  # fmt: skip
    """One line a hypothesis, scores (N, A) over α (A,); the best at each α on top.

    names: for hover. now: the α of the search, an upright line. focus: the place of the line that
    stands out; the others are grey, told apart by their strokes. title: of the
    lower axis; what is read upwards is said above the figure.
    """
    layout = base_layout(look, height=height, hovermode="closest")
    x_title = layout["xaxis"]["title"] | {"text": escape(title), "standoff": 0}
    span = [float(alphas[0]), float(alphas[-1])]
    small = {"size": look.px(12)}
    layout["xaxis"] |= {"title": x_title, "range": span, "tickfont": small}
    layout["yaxis"] |= {"nticks": 5, "showgrid": True, "tickfont": small}
    layout["shapes"] = [upright_line(now, look, "key")]
    order = sorted(range(len(names)), key=lambda at: at == focus)  # the one in focus on top
    lines = [_line(alphas, scores[at], names[at], at, at == focus, look) for at in order]
    return go.Figure(lines, layout)


def _line(
    alphas: np.ndarray, scores: np.ndarray, name: str, place: int, focus: bool, look: FigureStyle
) -> go.Scatter:
    dash = "solid" if focus else DASHES[place % len(DASHES)]
    colour, width = look.colour("data" if focus else "faint"), 3 if focus else 1.4
    points = zip(alphas.tolist(), scores.tolist(), strict=True)
    return go.Scatter(
        x=np.asarray(alphas, dtype=np.float32),
        y=np.asarray(scores, dtype=np.float32),
        mode="lines",
        line={"color": colour, "width": width, "dash": dash},
        customdata=[f"α = {alpha:g}: {format_number(score, 6)}" for alpha, score in points],
        name=escape(name),
        hovertemplate="%{fullData.name}<br>%{customdata}<extra></extra>",
    )


def source_weights(
    words: Sequence[str], weights: Sequence[float], look: FigureStyle, sinks: Collection[int] = (),
    pixels: float = 300,
) -> go.Figure:  # fmt: skip
    """One horizontal bar a word, in the order of the sentence; the strongest in full colour.

    weights: 0..1; NaN has no bar and is written. sinks: places of signs, their words in grey.
    pixels: of the height in the smallest window; the chart fills its place.
    """
    layout = base_layout(look)
    layout["xaxis"] |= {"range": [0, 1.18], "visible": False}
    axis = token_axis(words, look, pixels - 16, side="left")
    layout["yaxis"] |= grey_labels(axis, sinks, look)
    known = [0.0 if math.isnan(each) else each for each in weights]
    most = max(range(len(known)), key=known.__getitem__, default=0)
    strong = look.colour("weights")
    weak = mix_colours(look.colour("panel"), strong, 0.5)
    colours = [strong if at == most else weak for at in range(len(words))]
    names, numbered = [visible(word) for word in words], is_numbered(axis, words)
    shown = [
        (f"{escape(name)} " if numbered else "") + look.number(weight)
        for name, weight in zip(names, weights, strict=True)
    ]
    said = hover_texts([*map(share_hover, names, weights)], "customdata")
    bars = row_bars(weights, shown, colours, look, 12, width=0.74, **said)
    return go.Figure(bars, layout)
