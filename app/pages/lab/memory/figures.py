"""A tensor a row: the code that makes it, its shape and strides, and where one number lies."""

from collections.abc import Mapping, Sequence
from html import escape

from glassformer.app.pages.lab.figures.tables import exact_digits, rows_table
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.memory import Laid

HEADS = ("size", "stride", "contiguous", "memory", "place", "value")


def memory_table(found: Sequence[Laid], texts: Mapping[str, str], look: FigureStyle) -> str:
    """The steps as a table, HTML; where torch refuses, its error.

    texts: of `HEADS`, "yes", "no", "own", "copy".
    """
    rows = []
    for each in found:
        said = f"<td class='wrong' colspan='{len(HEADS)}'>{escape(each.error)}</td>"
        name = f"<th><code>{escape(each.code)}</code></th>"
        rows.append((name, said if each.error else _cells(each, texts, look)))
    return rows_table("told lab-memory", [texts[head] for head in HEADS], rows)


def _cells(each: Laid, texts: Mapping[str, str], look: FigureStyle) -> str:
    sums = " + ".join(f"{at}·{far}" for at, far in zip(each.index, each.stride, strict=True))
    cells = (
        _tuple(each.shape),
        _tuple(each.stride),
        f"{'✓' if each.contiguous else '✗'} {escape(texts['yes' if each.contiguous else 'no'])}",
        escape(texts["copy" if each.copied else "own"]),
        f"{sums} = <b>{format_number(each.place)}</b>",
        f'<span title="{exact_digits(each.value)}">{look.number(each.value)}</span>',
    )
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _tuple(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))})"
