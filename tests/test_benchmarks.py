"""Whether two checkouts are compared number by number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.against import compare, read_values
from tests.benchmarks.report import Table

HALL = "## Hall\n\n| sessions | p50 s | RSS MB | goal |\n| --- | ---: | ---: | ---: |\n"


def written(p50: str, memory: str) -> str:
    return f"# Measurements\n\n{HALL}| 30 | {p50} | {memory} | p50 ≤ 0.10 met |\n\n- a note of 5\n"


def test_what_a_checkout_writes_is_read_again() -> None:
    table = Table("Keys", ("tokens", "keys", "p50 ms", "goal"))
    table.add("16", "one | two", "1,042 (40–44)", "≤ 100 MISSED")
    assert read_values(table.markdown()) == {("Keys", "16 · one \\| two", "p50 ms"): 1042.0}
    assert read_values(written("0.04", "437 → 573")) == {
        ("Hall", "30", "p50 s"): 0.04,
        ("Hall", "30", "RSS MB"): 573.0,
    }


def test_the_ratio_is_here_by_there_of_the_medians() -> None:
    there = [read_values(written(p50, "1 → 500")) for p50 in ("0.02", "0.04", "9")]
    here = [read_values(written("0.06", "1 → 400"))] * 3
    table = compare("abc", there, here)
    assert table.rows == [
        ("Hall · 30 · p50 s", "0.04", "0.06", "1.50"),
        ("Hall · 30 · RSS MB", "500", "400", "0.80"),
    ]


def test_what_only_one_measured_is_said() -> None:
    table = compare("abc", [read_values(written("0.02", "1 → 5"))], [{}])
    assert not table.rows
    assert table.notes[0] == "2 measurements of one of the two alone are left out"


@pytest.mark.parametrize("reference", ["no-such-commit"])
def test_a_commit_that_is_not_there_ends_in_a_sentence(reference: str) -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "against", "--ref", reference]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No commit to compare with" in done.stderr
    assert "Traceback" not in done.stderr
