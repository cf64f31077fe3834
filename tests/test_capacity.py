"""docs/capacity.ipynb runs as it stands there; its measured numbers are those of their pages."""

import csv
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
BOOK = nbformat.read(DOCS / "capacity.ipynb", as_version=4)
MEASURED = list(csv.DictReader((DOCS / "measured.csv").read_text("utf-8").splitlines()))
LIMITS = {  # of the code: the table says how many, and where
    "followers": ("app.hall.hub", "MOST_FOLLOWERS"),
    "connections": ("app.server.doors", "MOST"),
}


def said(book: Any) -> list[str]:
    """What its cells say, cell by cell."""
    outputs = [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs]
    return [out.get("text") or out["data"]["text/plain"] for out in outputs]


@pytest.mark.slow
def test_it_says_again_what_it_says() -> None:
    """Also that the simulated p95 is near the measured one, which one of its cells asserts."""
    book = nbformat.from_dict(BOOK)
    where = {"metadata": {"path": str(DOCS)}}
    again = nbclient.NotebookClient(book, timeout=200, resources=where).execute()
    assert said(again) == said(nbformat.read(DOCS / "capacity.ipynb", as_version=4))


def test_it_is_small_and_of_no_machine() -> None:
    text = (DOCS / "capacity.ipynb").read_text("utf-8")
    assert len(text) < 60_000 and said(BOOK)
    assert not re.search(r"/(work|tmp|home|root|Users|opt)/|image/png|stderr", text)


def test_every_measured_number_is_used_and_stands_in_its_source() -> None:
    code = "".join(cell.source for cell in BOOK.cells if cell.cell_type == "code")
    page = (DOCS / "performance.md").read_text("utf-8")
    for row in MEASURED:
        name, value, source = row["name"], row["value"], row["source"]
        kind = re.sub(r"_\d+$", "", name)
        assert f'"{kind}' in code or f"{kind}_" in code or f'"{name}"' in code, name
        if source.startswith("docs/performance.md"):
            assert re.search(rf"(?<![\d.]){re.escape(value)}(?![\d.]*\d)", page), (name, value)
        if name in LIMITS:
            module, constant = LIMITS[name]
            assert getattr(import_module(f"glassformer.{module}"), constant) == int(value), name
        assert source
