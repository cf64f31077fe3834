"""How long the stream's vectors are, how the weights have grown."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.training.figures.curves import steps_axis
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import escape, text_width
from glassformer.app.plots.marks import annotate_at, dotted_line, hover_texts, upright_line
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks

# Queries, keys, … have their own colours everywhere.
ROLES = {
    "embedding": "data", "query": "query", "key": "key", "value": "value", "output": "weights",
    "feed_forward": "feed_forward", "norm": "norm", "generator": "changed",
}  # fmt: skip


def lengths_figure(
    places: Sequence[str], lengths: np.ndarray, steps: Sequence[int], now: int,
    stacks: Mapping[int, str], said: str, look: FigureStyle, height: int,
) -> go.Figure:  # fmt: skip
    """A line a step from place to place, the step in view strong, the others faint.

    lengths (steps, places). now: index of the step in view. stacks: the place where each begins
    and its name; the lines are broken before the last. said: on hover, with {place} {step} {value}.
    """
    faint = mix_colours(look.colour("page"), look.colour("data"), 0.3)
    gap = max(stacks)
    order = [*(at for at in range(len(steps)) if at != now), now]  # the strong one on top
    traces = []
    for at in order:
        colour, width, size = (look.colour("data"), 4, 9) if at == now else (faint, 1, 3)
        line = {"line": {"color": colour, "width": width}, "marker": {"size": look.px(size)}}
        hovers = [
            escape(said.format(place=place, step=steps[at], value=look.number(value)))
            for place, value in zip(places, lengths[at], strict=True)
        ]
        traces.append(_broken(lengths[at], hovers, gap, line))
    margin = _margin(look, lines=2)
    longest = max(text_width(place, look.px(12)) for place in places)
    least = margin["l"] + margin["r"] + 0.45 * longest * len(places)
    layout = base_layout(look, height, (least, 0), margin=margin, hovermode="closest")
    layout["xaxis"] |= {
        # on two lines by turns: each may be as wide as two places
        **named_ticks(["<br>" * (at % 2) + escape(place) for at, place in enumerate(places)]),
        "tickangle": 0,
        "tickfont": {"size": look.px(12)},
        "range": [-0.4, len(places) - 0.6],
        "automargin": False,
    }
    most = float(np.nanmax(lengths, initial=0)) or 1.0
    layout["yaxis"] = grid_axis(look, range=[0, 1.05 * most], nticks=6)
    layout["shapes"] = [upright_line(gap - 0.5, look, "line")]
    layout["annotations"] = [
        annotate_at(escape(text), look, start, 1, 13, "faint", xref="x")
        for start, text in stacks.items()
    ]
    return go.Figure(traces, layout)


def _broken(lengths: np.ndarray, said: Sequence[str], gap: int, line: dict[str, Any]) -> go.Scatter:
    """A line with a break before the place `gap`."""
    values = [*map(float, lengths)]
    return go.Scatter(
        x=[*range(gap), None, *range(gap, len(values))],
        y=[*values[:gap], None, *values[gap:]],
        mode="lines+markers",
        **line,
        **hover_texts([*said[:gap], "", *said[gap:]]),
    )


def sizes_figure(
    sizes: Mapping[str, Sequence[float]], steps: Sequence[int], now: int, names: Mapping[str, str],
    said: str, look: FigureStyle, height: int,
) -> go.Figure:  # fmt: skip
    """How many times as large the weights of each part are as at the first step.

    sizes: root mean square of a part's weights at each step. names: of the parts. said: on hover,
    with {part} {step} {growth} {size}.
    """
    growth = {
        part: np.asarray(values, np.float32) / (values[0] or 1) for part, values in sizes.items()
    }
    traces = []
    for part, grown in growth.items():
        numbers = zip(steps, map(look.number, grown), map(look.number, sizes[part]), strict=True)
        hovers = [
            said.format(part=names[part], step=step, growth=times, size=size)
            for step, times, size in numbers
        ]
        line = {"color": look.colour(ROLES[part]), "width": 2.5}
        places = np.arange(len(steps), dtype=np.float32)
        traces.append(dotted_line(places, grown, line, look.px(5), [*map(escape, hovers)]))
    # Every other step is unnamed: a small figure has no room for all.
    named: list[Any] = ["" if (len(steps) - at) % 2 == 0 else step for at, step in enumerate(steps)]
    ends = [float(value) for grown in growth.values() for value in grown if np.isfinite(value)]
    low, high = min(ends, default=1.0), max(ends, default=1.0)
    room = 0.06 * ((high - low) or 1)
    layout = base_layout(look, height, margin=_margin(look), hovermode="closest")
    layout["xaxis"] = steps_axis(named, look)
    layout["yaxis"] = grid_axis(look, range=[low - room, high + room], nticks=6, ticksuffix="×")
    layout["shapes"] = [upright_line(now, look, "text", dash="solid")]
    return go.Figure(traces, layout)


def _margin(look: FigureStyle, lines: int = 1) -> dict[str, int]:
    """lines: of names below."""
    below = look.px(10 + 16 * lines)
    return {"l": look.px(48), "r": look.px(18), "t": look.px(22), "b": below, "pad": 2}
