"""A page a tool: every public name of the package, from its docstring."""

import ast
import sys
from pathlib import Path
from types import ModuleType

import glassformer
from scripts.docs.docstrings import Definition, described, module_path, parsed, public, signature
from scripts.docs.errors import places
from scripts.docs.pages import ROOT
from scripts.docs.reference import anchor_of


def write_tools(pages: Path) -> None:
    """A page each, and on the first page a table of them."""
    rows = ["| tool | |", "| --- | --- |"]
    for name in sorted(glassformer.__all__, key=str.lower):
        value = getattr(glassformer, name)
        (pages / "tools" / f"{name}.md").write_text(page_of_tool(name, value), "utf-8")
        rows.append(f"| [`{name}`]({name}.md) | {first_sentence(value)} |")
    with (pages / "tools/index.md").open("a", encoding="utf-8") as index:
        index.write("\n" + "\n".join(rows) + "\n")


def definition(value: object) -> Definition | ast.Module | None:
    """Where a function, class or module is defined in the source; None for any other value."""
    if isinstance(value, ModuleType):
        return parsed(module_path(value.__name__))
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    if module is None or not hasattr(value, "__qualname__"):
        return None
    body = parsed(module_path(module.__name__)).body
    return next((node for node in public(body) if node.name == value.__qualname__), None)


def first_sentence(value: object) -> str:
    """What a tool is, for the table."""
    said = " ".join((getattr(value, "__doc__", "") or "").partition("\n\n")[0].split())
    return said.replace("|", "\\|")


def page_of_tool(name: str, value: object) -> str:
    """Its import, how it is called, what its docstring says; of a class or module its parts."""
    node = definition(value)
    text = [f"# {name}", f"```python\nfrom glassformer import {name}\n```"]
    if node is None:
        return "\n\n".join([*text, getattr(value, "__doc__", None) or repr(value)]) + "\n"
    if not isinstance(node, ast.Module):
        text.append(f"```python\n{signature(node)}\n```")
    text.append(described(node, places()))
    for part in public(node.body) if isinstance(node, ast.ClassDef | ast.Module) else []:
        text += [f"## {part.name}", f"```python\n{signature(part)}\n```"]
        text.append(described(part, places()))
    place = value.__name__ if isinstance(value, ModuleType) else value.__module__
    module = str(place).removeprefix("glassformer.")
    path = module_path(module).relative_to(ROOT).as_posix()
    text.append(f"Defined in `{path}`; what lies beside it: [reference]({anchor_of(module)}).")
    return "\n\n".join(text) + "\n"
