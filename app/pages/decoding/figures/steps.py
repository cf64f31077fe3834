"""A decoding step by step: probabilities of two runs, work of the cache, scores, source weights."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.bars import row_bars, share_hover
from glassformer.app.plots.colours import fade_colour, mix_colours
from glassformer.app.plots.labels import escape, format_number, format_percent, visible
from glassformer.app.plots.marks import grey_labels, hover_texts, upright_line
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    is_numbered,
    named_ticks,
    token_axis,
)
from glassformer.core.interventions.translations import TranslatedWord

LEFT = 100  # pixels: the columns stand below those of a table with row titles as wide
ROLES, SHAPES = ("data", "changed"), ("", "/")  # of the two bars of a step
FEW = 14  # words over whose bars the percentages have room
WIDTH, APART = 0.38, 0.2  # of the cache's bars; half of what lies between those of one step
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def step_name(step: TranslatedWord) -> str:
    """Which step of the decoder it is, counted from 1; of both runs where they differ: "4|6"."""
    rows = (step.before_row, step.after_row)
    if rows[0] == rows[1]:
        return str((rows[0] or 0) + 1)
    return "|".join("–" if row is None else str(row + 1) for row in rows)


def beside_steps(
    steps: Sequence[TranslatedWord], names: tuple[str, str], look: FigureStyle, height: int
) -> go.Figure:
    """Two bars a step (0 … 1); the second run in the colour of what changed."""
    own = [
        ([each.before for each in steps], [each.old_word[0] for each in steps]),
        ([each.after for each in steps], [each.new_word[1] for each in steps]),
    ]
    bars = [
        go.Bar(
            x=np.arange(len(steps), dtype=np.float32),
            y=np.array([np.nan if each is None else each for each in chances], dtype=np.float32),
            name=escape(name),
            text=["" if each is None else escape(visible(each)) for each in words],
            textposition="none",
            marker={"color": look.colour(role), "pattern": {"shape": shape, "size": look.px(6)}},
            hovertemplate="<b>%{text}</b> %{y:.4~g}<extra>%{fullData.name}</extra>",
        )
        for (words, chances), name, role, shape in zip(own, names, ROLES, SHAPES, strict=True)
    ]
    layout = base_layout(look, height, template="none", hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    margin = {"l": look.px(LEFT), "r": 4, "t": look.px(28), "b": look.px(22), "pad": 2}
    layout["margin"] = margin | {"autoexpand": False}
    names_below = named_ticks([step_name(each) for each in steps])
    layout["xaxis"] |= names_below | {"range": [-0.5, len(steps) - 0.5]}
    layout["yaxis"] |= {"range": [0, 1.02], "showgrid": True, "nticks": 5}
    return go.Figure(bars, layout | {"barmode": "group", "bargap": 0.35})


def exposure_figure(
    words: Sequence[str], right: Sequence[float], wrong: Sequence[float],
    names: tuple[str, str], look: FigureStyle, width: int, height: int,
) -> go.Figure:  # fmt: skip
    """Two bars a word: its probability after the right words, and after the wrong one.

    names: of the two. width: pixels of the axis, by which the words are written.
    """
    layout = base_layout(look, height, barmode="group", bargap=0.3, bargroupgap=0.06)
    layout["xaxis"] |= token_axis(words, look, width)
    layout["yaxis"] |= {
        "range": [0, 1.2], "tickformat": ".0%", "tickvals": [0, 0.5, 1], "showgrid": True,
    }  # fmt: skip
    few, shown = len(words) <= FEW, [visible(word) for word in words]
    bars = [
        go.Bar(
            x=list(range(len(words))),
            y=[0.0 if math.isnan(share) else share for share in shares],
            name=escape(name),
            marker={"color": look.colour(role), "pattern": {"shape": shape, "size": look.px(6)}},
            text=[format_percent(share) for share in shares] if few else None,
            textposition="outside",
            textangle=0,
            constraintext="none",
            textfont=look.font(11, "text"),
            cliponaxis=False,
            **hover_texts([*map(share_hover, shown, shares, repeat(name))], "customdata"),
        )
        for shares, name, role, shape in zip((right, wrong), names, ROLES, SHAPES, strict=True)
    ]
    return go.Figure(bars, layout)


def cache_work(
    numbers: Mapping[str, Sequence[int]], now: int, hovers: Sequence[str],
    texts: Mapping[str, str], look: FigureStyle, height: int,
) -> go.Figure:  # fmt: skip
    """Two bars a step: what the cache gives and what is computed, and all computed anew.

    numbers: by step, "reused", "computed", "without". now: the step in focus, behind which a band
    lies. hovers: what a step says, as plain text. texts: names of the three, "step", "numbers".
    """
    count, added = len(hovers), look.colour("data")
    said = hover_texts([escape(each).replace("\n", "<br>") for each in hovers], "customdata")
    bars = [
        go.Bar(x=[at + aside for at in range(count)], y=list(numbers[name]),
               name=escape(texts[name]), marker={"color": colour}, width=WIDTH, **said)
        for aside, name, colour in (
            (-APART, "computed", added),
            (-APART, "reused", mix_colours(look.colour("panel"), added, 0.3)),
            (APART, "without", look.colour("key")),
        )
    ]  # fmt: skip
    layout = base_layout(look, height, barmode="stack", template="none", showlegend=True)
    layout["margin"] |= {"t": look.px(46)}
    places = list(range(0, count, max(1, count // 16)))
    layout["xaxis"] |= {
        **named_ticks([str(at + 1) for at in places], places),
        "range": [-0.6, count - 0.4],
        "title": layout["xaxis"]["title"] | {"text": escape(texts["step"])},
    }  # fmt: skip
    layout["yaxis"] |= {"showgrid": True, "tickformat": ",d"}
    # Above the names, however many lines these take: beside the axis Chinese would be rotated.
    title = {"text": escape(texts["numbers"]), "side": "top", "font": look.font(12, "faint")}
    layout["legend"] = {
        "title": title,
        "orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": look.px(13)},
        "traceorder": "normal", "itemclick": False, "itemdoubleclick": False,
    }  # fmt: skip
    layout["shapes"] = [
        {"type": "rect", "x0": now - 0.5, "x1": now + 0.5, "yref": "paper", "y0": 0, "y1": 1,
         "line": {"width": 0}, "fillcolor": fade_colour(added, 0.14), "layer": "below"}
    ]  # fmt: skip
    return go.Figure(bars, layout)


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
