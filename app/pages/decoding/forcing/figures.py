"""The probabilities after the right words and after a wrong one."""

import math
from collections.abc import Sequence
from itertools import repeat

from glassformer.app.pages.decoding.figures.steps import ROLES, SHAPES
from glassformer.app.plots import drawing as go
from glassformer.app.plots.bars import share_hover
from glassformer.app.plots.labels import escape, format_percent, text_width, visible
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout, token_axis

FEW = 14  # words over whose bars the percentages have room, level or upright
BARS = 0.66  # of the width, which the bars take


def exposure_figure(
    words: Sequence[str], right: Sequence[float], wrong: Sequence[float],
    names: tuple[str, str], look: FigureStyle, width: int, height: int,
) -> go.Figure:  # fmt: skip
    """Two bars a word: its probability after the right words, and after the wrong one.

    names: of the two. width: pixels of the axis, by which the words are written.
    """
    few, shown = len(words) <= FEW, [visible(word) for word in words]
    numbers = [[format_percent(share) for share in shares] for shares in (right, wrong)]
    longest = max(text_width(number, look.px(11)) for number in numbers[0] + numbers[1])
    level = 2 * len(words) * longest < BARS * width
    layout = base_layout(look, height, barmode="group", bargap=0.3, bargroupgap=0.06)
    layout["xaxis"] |= token_axis(words, look, width)
    layout["yaxis"] |= {
        "range": [0, 1.2 if level else 1.3], "tickformat": ".0%",
        "tickvals": [0, 0.5, 1], "showgrid": True,
    }  # fmt: skip
    bars = [
        go.Bar(
            x=list(range(len(words))),
            y=[0.0 if math.isnan(share) else share for share in shares],
            name=escape(name),
            marker={"color": look.colour(role), "pattern": {"shape": shape, "size": look.px(6)}},
            text=said if few else None,
            textposition="outside",
            textangle=0 if level else -90,
            constraintext="none",
            textfont=look.font(11, "text"),
            cliponaxis=False,
            **hover_texts([*map(share_hover, shown, shares, repeat(name))], "customdata"),
        )
        for shares, said, name, role, shape in zip(
            (right, wrong), numbers, names, ROLES, SHAPES, strict=True
        )
    ]
    return go.Figure(bars, layout)
