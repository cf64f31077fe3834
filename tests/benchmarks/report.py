"""One readable table per question: on the terminal, and as markdown for whoever asks for a file."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Table:
    """The answer to one question."""

    title: str
    columns: Sequence[str]  # the first is text, the others are right-aligned
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append(cells)

    def show(self, console: Console) -> None:
        from rich.table import Table as RichTable  # not on every machine that measures

        drawn = RichTable(title=self.title, title_justify="left", title_style="bold")
        for index, column in enumerate(self.columns):
            drawn.add_column(column, justify="right" if index else "left")
        for row in self.rows:
            drawn.add_row(*row)
        console.print(drawn)
        for note in self.notes:
            console.print(f"  {note}", style="dim", markup=False, highlight=False)
        console.print()

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", _line(self.columns)]
        lines.append(_line(["---", *["---:"] * (len(self.columns) - 1)]))
        lines += [_line(row) for row in self.rows]
        return "\n".join([*lines, "", *[f"- {note}" for note in self.notes], ""])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def heading() -> str:
    """What was measured with what, in one line."""
    return (
        f"torch {version('torch')}, Python {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, one torch thread; ratios are medians (quartiles) of rounds "
        "with the variants in random order, ms are CPU time"
    )


def shared_cores() -> str:
    """What real times suffer from: who else was at work on these cores in the last minute."""
    return (
        f"server and browser share {os.cpu_count()} cores with everything else here "
        f"(load {os.getloadavg()[0]:.1f})"
    )


def verdict(value: float, limit: float) -> str:
    """The goal, and whether it is met."""
    return f"≤ {limit:g} {'met' if value <= limit else 'MISSED'}"


def megabytes(size: float) -> str:
    return f"{size / 1e6:.2f} MB" if size < 1e7 else f"{size / 1e6:.1f} MB"


def kilobytes(size: float) -> str:
    return f"{size / 1024:.1f} KiB"
