"""The pages lie in one grid: heights and places are words of layout.css, not sums."""

import ast
import re
from pathlib import Path

from tests.architecture.sources import ROOT, parse, project_files, python_files

SHEETS = [path for path in project_files() if path.suffix == ".css"]
CODE = [*SHEETS, *python_files("app")]
VOCABULARY = ROOT / "app" / "ui" / "layout.css"
MOST_WINDOWS = 2  # `100vh` in the style sheets and the Python of the app: the grid itself
MOST_KEYS = 44  # `st-key-` in the style sheets of the app, a selector counted each time


def test_the_window_is_measured_once() -> None:
    found = [path for path in CODE for _ in range(path.read_text("utf-8").count("100vh"))]
    assert len(found) <= MOST_WINDOWS, sorted({str(path.relative_to(ROOT)) for path in found})


def test_few_selectors_name_a_container() -> None:
    counts = {str(path.relative_to(ROOT)): path.read_text("utf-8").count("st-key-")
              for path in SHEETS}  # fmt: skip
    most = {name: count for name, count in counts.items() if count}
    assert sum(counts.values()) <= MOST_KEYS, f"say it with a word of layout.css: {most}"


def words_of(path: Path) -> set[str]:
    """The words of every `box("fill scroll", …)` of a file."""
    calls = (
        node
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "box"
    )
    return {
        word
        for call in calls
        if isinstance(call.args[0], ast.Constant)
        for word in str(call.args[0].value).split()
    }


def test_boxes_are_laid_out_by_known_words() -> None:
    known = known_words()
    wrong = {path: words for path in python_files("app") if (words := words_of(path) - known)}
    assert not wrong


def known_words() -> set[str]:
    sheets = "".join(path.read_text("utf-8") for path in SHEETS)
    return set(re.findall(r'\[data-box~="([a-z]+(?:-[a-z0-9]+)*)"\]', sheets))


def test_no_word_is_left_over() -> None:
    used = set().union(*map(words_of, python_files("app"))) | {"afloat", "span-4", "span-6"}
    assert {word for word in known_words() if not word.endswith("-")} == used
