"""The notebooks run anew say what they say: the same words, and numbers that are near."""

import re
from typing import Any

import nbclient
import nbformat
import pytest

from scripts.docs.pages import ROOT

FOLDER = ROOT / "docs/notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e-?\d+)?")
MOST_BYTES = 60_000
NEAR = 0.02  # two decimals are told; processors round otherwise


def said(book: Any) -> list[str]:
    """What each of its cells left, as text or as HTML; a stream may come in several pieces."""
    return ["".join(map(_words, cell.outputs)) for cell in book.cells if cell.cell_type == "code"]


def _words(output: Any) -> str:
    data = output.get("data", {})
    return str(output.get("text") or data.get("text/html") or data["text/plain"])


def told(text: str) -> tuple[str, list[float]]:
    """The words and the numbers; the colours of a table are those of its numbers."""
    shown = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    return NUMBER.sub("#", shown), [float(each) for each in NUMBER.findall(shown)]


@pytest.mark.slow
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_says_again_what_it_says(path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    kept, book = (nbformat.read(path, as_version=4) for _ in range(2))
    where = {"metadata": {"path": str(FOLDER)}}
    again = nbclient.NotebookClient(book, timeout=200, resources=where).execute()
    assert len(said(again)) == len(said(kept)) > 2
    for now, before in zip(said(again), said(kept), strict=True):
        (words, numbers), (other_words, other_numbers) = told(now), told(before)
        assert words == other_words
        assert numbers == pytest.approx(other_numbers, abs=NEAR, rel=NEAR)


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_is_small_has_a_control_and_is_of_no_machine(path: Any) -> None:
    text, book = path.read_text("utf-8"), nbformat.read(path, as_version=4)
    assert len(text) < MOST_BYTES and "widget" not in text
    assert not re.search(r"/(work|tmp|home|root|Users|opt)/|image/png|stderr| at 0x", text)
    assert "control" in text and "What this does not show" in text
    assert [cell for cell in book.cells if cell.cell_type == "code" and cell.outputs]


def test_there_are_six() -> None:
    index = (FOLDER / "index.md").read_text("utf-8")
    assert len(BOOKS) >= 6
    assert not [each.name for each in BOOKS if f"({each.name})" not in index]
