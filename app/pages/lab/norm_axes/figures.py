"""Which numbers share a mean in each normalisation, and what it costs."""

from collections.abc import Mapping
from html import escape

import numpy as np

from glassformer.app.pages.lab.figures.tables import matrix_html
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.norm_axes import Norm, NormAxes, Normed

Told = Mapping[Norm, tuple[str, str]]


def axes_html(found: NormAxes, told: Told, texts: Mapping[str, str], look: FigureStyle) -> str:
    """A section for each norm: the tensor with the block that shares a mean, and its facts, HTML.

    Beside the rows, or below the columns, stand the mean and the variance that they share.

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
    boards = [_board(found, each, at, look) for at in range(len(found.x))]
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


def _board(found: NormAxes, each: Normed, at: int, look: FigureStyle) -> str:
    """One example with the numbers that its rows or columns share, those in plain type."""
    cells, faint = found.x[at].numpy(), ~each.together[at].numpy()
    shared = [("⟨x²⟩" if each.key == "rms" else "μ", each.averages[at].numpy())]
    if each.key != "rms":
        shared.append(("σ²", each.variances[at].numpy()))
    names = [name for name, _ in shared]
    if each.by_row:
        sums = np.stack([values[:, 0] for _, values in shared], axis=1)
        columns, rows, axis = [] if at else [""] * cells.shape[1] + names, [], 1
    else:
        sums = np.stack([values[0] for _, values in shared])
        columns, rows, axis = [], [""] * cells.shape[0] + names, 0
    faint = np.concatenate([faint, np.ones_like(sums, bool)], axis=axis)
    wrong = faint & False
    if found.at[0] == at:
        wrong[found.at[1:]] = True

    def write(value: float) -> str:
        return format_number(int(value) if value == round(value) else value, look.precision)

    return matrix_html(
        np.concatenate([cells, sums], axis=axis), look, rows=rows, columns=columns, wrong=wrong,
        faint=faint, tinted=False, write=write, ours=True,
    )  # fmt: skip
