"""The project's Python files, parsed."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    paths = (ROOT / name for name in listed.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """The Python files below some folders, "" for those of the root."""
    return tuple(
        path
        for path in project_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
    )


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(path: Path) -> str:
    """ "core.model.attention" for core/model/attention.py; the root's app.py is "app.py"."""
    parts = path.relative_to(ROOT).parts
    if len(parts) == 1:
        return parts[0]
    name = ".".join(parts).removesuffix(".py")
    return name.removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """What a file imports, also inside functions; the package's own without its name."""
    found: set[str] = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            assert node.module is not None
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.removeprefix("glassformer.") for name in found}
