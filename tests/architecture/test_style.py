"""Small functions, small files, nothing of one machine."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, parse, project_files, python_files

LONGEST_FUNCTION = 44
LONGEST_FILE = 400  # one idea a file; so many lines are two
# Written in parts, so that this file may be read too.
MACHINE_PATHS = tuple(f"/{top}/" for top in ("work", "tmp", "home", "root", "Users", "opt"))
TEXT = {".py", ".md", ".toml", ".txt", ".js", ".css", ".html", ".json", ".yml", ""}
FILES = python_files("core", "app", "tests", "app.py", "serve.py", "glassformer.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lengths(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST_FILE, f"{lines} lines: split the file"
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name}: {length} lines: split the function"


def test_no_paths_of_one_machine() -> None:
    found = []
    for path in project_files():
        if path.suffix not in TEXT:
            continue
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            words = line.replace('"', " ").replace("'", " ").replace("(", " ").split()
            if any(word.startswith(MACHINE_PATHS) for word in words):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert not found, "\n".join(found)


def test_every_folder_of_the_app_is_a_package() -> None:
    # Without app/__init__.py, app.py at the root would hide the folder.
    folders = {path.parent for path in python_files("app", "core")}
    without = sorted(
        str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()
    )
    assert not without
