"""Layer norm and batch norm as tables: who is averaged with whom, how γ and β are stretched."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from glassformer.app.pages.lab.figures.curves import Curve, Curves, curves_figure
from glassformer.app.pages.lab.figures.tables import (
    EMPTY,
    exact_digits,
    matrix_html,
    number_writer,
    rows_table,
    shapes,
    tables_side_by_side,
    tint,
)  # fmt: skip
from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.labels import escape
from glassformer.app.plots.latex import paint_latex
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.norms import SPREADS, Formula, LayerNorms, Normalised, Norms

DASHES = ("solid", "dash", "solid", "dot")


def formula_latex(each: Formula, look: FigureStyle) -> str:
    """The formula with its deviation and the place of ε, LaTeX for `$…$`."""
    letter = paint_latex(r"\sigma" if each.deviation == "population" else "s", "norm", look)
    inside = rf"\sqrt{{{letter}^2 + \varepsilon}}"
    below = inside if each.place == "inside" else rf"{letter} + \varepsilon"
    return rf"\gamma\,\frac{{x - \mu}}{{{below}}} + \beta"


def formula_tables(
    each: Formula, found: LayerNorms, texts: Mapping[str, str], look: FigureStyle
) -> str:
    """What a formula makes of every word, and the deviation it leaves, as HTML.

    texts: "output", "std", "left".
    """
    limit = largest_magnitude(*(other.output.numpy() for other in found.formulas.values()))
    output, std = _flat(each.output.numpy()), _flat(each.std.numpy())
    left = each.spread.numpy().reshape(-1, 1)
    return tables_side_by_side([
        (texts["output"], matrix_html(output, look, "data", word_names(found.x), limit=limit)),
        (texts[f"std_{each.deviation}"], matrix_html(std, look, "norm")),
        (texts["left"],
         matrix_html(left, look, "norm", tinted=False, wrong=np.abs(left - 1) > 0.005)),
    ])  # fmt: skip


def spreads_figure(found: LayerNorms, texts: Mapping[str, str], look: FigureStyle) -> go.Figure:
    """The deviation that each formula leaves, against what the first word is multiplied by.

    texts: "curves", "axis", "one", and a name for each formula ("population_inside", …).
    """
    shown = zip(found.formulas, found.curves.tolist(), DASHES, strict=True)
    lines = [
        Curve(texts["_".join(way)], values, head_colour(at, look.dark), dash)
        for at, (way, values, dash) in enumerate(shown)
    ]
    panel = Curves(texts["curves"], lines, [(1.0, texts["one"])])
    return curves_figure(SPREADS, [panel], texts["axis"], look, ticks=SPREADS[::2])


def stretched_tables(found: LayerNorms, look: FigureStyle) -> str:
    """γ (x − μ) / √(σ² + ε) + β with every part stretched to the shape of x, as HTML.

    The copies that broadcasting makes are held back.
    """
    own, words = found.formulas["population", "inside"], word_names(found.x)
    parts = [
        ("", _whole("x", found.x, look, words)),
        ("−", _part("μ", own.mean, found, "norm", look)),
        ("÷", _part("√(σ² + ε)", own.divisor, found, "norm", look)),
        ("×", _part("γ", found.gamma, found, "feed_forward", look)),
        ("+", _part("β", found.beta, found, "feed_forward", look)),
        ("=", _whole("LN(x)", own.output, look, ())),
    ]
    inside = "".join(f'<span class="lab-sign">{sign}</span>{table}' for sign, table in parts)
    return f'<div class="lab-stretched">{inside}</div>'


def shapes_table(found: LayerNorms, texts: Mapping[str, str], look: FigureStyle) -> str:
    """The shapes aligned at their last axis, as torch reads them, HTML.

    texts: "mean", "gamma", "bare", "axes" (three names separated by |), "fits", "refused",
    "silent".
    """
    size = tuple(found.x.shape)
    bare = texts["silent" if found.keepdim_missed else "refused"]
    rows: list[tuple[str, Sequence[int], str, str]] = [
        ("x", size, "", "faint"),
        (texts["mean"], (*size[:2], 1), texts["fits"], "faint"),
        (texts["gamma"], size[2:], texts["fits"], "faint"),
        (texts["bare"], size[:2], bare, "changed"),
    ]
    return shapes(size, rows, texts["axes"].split("|"), look)


def word_names(x: Tensor) -> list[str]:
    """Sentence and word of each row of (B, S, D): "2·1"."""
    return [f"{b + 1}·{t + 1}" for b, t in np.ndindex(*x.shape[:2])]


def _whole(name: str, cells: Tensor, look: FigureStyle, words: Sequence[str]) -> str:
    table = matrix_html(_flat(cells.numpy()), look, "data", words)
    return tables_side_by_side([(f"{name}  {_size(cells.shape)}", table)])


def _part(name: str, part: Tensor, found: LayerNorms, role: str, look: FigureStyle) -> str:
    """A part stretched to the cells of x: those that are copies of an earlier one are faint."""
    source = torch.arange(part.numel()).view(part.shape).expand(found.x.shape).numpy()
    faint = np.ones(source.size, dtype=bool)
    faint[np.unique(source, return_index=True)[1]] = False
    cells = _flat(part.expand(found.x.shape).numpy())
    table = matrix_html(cells, look, role, faint=faint.reshape(cells.shape))
    return tables_side_by_side([(f"{name}  {_size(part.shape)}", table)])


def _size(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _flat(cells: np.ndarray) -> np.ndarray:
    return cells.reshape(-1, cells.shape[-1])


def norm_tables(found: Norms, texts: Mapping[str, str], look: FigureStyle) -> str:
    """x, layer norm and batch norm side by side with their mean and deviation, as HTML.

    texts: "x", "layer", "batch", "layer_groups", "batch_groups", "padding".
    """
    x, layer, batch = (
        each.numpy() for each in (found.x, found.layer.normalized, found.batch.normalized)
    )
    limit = largest_magnitude(layer, batch)
    parts = [
        ("x", "padding", _table(found, x, largest_magnitude(x), look)),
        ("layer", "layer_groups", _table(found, layer, limit, look, found.layer)),
        ("batch", "batch_groups", _table(found, batch, limit, look, found.batch)),
    ]
    inside = "".join(
        f"<figure><figcaption><b>{escape(texts[title])}</b><span>{escape(texts[about])}</span>"
        f"</figcaption>{table}</figure>"
        for title, about, table in parts
    )
    return f'<div class="lab-norms">{inside}</div>'


def moved_table(found: Norms, texts: Mapping[str, str], look: FigureStyle) -> str:
    """How far the results depend on other sentences and on padding, as HTML.

    texts: "layer", "batch", "neighbours", "padded".
    """

    def moved(by: float) -> str:
        colour = look.colour("changed" if by > 1e-9 else "value")
        return f'<td style="color:{colour}"><b>{look.number(by)}</b></td>'

    both = (found.layer, found.batch)
    lines = [
        (f"<th>{escape(texts[name])}</th>", "".join(moved(getattr(each, by)) for each in both))
        for name, by in (("neighbours", "moved_by_neighbours"), ("padded", "moved_by_padding"))
    ]
    return rows_table("lab-keeps", (texts["layer"], texts["batch"]), lines)


def _table(
    found: Norms, cells: np.ndarray, limit: float, look: FigureStyle, side: Normalised | None = None
) -> str:
    """Numbers, a word a row; with μ and σ of each word (B, S, 1) or each feature (D,)."""
    batch, words, width = cells.shape
    way = "" if side is None else "across" if side.mean.dim() == 3 else "down"
    write = number_writer(cells, look.precision)
    lines = []
    for b, t in np.ndindex(batch, words):
        inside = ""
        for value in cells[b, t].tolist():
            back, ink = tint(value, "data", limit, look)
            kind = "real" if found.real[b, t] else "padding"
            paint = f'class="{kind}" style="--back:{back};color:{ink}"'
            inside += f'<td {paint} title="{exact_digits(value)}">{write(value)}</td>'
        if side and way == "across":
            inside += _summary([float(side.mean[b, t, 0]), float(side.std[b, t, 0])], look)
        last = ' class="last"' if (b, t) == (batch - 1, words - 1) else ""
        lines.append(f"<tr{last}><th>{b + 1}·{t + 1}</th>{inside}</tr>")
    head = "".join(f"<th>{at + 1}</th>" for at in range(width))
    if side and way == "across":
        head += "<th>μ</th><th>σ</th>"
    elif side:
        for name, values in (("μ", side.mean), ("σ", side.std)):
            lines.append(f"<tr><th>{name}</th>{_summary(values.tolist(), look)}</tr>")
    return f'<table class="lab-matrix {way}"><tr>{EMPTY}{head}</tr>{"".join(lines)}</table>'


def _summary(values: Sequence[float], look: FigureStyle) -> str:
    return "".join(
        f'<td class="of" title="{exact_digits(value)}">{look.number(value)}</td>'
        for value in values
    )
