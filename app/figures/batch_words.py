"""The words of a translation with their probabilities in several runs, as an HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.labels import format_percent, visible
from app.figures.theme import Look


def words_table(
    heads: Sequence[str],
    words: Sequence[str],
    columns: Sequence[Sequence[float]],
    marked_from: float,
    look: Look,
) -> str:
    """A row a word; `columns` are its probabilities, 0..1, the first what the others are beside.

    heads: of the words and of each column. marked_from: a larger change is marked.
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    rows = "".join(
        f"<tr><td>{escape(visible(word))}</td>{_cells(place, columns, marked_from, look)}</tr>"
        for place, word in enumerate(words)
    )
    style = f"--moved:{look.colour('changed')};--faint:{look.colour('faint')}"
    return (
        f'<table class="batch-words" style="{style}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _cells(place: int, columns: Sequence[Sequence[float]], least: float, look: Look) -> str:
    first = columns[0][place]
    cells = []
    for column in columns:
        value = column[place]
        moved = ' class="moved"' if not abs(value - first) <= least else ""
        cells.append(f"<td{moved}>{escape(format_percent(value, look.precision))}</td>")
    return "".join(cells)
