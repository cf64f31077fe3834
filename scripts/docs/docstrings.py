"""What docstrings say, as Markdown: read from the source, so that nothing needs to be imported."""

import ast
import re
from functools import cache
from pathlib import Path

from scripts.docs.pages import ROOT

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
SECTION = re.compile(r"^(Args|Returns|Yields|Raises):$", re.MULTILINE)
ENTRY = re.compile(r"^    (\*{0,2}\w+): ", re.MULTILINE)
TITLES = {"Args": "Takes", "Returns": "Gives", "Yields": "Gives, one after the other",
          "Raises": "Refuses"}  # fmt: skip


@cache
def parsed(path: Path) -> ast.Module:
    """A module of the checkout."""
    return ast.parse(path.read_text("utf-8"))


def public(body: list[ast.stmt]) -> list[Definition]:
    """The functions and classes of a module, the methods of a class, that have no underscore."""
    return [
        node
        for node in body
        if isinstance(node, Definition) and not node.name.startswith("_")
        if not any("overload" in ast.unparse(each) for each in node.decorator_list)
        if not any(".setter" in ast.unparse(each) for each in node.decorator_list)
    ]


def signature(node: Definition) -> str:
    """How it is called, a line each parameter where one line is too narrow."""
    if isinstance(node, ast.ClassDef):
        fields = [
            ast.unparse(each) for each in node.body
            if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_")
        ]  # fmt: skip
        bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
        return "\n".join([f"class {node.name}{bases}:", *(f"    {each}" for each in fields)])
    named = {ast.unparse(each) for each in node.decorator_list}
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if named & {"property", "cached_property"}:
        return f"{node.name}{returns.replace(' ->', ':')}"
    given = ast.unparse(node.args)
    line = f"{node.name}({given}){returns}"
    if len(line) <= 90:
        return line
    return f"{node.name}(\n    {_broken(given)}\n){returns}"


def _broken(parameters: str) -> str:
    """Parameters a line each; commas inside of brackets stay where they are."""
    found, depth = "", 0
    for letter in parameters:
        depth += (letter in "([{") - (letter in ")]}")
        found += letter
        if letter == "," and not depth:
            found += "\n   "
    return found


def described(node: Definition | ast.Module, links: dict[str, str]) -> str:
    """A docstring: its words, and its sections as tables. links: where a key of an error leads."""
    first, *rest = SECTION.split(ast.get_docstring(node) or "")
    found = [first.strip()]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        entries = ENTRY.split(body)[1:] if title in ("Args", "Raises") else []
        rows = zip(entries[::2], entries[1::2], strict=True)
        said = [f"| `{name}` | {_in_a_cell(words)} |" for name, words in rows]
        text = "\n".join(["| | |", "| --- | --- |", *said]) if said else " ".join(body.split())
        found += [f"**{TITLES[title]}**", linked(text, links) if title == "Raises" else text]
    return "\n\n".join(found)


def linked(text: str, links: dict[str, str]) -> str:
    """The text with its keys of errors as links."""
    return re.sub(
        r"`(\w+)`", lambda key: f"[{key[0]}]({links[key[1]]})" if key[1] in links else key[0], text
    )


def _in_a_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def module_path(name: str) -> Path:
    """The file of a module of the package, `core.trace.trace` or `glassformer.core.trace.trace`."""
    place = ROOT.joinpath(*name.removeprefix("glassformer.").split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
