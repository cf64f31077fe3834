"""What is public in core says what it takes, what it returns and what it refuses."""

import ast
import re

from tests.architecture.sources import ROOT, parse, python_files

# Of these the source stands on the screen, or the docstrings are the help of commands.
SHORT = ("core/model/", "core/decoding/step.py", "core/cli.py")
SECTION = re.compile(r"^(Args|Returns|Yields|Raises):$", re.MULTILINE)
ENTRY = re.compile(r"^    \*{0,2}(\w+): ", re.MULTILINE)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sections(text: str) -> dict[str, str]:
    """The text below each heading of a docstring."""
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters(node: Function) -> set[str]:
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {each.arg for each in every if each is not None}


def refuses(node: Function) -> bool:
    return any(
        isinstance(each, ast.Raise) and "GlassformerError" in ast.unparse(each)
        for each in ast.walk(node)
    )


def lacks(node: Function) -> list[str]:
    """What a function's docstring does not say."""
    said = sections(ast.get_docstring(node) or "")
    named = set(ENTRY.findall(said.get("Args", "")))
    returns = node.returns is not None and ast.unparse(node.returns) not in ("None", "NoReturn")
    return [
        *sorted(parameters(node) ^ named),
        *(["Returns"] if returns and not said.keys() & {"Returns", "Yields"} else []),
        *(["Raises"] if refuses(node) and "Raises" not in said else []),
    ]


def test_public_functions_of_the_core_say_what_they_take_and_return() -> None:
    wrong = [
        f"{name}: {node.name} does not say {', '.join(lost)}"
        for path in python_files("core")
        if not (name := path.relative_to(ROOT).as_posix()).startswith(SHORT)
        for node in parse(path).body
        if isinstance(node, Function) and not node.name.startswith("_")
        if (lost := lacks(node))
    ]
    assert not wrong, "\n".join(wrong)


def test_what_lacks_is_found() -> None:
    text = """
def mean(rows: Rows, at: int = 0) -> float:
    '''The mean of a row.

    Args:
        rows: (N, D).

    Raises:
        GlassformerError: there is no such row.
    '''
"""
    [node] = ast.parse(text).body
    assert isinstance(node, Function)
    assert lacks(node) == ["at", "Returns"]
