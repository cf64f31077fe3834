"""The work of every step, with the cache and without."""

from collections.abc import Mapping, Sequence

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import fade_colour, mix_colours
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks

WIDTH, APART = 0.38, 0.2  # of the cache's bars; half of what lies between those of one step


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
