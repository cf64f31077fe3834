"""Is this checkout slower than another commit? Both measure themselves in turn, in one run.

`make bench ARGS=against REF=<commit>`. Each measures with the benchmarks of its own: where these
changed what they ask, a ratio says nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.report import Table, shared_cores

HERE = Path(__file__).parents[2]
ROUNDS = 2
QUESTIONS = (("hall", "--sessions", "30"), ("page",), ("walk",), ("start",), ("recording",))
# What is measured is named by a unit or by what was sent; the other columns say of what.
MEASURED = re.compile(r"(^|\s)(ms|s|seconds|kB|MB|sent|size|received|held|kept|rerun)\b")
COUNTS = ("goal", "answers", "pressed", "painted", "clicks")  # of what is one of its measurements
NUMBER = re.compile(r"(\d[\d,]*\.?\d*)(?!.*→)")  # of "437 → 573" the second

Values = dict[tuple[str, str, str], float]  # title, row, column → what was measured


def tables(reference: str, rounds: int = ROUNDS) -> Iterator[Table]:
    """Measures both, and divides; one table.

    Raises:
        SystemExit: with a sentence, where there is no such commit.
    """
    then: list[Values] = []
    now: list[Values] = []
    with _checkout(reference) as other:
        for _ in range(rounds):
            for question in QUESTIONS:
                then.append(_ask(other, question))
                now.append(_ask(HERE, question))
    yield compare(reference, then, now)


def compare(reference: str, then: list[Values], now: list[Values]) -> Table:
    """What both measured: the medians of the rounds, and now divided by then."""
    before, after = _medians(then), _medians(now)
    table = Table(f"This checkout against {reference}", ("", reference, "here", "here / there"))
    for name in (name for name in after if name in before):
        ratio = f"{after[name] / before[name]:.2f}" if before[name] else "–"
        table.add(" · ".join(name), f"{before[name]:g}", f"{after[name]:g}", ratio)
    if alone := set(before) ^ set(after):
        table.notes.append(f"{len(alone)} measurements of one of the two alone are left out")
    table.notes.append(shared_cores())
    return table


def read_values(markdown: str) -> Values:
    """The numbers of the tables that `--output` writes."""
    found: Values = {}
    title, columns = "", list[str]()
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if line.startswith("## "):
            title, columns = line[3:], []
        elif cells and not columns:
            columns = cells
        elif cells and set(line) - set("|-: "):
            _read_row(title, dict(zip(columns, cells, strict=True)), found)
    return found


def _read_row(title: str, row: dict[str, str], found: Values) -> None:
    measured = [name for name in row if MEASURED.search(name)]
    label = " · ".join(row[name] for name in row if name not in (*measured, *COUNTS))
    for name in measured:
        if number := NUMBER.search(row[name]):
            found[title, label, name] = float(number[1].replace(",", ""))


def _medians(rounds: list[Values]) -> Values:
    all_of = defaultdict(list)
    for each in rounds:
        for name, value in each.items():
            all_of[name].append(value)
    return {name: median(values) for name, values in all_of.items()}


@contextmanager
def _checkout(reference: str) -> Iterator[Path]:
    """The files of a commit in a folder of their own, for so long."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "checkout"
        command = ["git", "-C", str(HERE), "worktree"]
        add = [*command, "add", "--detach", str(place), reference]
        made = subprocess.run(add, capture_output=True, text=True, check=False)
        if made.returncode:
            raise SystemExit(f"No commit to compare with: {made.stderr.strip()}")
        for each in (place, HERE):  # as `make` leaves a checkout: else a start compiles one of them
            compiled = [str(each / room) for room in ("app", "core")]
            subprocess.run([sys.executable, "-m", "compileall", "-q", *compiled], check=False)
        try:
            yield place
        finally:
            subprocess.run([*command, "remove", "--force", str(place)], check=False)


def _ask(checkout: Path, question: tuple[str, ...]) -> Values:
    """What a checkout measures of itself; nothing where it does not know the question."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "measured.md"
        command = [sys.executable, "-m", "tests.benchmarks", *question, "--output", str(output)]
        asked = subprocess.run(command, cwd=checkout, capture_output=True, check=False)
        if asked.returncode:
            return {}
        return read_values(output.read_text(encoding="utf-8"))
