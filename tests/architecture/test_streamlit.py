"""Rules that Streamlit asks for and cannot check itself."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, parse, python_files

FILES = python_files("app")
# What writes the session and the URL, or reads a widget's value.
SESSION = {"session_state", "query_params"}


def calls_say(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "id", "") == "say"
        for each in ast.walk(node)
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_labels_are_looked_up_during_the_run(path: Path) -> None:
    # A lambda given as `format_func` may run outside the session, where say() knows no language.
    late = [n.lineno for n in ast.walk(parse(path)) if isinstance(n, ast.Lambda) and calls_say(n)]
    assert not late, f"lines {late}: use labels.__getitem__ of a dict made during the run"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_state_touches_session_and_link(path: Path) -> None:
    if path in (ROOT / "app" / "session" / "store.py", ROOT / "app" / "takeaway" / "draw.py"):
        return  # the second one asks for a link, as a browser does
    touched = [
        node.lineno
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in SESSION
    ]
    assert not touched, f"lines {touched}: go through app.session.store"
