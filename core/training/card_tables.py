"""What the sections of a model card share: shares as text, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.training.measures.tally import Tally


def percent(tally: Tally | None) -> str:
    """`97.3 %`; a dash for nothing counted."""
    return f"{100 * tally.rate:.1f} %" if tally is not None and tally.total else "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in the cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )
