"""The reference: a page a room of core, the public functions and classes of its modules."""

import ast
from collections import defaultdict
from pathlib import Path

from scripts.docs.docstrings import described, parsed, public, signature
from scripts.docs.errors import places
from scripts.docs.pages import ROOT


def room_of(module: str) -> str:
    """The page that a module is on: `core.trace` of `core.trace.tape`, `core` of `core.errors`."""
    parts = module.split(".")
    return ".".join(parts[: 2 if ROOT.joinpath(*parts[:2]).is_dir() else 1])


def anchor_of(module: str) -> str:
    """Where a module stands, seen from a folder beside reference/."""
    return f"../reference/{room_of(module)}.md#{module}"


def write_reference(pages: Path) -> None:
    """A page a room, and on the first page a table of them."""
    rooms: dict[str, list[str]] = defaultdict(list)
    rows = ["| room | |", "| --- | --- |"]
    for path in sorted((ROOT / "core").rglob("*.py")):
        name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        module, room = parsed(path), room_of(name)
        if path.name == "__init__.py" and name.removesuffix(".__init__") == room:
            about = (ast.get_docstring(module) or "").partition("\n")[0].replace("|", "\\|")
            rows.append(f"| [`{room}`]({room}.md) | {about} |")
            rooms[room][:0] = [f"# {room}", described(module, {})]
        elif public(module.body):
            rooms[room] += describe_module(name, module)
    for room, text in rooms.items():
        (pages / "reference" / f"{room}.md").write_text("\n\n".join(text) + "\n", "utf-8")
    with (pages / "reference/index.md").open("a", encoding="utf-8") as index:
        index.write("\n" + "\n".join(rows) + "\n")


def describe_module(name: str, module: ast.Module) -> list[str]:
    """What a module is for, and each function and class of it."""
    text = [f"## {name} {{#{name}}}", described(module, {})]
    for node in public(module.body):
        text += [f"### {node.name} {{#{name}.{node.name}}}", f"```python\n{signature(node)}\n```"]
        text.append(described(node, places()))
        if isinstance(node, ast.ClassDef):
            for method in public(node.body):
                text += [f"**{node.name}.{method.name}**", f"```python\n{signature(method)}\n```"]
                text.append(described(method, places()))
    return text
