"""Small functions, small files, few bytes, nothing of one machine."""

import ast
import re
import tomllib
from pathlib import Path

from tests.architecture.sources import ROOT, parse, project_files, python_files

LONGEST_FUNCTION = 44
WIDEST = 100
LONGEST_FILE = 400  # one idea a file; so many lines are two
# Written in parts, so that this file may be read too.
MACHINE_PATHS = tuple(f"/{top}/" for top in ("work", "tmp", "home", "root", "Users", "opt"))
TEXT = {".py", ".md", ".toml", ".txt", ".js", ".css", ".html", ".json", ".yml", ""}
CODE = {".py", ".js", ".css", ".html", ".svg"}
GROWTH = 0.02  # of all bytes of code, that needs no reason
PAGES = {ROOT / "CONTRIBUTING.md": 120} | {  # and the most lines of each: a screen
    ROOT / "docs" / f"a-{name}.md": 60 for name in ("click", "run", "site", "panel", "page")
}
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")  # a relative one
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|toml|md|css|js|html|json|yml|sh))`")
FILES = python_files("core", "app", "tests", "app.py", "serve.py", "glassformer.py")


def lines_of_docstring(node: ast.AST) -> int:
    """How many lines a function's or a class's docstring has: no limit is to make it shorter."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return 0
    first = node.body[0]
    return (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) else 0


def test_lengths() -> None:
    lengths = {
        path: path.read_text(encoding="utf-8").count("\n")
        - sum(lines_of_docstring(node) for node in ast.walk(parse(path)))
        for path in FILES
    }
    long = [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > LONGEST_FILE]
    for path in FILES:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1 - lines_of_docstring(node)
                if length > LONGEST_FUNCTION:
                    long.append(f"{path}: {node.name} has {length} lines")
    assert not long, "split them:\n" + "\n".join(long)


def test_sheets_and_scripts_are_as_narrow_as_the_rest() -> None:
    """Their formatter breaks whatever may be broken: neither comments nor texts."""
    long = [
        f"{path}:{number}: {line}"
        for path in project_files()
        if path.suffix in (".js", ".css")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > WIDEST and not re.search("[\"'`]", line)
    ]
    assert not long, "\n".join(long)


def test_whoever_adds_bytes_says_why() -> None:
    said = tomllib.loads(Path(__file__).with_name("bytes.toml").read_text("utf-8"))["said"][-1]
    there = sum(
        path.stat().st_size
        for path in project_files()
        if path.suffix in CODE and path.relative_to(ROOT).parts[0] in ("app", "core")
    )
    assert said["why"]
    grown = there / said["bytes"] - 1
    assert -GROWTH <= grown <= GROWTH, f"{there} bytes, {grown:+.1%}: say so in bytes.toml"


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


def test_few_modules_stand_in_the_hallway_of_the_core() -> None:
    assert len(list((ROOT / "core").glob("*.py"))) <= 8, "a module has a room"


def test_every_folder_of_the_app_is_a_package() -> None:
    # Without app/__init__.py, app.py at the root would hide the folder.
    folders = {path.parent for path in python_files("app", "core")}
    without = sorted(
        str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()
    )
    assert not without


def missing(page: Path, text: str) -> list[str]:
    """What a page of prose links to or names by its path, and is not there."""
    linked = [each for each in LINK.findall(text) if not (page.parent / each).exists()]
    return linked + [each for each in NAMED.findall(text) if not (ROOT / each).exists()]


def test_prose_names_what_there_is() -> None:
    pages = [ROOT / "README.md", *PAGES, *(ROOT / "docs").rglob("*.md")]
    wrong = {page: lost for page in pages if (lost := missing(page, page.read_text("utf-8")))}
    assert not wrong
    assert missing(ROOT / "README.md", "[a](docs/no.md) `core/no.py` [b](docs/heads.md)") == [
        "docs/no.md",
        "core/no.py",
    ]


def test_pages_are_a_screen() -> None:
    lengths = {page: page.read_text("utf-8").count("\n") for page in PAGES}
    assert not {page: length for page, length in lengths.items() if length > PAGES[page]}
