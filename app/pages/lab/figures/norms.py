"""Layer norm and batch norm as tables: who is averaged with whom, how γ and β are stretched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.pages.lab.figures.curves import Curve, Curves, curves_figure
from app.pages.lab.figures.tables import beside, exact, matrix, rows_table, tint, writer
from app.plots import drawing as go
from app.plots.colours import head_colour
from app.plots.heat import reach
from app.plots.labels import escape
from app.plots.latex import painted
from app.plots.theme import Look
from core.lab.norms import Broadcast, Formula, LayerNorms, Normalised, Norms

DASHES = ("solid", "dash", "solid", "dot")


def formula_latex(each: Formula, look: Look) -> str:
    """The formula with its deviation and the place of ε, LaTeX for `$…$`."""
    letter = painted(r"\sigma" if each.deviation == "population" else "s", "norm", look)
    inside = rf"\sqrt{{{letter}^2 + \varepsilon}}"
    below = inside if each.place == "inside" else rf"{letter} + \varepsilon"
    return rf"\gamma\,\frac{{x - \mu}}{{{below}}} + \beta"


def formula_tables(each: Formula, found: LayerNorms, texts: Mapping[str, str], look: Look) -> str:
    """What a formula makes of every word, and the deviation it leaves, as HTML.

    texts: "output", "std", "left".
    """
    limit = reach(*(other.output.numpy() for other in found.formulas))
    output, std = _flat(each.output.numpy()), _flat(each.std.numpy())
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
        Curve(texts[f"{each.deviation}_{each.place}"], values, head_colour(at, look.dark), dash)
        for at, (each, values, dash) in enumerate(
            zip(found.formulas, found.curves.tolist(), DASHES, strict=False)
        )
    ]
    x = found.spreads.tolist()
    panel = Curves(texts["curves"], lines, [(1.0, texts["one"])])
    return curves_figure(x, [panel], texts["axis"], look, ticks=x[::2])


def stretched_tables(found: LayerNorms, look: Look) -> str:
    """γ (x − μ) / √(σ² + ε) + β with every part stretched to the shape of x, as HTML.

    The copies that broadcasting makes are held back.
    """
    own, words = found.formula("population", "inside"), word_names(found)
    x, output = found.x.numpy(), own.output.numpy()
    mean, gamma, beta = found.broadcasts[:3]
    parts = [
        ("", _whole(f"x  {_size(x.shape)}", x, look, words)),
        ("−", _part("μ", own.mean.numpy(), mean, "norm", look)),
        ("÷", _part("√(σ² + ε)", own.divisor.numpy(), mean, "norm", look)),
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
    bare = texts["refused" if found.without_keepdim is None else "silent"]
    rows: list[tuple[str, Sequence[int], str, str]] = [
        ("x", size, "", "faint"),
        (texts["mean"], found.broadcasts[0].shape, texts["fits"], "faint"),
        (texts["gamma"], found.broadcasts[1].shape, texts["fits"], "faint"),
        (texts["bare"], size[:2], bare, "changed"),
    ]
    lines = []
    for name, shape, said, role in rows:
        missing = len(size) - len(shape)
        cells = "<td></td>" * missing
        for own, needed in zip(shape, size[missing:], strict=True):
            kind = "same" if own == needed else ("copied" if own == 1 else "clash")
            cells += f'<td class="{kind}">{own}</td>'
        cells += f'<td class="said" style="color:{look.colour(role)}">{escape(said)}</td>'
        lines.append((f"<th>{escape(name)}</th>", cells))
    return rows_table("lab-shapes", [*texts["axes"].split("|"), ""], lines)


def word_names(found: LayerNorms) -> list[str]:
    """Sentence and word: "2·1"."""
    batch, words, _ = found.x.shape
    return [f"{b + 1}·{t + 1}" for b in range(batch) for t in range(words)]


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


def norm_tables(found: Norms, texts: Mapping[str, str], look: Look) -> str:
    """x, layer norm and batch norm side by side with their mean and deviation, as HTML.

    texts: "x", "layer", "batch", "layer_groups", "batch_groups", "padding".
    """
    x, layer, batch = (
        each.numpy() for each in (found.x, found.layer.normalized, found.batch.normalized)
    )
    limit = reach(layer, batch)
    style = f"--lab-group:{look.colour('norm')};--lab-panel:{look.colour('panel')}"
    style += f";--lab-hatch:{look.colour('faint')}"
    parts = [
        _table(found, x, reach(x), look),
        _table(found, layer, limit, look, "across", found.layer),
        _table(found, batch, limit, look, "down", found.batch),
    ]
    titles = (("x", "padding"), ("layer", "layer_groups"), ("batch", "batch_groups"))
    inside = "".join(
        f"<figure><figcaption><b>{escape(texts[title])}</b><span>{escape(texts[about])}</span>"
        f"</figcaption>{table}</figure>"
        for (title, about), table in zip(titles, parts, strict=True)
    )
    return f'<div class="lab-norms" style="{style}">{inside}</div>'


def moved_table(found: Norms, texts: Mapping[str, str], look: Look) -> str:
    """How far the results depend on other sentences and on padding, as HTML.

    texts: "layer", "batch", "neighbours", "padded".
    """

    def moved(by: float) -> str:
        colour = look.colour("changed" if by > 1e-9 else "value")
        return f'<td style="color:{colour}"><b>{look.number(by)}</b></td>'

    both = (found.layer, found.batch)
    rows = [
        (texts["neighbours"], [moved(each.moved_by_neighbours) for each in both]),
        (texts["padded"], [moved(each.moved_by_padding) for each in both]),
    ]
    lines = [(f"<th>{escape(name)}</th>", "".join(cells)) for name, cells in rows]
    return rows_table("lab-keeps", (texts["layer"], texts["batch"]), lines)


def _table(
    found: Norms, cells: np.ndarray, limit: float, look: Look, way: str = "",
    side: Normalised | None = None,
) -> str:  # fmt: skip
    """Numbers, a word a row; way "across" and "down": with μ and σ of words, of features."""
    batch, words, width = cells.shape
    write = writer(cells, look.precision)
    lines = []
    for b, t in np.ndindex(batch, words):
        inside = ""
        for value in cells[b, t].tolist():
            back, ink = tint(value, "data", limit, look)
            kind = "real" if found.real[b, t] else "padding"
            paint = f'class="{kind}" style="--back:{back};color:{ink}"'
            inside += f'<td {paint} title="{exact(value)}">{write(value)}</td>'
        if side and way == "across":
            inside += _summary([float(side.mean[b, t, 0]), float(side.std[b, t, 0])], look)
        last = ' class="last"' if (b, t) == (batch - 1, words - 1) else ""
        lines.append(f"<tr{last}><th>{b + 1}·{t + 1}</th>{inside}</tr>")
    head = "".join(f"<th>{at + 1}</th>" for at in range(width))
    if side and way == "across":
        head += "<th>μ</th><th>σ</th>"
    elif side:
        lines += [
            f"<tr><th>{name}</th>{_summary(values.tolist(), look)}</tr>"
            for name, values in (("μ", side.mean), ("σ", side.std))
        ]
    return f'<table class="lab-matrix {way}"><tr><th></th>{head}</tr>{"".join(lines)}</table>'


def _summary(values: Sequence[float], look: Look) -> str:
    return "".join(
        f'<td class="of" title="{exact(value)}">{look.number(value)}</td>' for value in values
    )
