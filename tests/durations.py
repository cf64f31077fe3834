"""How long each file of tests takes, beside durations.toml: one whole run on two cores.

DURATIONS=compare says at the end of a run which files grew most, DURATIONS=write writes the table.
"""

import os
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

TABLE = Path(__file__).with_suffix(".toml")
MOST = 10  # files that are told
LEAST = 1.0  # seconds: shorter ones are not in the table
HEAD = "# Seconds of each file of tests in one whole run: DURATIONS=write make test-all\n"

seconds: defaultdict[str, float] = defaultdict(float)  # of this run, by file


def add(report: pytest.TestReport) -> None:
    """Count what a part of a test took: its fixtures, itself, their ends."""
    seconds[report.nodeid.partition("::")[0].removeprefix("tests/")] += report.duration


def grown(before: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """A line for each of the files that grew most, the most first."""
    more = {name: now[name] - before.get(name, 0) for name in now}
    most = sorted((name for name in more if more[name] >= LEAST), key=lambda name: -more[name])
    return [
        f"{name}: {now[name]:.0f} s, {before.get(name, 0):.0f} s in the table"
        for name in most[:MOST]
    ]


def table(now: Mapping[str, float]) -> str:
    """The text of durations.toml, the longest first."""
    long = sorted((name for name in now if now[name] >= LEAST), key=lambda name: -now[name])
    return HEAD + "".join(f'"{name}" = {now[name]:.0f}\n' for name in long)


def known() -> Mapping[str, float]:
    """The table as it stands."""
    return tomllib.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {}


def tell() -> Iterator[str]:
    """What is said at the end of a run; writes the table where that is asked for."""
    wish = os.environ.get("DURATIONS")
    if wish == "write":
        TABLE.write_text(table(seconds), encoding="utf-8")
    elif wish == "compare":
        before = known()
        yield f"all files: {sum(seconds.values()):.0f} s, {sum(before.values())} s in the table"
        yield from grown(before, seconds)
