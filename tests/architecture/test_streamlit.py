"""Rules that Streamlit asks for and cannot check itself."""

import ast

from tests.architecture.sources import ROOT, parse, python_files

FILES = python_files("app")
# What writes the session and the URL, or reads a widget's value.
SESSION = {"session_state", "query_params"}
# The second one asks for a link, as a browser does.
MAY_TOUCH = (ROOT / "app" / "session" / "store.py", ROOT / "app" / "takeaway" / "draw.py")


def calls_say(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "id", "") == "say"
        for each in ast.walk(node)
    )


def test_labels_are_looked_up_during_the_run() -> None:
    # A lambda given as `format_func` may run outside the session, where say() knows no language.
    late = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Lambda) and calls_say(node)
    ]
    assert not late, f"{late}: use labels.__getitem__ of a dict made during the run"


def test_only_state_touches_session_and_link() -> None:
    touched = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        if path not in MAY_TOUCH
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in SESSION
    ]
    assert not touched, f"{touched}: go through app.session.store"
