"""The nearest words of a word as bars, and two words as one-hot and as dense vectors."""

from collections.abc import Mapping, Sequence

from glassformer.app.pages.lab.figures.tables import rows_table
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis, rows_axis
from glassformer.app.plots.bars import row_bars
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.nearest_words import Likeness, Vectors


def neighbours_figure(
    words: Sequence[str], cosines: Sequence[float], marked: int | None, look: FigureStyle
) -> go.Figure:
    """A bar for each neighbour, the nearest first; the marked one in another colour."""
    weak = mix_colours(look.colour("panel"), look.colour("data"), 0.6)
    inks = [look.colour("weights") if at == marked else weak for at in range(len(words))]
    bars = row_bars(
        list(cosines), [look.number(each) for each in cosines], inks, look, constraintext="none"
    )
    layout = base_layout(look, margin={"l": 8, "r": look.px(56), "t": 4, "b": 4, "pad": 4})
    names = [escape(visible(word)) for word in words]
    layout["yaxis"] = rows_axis(names, look, automargin=True)
    low = min(0.0, *cosines)
    layout["xaxis"] = bare_axis(look, 11, range=[low, 1.0], visible=False)
    return go.Figure([bars], layout | {"bargap": 0.25})


def vectors_table(found: Likeness, rows: int, texts: Mapping[str, str], look: FigureStyle) -> str:
    """Both ways to write a word beside each other, HTML; rows: of the table.

    texts: "sparse", "dense", "numbers", "filled", "product", "cosine", "cost".
    """
    costs = {"sparse": rows * found.dense.numbers, "dense": 0}
    lines = []
    for name, cost in costs.items():
        each: Vectors = getattr(found, name)
        numbers = (
            f"{each.numbers:,}", f"{each.filled:,}", look.number(each.product),
            f"<b>{look.number(each.cosine)}</b>", f"{cost:,}",
        )  # fmt: skip
        cells = "".join(f"<td>{number}</td>" for number in numbers)
        lines.append((f"<th>{escape(texts[name])}</th>", cells))
    heads = ("numbers", "filled", "product", "cosine", "cost")
    return rows_table("lab-keeps", [texts[head] for head in heads], lines)
