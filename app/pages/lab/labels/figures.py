"""Probabilities of several labels: by one softmax, and by a sigmoid each, as HTML."""

import math
from collections.abc import Mapping, Sequence

from glassformer.app.pages.lab.figures.tables import name_html, rows_table
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.labels import Judged, Labels

COLUMNS = ("probability", "loss", "gradient")


def labels_tables(
    found: Labels, names: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> str:
    """A table for each function: a bar a label, in full colour where it is chosen.

    texts: "softmax", "sigmoid", "sum", "least" with {least}, those of `COLUMNS`.
    """
    right = found.true.tolist()
    titles = [
        f"{'✓ ' if yes else ''}{name_html(each)}" for each, yes in zip(names, right, strict=True)
    ]
    tables = (
        _table(getattr(found, kind), titles, kind, texts, look) for kind in ("softmax", "sigmoid")
    )
    return f'<div class="lab-beside lab-labels">{"".join(tables)}</div>'


def _table(
    judged: Judged, titles: Sequence[str], kind: str, texts: Mapping[str, str], look: FigureStyle
) -> str:
    columns = (judged.probabilities, judged.chosen, judged.losses, judged.gradients)
    rows = []
    for title, p, yes, *costs in zip(titles, *(each.tolist() for each in columns), strict=True):
        bar = f'<i class="{"on" if yes else ""}" style="width:{7 * p:.2f}rem"></i>{_said(p, look)}'
        cells = "".join(f"<td>{_said(cost, look)}</td>" for cost in costs)
        rows.append((f"<th>{title}</th>", f"<td>{bar}</td>{cells}"))
    total, loss = float(judged.probabilities.sum()), judged.loss
    least = texts["least"].format(least=_said(judged.least, look))
    both = f'<td colspan="2"><b>{_said(loss, look)}</b> {least}</td>'
    rows.append((f"<th>{texts['sum']}</th>", f"<td>{look.number(total)}</td>{both}"))
    table = rows_table("told", [texts[each] for each in COLUMNS], rows)
    return f"<figure><figcaption><b>{texts[kind]}</b></figcaption>{table}</figure>"


def _said(value: float, look: FigureStyle) -> str:
    return "–" if math.isnan(value) else look.number(value)
