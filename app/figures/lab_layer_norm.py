"""Layer norm's formulas beside each other, and how mean, deviation, γ and β are stretched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from app.figures import drawing as go
from app.figures.colours import head_colour
from app.figures.lab_curves import Line, Panel, curves_figure
from app.figures.lab_tables import beside, largest, matrix
from app.figures.theme import Look
from core.lab.layer_norms import Broadcast, Formula, LayerNorms

DASHES = ("solid", "dash", "solid", "dot")


def formula_latex(each: Formula, look: Look) -> str:
    """The formula with its deviation and the place of ε, LaTeX for `$…$`."""
    hue, inside = look.colour("norm"), each.place == "inside"
    letter = r"\sigma" if each.deviation == "population" else "s"
    painted = rf"\textcolor{{{hue}}}{{{letter}}}"
    below = rf"\sqrt{{{painted}^2 + \varepsilon}}" if inside else rf"{painted} + \varepsilon"
    return rf"\gamma\,\frac{{x - \mu}}{{{below}}} + \beta"


def formula_tables(each: Formula, found: LayerNorms, texts: Mapping[str, str], look: Look) -> str:
    """What a formula makes of every word, and the deviation it leaves, as HTML.

    texts: "output", "std", "left".
    """
    output = _flat(each.output.numpy())
    limit = largest(*(other.output.numpy() for other in found.formulas))
    std = _flat(each.std.numpy())
    left = each.spread.numpy().reshape(-1, 1)
    return beside([
        (texts["output"], matrix(output, look, "data", word_names(found), limit=limit)),
        (texts[f"std_{each.deviation}"], matrix(std, look, "norm")),
        (texts["left"], matrix(left, look, "norm", tinted=False, wrong=np.abs(left - 1) > 0.005)),
    ])  # fmt: skip


def spreads_figure(found: LayerNorms, texts: Mapping[str, str], look: Look) -> go.Figure:
    """The deviation that each formula leaves, against what the first word is multiplied by.

    texts: "curves", "axis", "one", and a name for each formula ("population_inside", …).
    """
    lines = [
        Line(
            texts[f"{each.deviation}_{each.place}"],
            found.curves[at].tolist(),
            head_colour(at, look.dark),
            DASHES[at],
        )
        for at, each in enumerate(found.formulas)
    ]
    x = found.spreads.tolist()
    panel = Panel(texts["curves"], lines, [(1.0, texts["one"])])
    return curves_figure(x, [panel], texts["axis"], look, ticks=x[::2])


def stretched_tables(found: LayerNorms, look: Look) -> str:
    """γ (x − μ) / √(σ² + ε) + β with every part stretched to the shape of x, as HTML.

    The copies that broadcasting makes are held back.
    """
    own = found.formula("population", "inside")
    x, output = found.x.numpy(), own.output.numpy()
    gamma, beta = (found.broadcasts[at] for at in (1, 2))
    words = word_names(found)
    parts = [
        ("", _whole(f"x  {_size(x.shape)}", x, look, words)),
        ("−", _part("μ", own.mean.numpy(), found.broadcasts[0], "norm", look)),
        ("÷", _part("√(σ² + ε)", own.divisor.numpy(), found.broadcasts[0], "norm", look)),
        ("×", _part("γ", found.gamma.numpy(), gamma, "feed_forward", look)),
        ("+", _part("β", found.beta.numpy(), beta, "feed_forward", look)),
        ("=", _whole(f"LN(x)  {_size(output.shape)}", output, look, ())),
    ]
    inside = "".join(f'<span class="lab-sign">{sign}</span>{table}' for sign, table in parts)
    return f'<div class="lab-stretched">{inside}</div>'


def shapes_table(found: LayerNorms, texts: Mapping[str, str], look: Look) -> str:
    """The shapes aligned at their last axis, as torch reads them, HTML.

    texts: "mean", "gamma", "bare", "axes" (three names separated by |), "fits", "refused",
    "silent".
    """
    size = tuple(found.x.shape)
    silent = found.without_keepdim is not None
    bare = texts["silent"] if silent else texts["refused"]
    rows: list[tuple[str, Sequence[int], str, bool]] = [
        ("x", size, "", True),
        (texts["mean"], found.broadcasts[0].shape, texts["fits"], True),
        (texts["gamma"], found.broadcasts[1].shape, texts["fits"], True),
        (texts["bare"], size[:2], bare, False),
    ]
    head = "".join(f"<th>{escape(each)}</th>" for each in texts["axes"].split("|"))
    lines = "".join(_shape_row(row, size, look) for row in rows)
    return f'<table class="lab-shapes"><tr><th></th>{head}<th></th></tr>{lines}</table>'


def word_names(found: LayerNorms) -> list[str]:
    """Sentence and word: "2·1"."""
    batch, words, _ = found.x.shape
    return [f"{b + 1}·{t + 1}" for b in range(batch) for t in range(words)]


def _shape_row(row: tuple[str, Sequence[int], str, bool], size: Sequence[int], look: Look) -> str:
    name, shape, said, right = row
    cells = ["<td></td>"] * (len(size) - len(shape))
    for own, needed in zip(shape, size[len(size) - len(shape) :], strict=True):
        kind = "same" if own == needed else ("copied" if own == 1 else "clash")
        cells.append(f'<td class="{kind}">{own}</td>')
    colour = look.colour("faint" if right else "changed")
    return (
        f"<tr><th>{escape(name)}</th>{''.join(cells)}"
        f'<td class="said" style="color:{colour}">{escape(said)}</td></tr>'
    )


def _whole(caption: str, cells: np.ndarray, look: Look, words: Sequence[str]) -> str:
    return beside([(caption, matrix(_flat(cells), look, "data", words))])


def _part(name: str, values: np.ndarray, how: Broadcast, role: str, look: Look) -> str:
    """A part stretched to all cells: those that are copies of an earlier one are faint."""
    source = how.source.numpy().ravel()
    first = np.zeros(source.size, dtype=bool)
    first[np.unique(source, return_index=True)[1]] = True
    shape = (-1, how.source.shape[-1])
    cells = values.ravel()[source].reshape(shape)
    table = matrix(cells, look, role, faint=~first.reshape(shape))
    return beside([(f"{name}  {_size(how.shape)}", table)])


def _size(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _flat(cells: np.ndarray) -> np.ndarray:
    return cells.reshape(-1, cells.shape[-1])
