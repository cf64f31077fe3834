"""Which numbers share a mean in each normalisation, and what it costs."""

from collections.abc import Mapping
from html import escape

from glassformer.app.pages.lab.figures.tables import matrix_html
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.norm_axes import Norm, NormAxes, Normed

Told = Mapping[Norm, tuple[str, str]]


def axes_html(found: NormAxes, told: Told, texts: Mapping[str, str], look: FigureStyle) -> str:
    """A section for each norm: the tensor with the block that shares a mean, and its facts, HTML.

    told: over what each norm takes its mean, and its use. texts: the norms' names, "cell", "means",
    "parameters", "kept", "operations".
    """
    sections = [_section(found, each, told[each.key], texts, look) for each in found.norms.values()]
    return f'<div class="lab-norm-axes">{"".join(sections)}</div>'


def _section(
    found: NormAxes,
    each: Normed,
    told: tuple[str, str],
    texts: Mapping[str, str],
    look: FigureStyle,
) -> str:
    x, apart = found.x.numpy(), ~each.together.numpy()
    boards = []
    for at, (cells, faint) in enumerate(zip(x, apart, strict=True)):
        wrong = faint & False
        if found.at[0] == at:
            wrong[found.at[1:]] = True
        boards.append(matrix_html(cells, look, wrong=wrong, faint=faint, tinted=False))
    values = (each.mean, each.divisor, float(found.x[found.at]), float(each.output[found.at]))
    names = ("mean", "divisor", "value", "output")
    said = texts["cell"].format(**dict(zip(names, map(look.number, values), strict=True)))
    facts = "".join(
        f"<tr><th>{escape(texts[name])}</th><td>{format_number(getattr(each, name))}</td></tr>"
        for name in ("means", "parameters", "kept", "operations")
    )
    over, use = map(escape, told)
    return (
        f"<section><h5><b>{escape(texts[each.key])}</b></h5><p>{over}</p>"
        f'{"".join(boards)}<p>{escape(said)}</p><table class="plain">{facts}</table>'
        f"<p>{use}</p></section>"
    )
