"""One step's distribution: the best words as bars."""

from collections.abc import Mapping, Sequence

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.bars import NOTHING, format_share, row_bars, share_hover
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import colour_label, hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout

ROOM = 1.32  # of the axis, whose bars end at 1: percentages and remarks stand to the right


def next_words(
    words: Sequence[str], probabilities: Sequence[float], chosen: int, look: FigureStyle, *,
    height: int = 300, forced: bool = False, signs: Mapping[int, str] = NOTHING,
    remarks: Mapping[int, str] = NOTHING, rest: tuple[str, float] | None = None,
) -> go.Figure:  # fmt: skip
    """One horizontal bar a word, in the order given; the chosen one in full colour.

    probabilities: 0..1, NaN has no bar. chosen: its place among the words. forced: that word was
    given by hand. signs: places of what is a sign, not a word, and what it is. remarks: at some
    places, why a word cannot be taken; such words are grey. rest: the name and the share of all
    other words, a last bar. A click anywhere on a row reports its place as y; that of the rest is
    len(words).
    """
    names = [*map(visible, words), *([rest[0]] if rest else [])]
    shares = [*probabilities, *([rest[1]] if rest else [])]
    colours = _colours(len(words), chosen, look, forced, remarks)
    colours += [look.colour("line")] if rest else []
    texts = [format_share(share, remarks.get(at), look) for at, share in enumerate(shares)]
    hovers = [
        share_hover(name, share, signs.get(at), remarks.get(at))
        for at, (name, share) in enumerate(zip(names, shares, strict=True))
    ]
    labels = [escape(name) for name in names]
    for at in {*signs, *remarks, *([len(words)] if rest else [])}:
        labels[at] = colour_label(labels[at], look.colour("faint"))
    bold = f"<b>{labels[chosen]}</b>"
    labels[chosen] = colour_label(bold, look.colour("changed")) if forced else bold
    least = (look.px(292), 0)
    layout = base_layout(look, height, least, barmode="overlay", template="none")
    layout["xaxis"] |= {"range": [0, ROOM], "visible": False}
    layout["yaxis"] |= rows_axis(labels, look, 15, ticklen=6)
    plain = {"width": 0.74, "constraintext": "none", "hoverinfo": "skip"}
    bars = row_bars(shares, texts, colours, look) | plain
    return go.Figure([bars, _whole_rows(hovers)], layout)


def _whole_rows(hovers: Sequence[str]) -> go.Bar:
    """Unseen, over the whole width: the smallest bar is as easy to click as the largest."""
    return go.Bar(
        x=[ROOM] * len(hovers),
        y=list(range(len(hovers))),
        orientation="h",
        width=1,
        marker={"color": "rgba(0,0,0,0)"},
        **hover_texts(list(hovers), "customdata"),
    )


def _colours(
    count: int, chosen: int, look: FigureStyle, forced: bool, remarks: Mapping[int, str]
) -> list[str]:
    panel, strong = look.colour("panel"), look.colour("data")
    weak, grey = mix_colours(panel, strong, 0.5), mix_colours(panel, look.colour("faint"), 0.4)
    found = [grey if at in remarks else weak for at in range(count)]
    found[chosen] = look.colour("changed") if forced else strong
    return found
