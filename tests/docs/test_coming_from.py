"""docs/coming-from.md: our lines run and show something, and its table counts what stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

from scripts.docs.gallery import blocks, run_block
from scripts.docs.pages import ROOT

TEXT = (ROOT / "docs/coming-from.md").read_text("utf-8")
TASKS = re.findall(r"^## (\d+) (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)
THERE = re.compile(r'^```py title="(\w+)"\n(.*?)^```', re.M | re.S)


def count(lines: str) -> int:
    return sum(bool(line.strip()) for line in lines.splitlines())


def test_the_table_counts_the_lines() -> None:
    assert [number for number, _, _ in TASKS] == [str(each) for each in range(1, 11)]
    sums = [0, 0]
    for number, title, text in TASKS:
        [here], [(library, there)] = blocks(text), THERE.findall(text)
        anchor = re.sub(r"[^\w -]", "", f"{number} {title}").lower().replace(" ", "-")
        link = f"[{title[0].lower()}{title[1:]}](#{anchor})"
        assert f"| {number} | {link} | {count(here)} | {count(there)} | {library} |" in TEXT
        assert count(here) < count(there), title
        sums[0] += count(here)
        sums[1] += count(there)
    assert f"| | all | {sums[0]} | {sums[1]} | |" in TEXT


def test_our_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    _, _, weights, _, off, steered, lens, heads, missed, grid, opened = (
        run_block(lines, names) for lines in blocks(TEXT)
    )
    run = names["run"]
    assert off != run.output_text and isinstance(steered, str)
    kept = run["decoder/1/cross_attention/weights"][0, 0]
    assert weights.values == pytest.approx(kept.numpy(), abs=1e-6)
    assert set(run.output_tokens) <= set(lens.table()["written"])
    assert heads.values.size == missed.values.size - 8  # the encoder's wrote nothing directly
    assert float(grid.recovered().values.max()) == pytest.approx(1, abs=0.01)
    assert len(opened) == kept.numel()
