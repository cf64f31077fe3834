"""The statements of a function, by its syntax tree: from where to where, and what they name."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType

_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Statement:
    """A statement without the ones inside it, as lines of its file, counted from 1.

    `names` are those it uses or sets, as they are read (`x`, `self.gamma`); `sets` those it sets
    ("return" for what a function gives back); `records` the names under which it records.
    """

    first: int
    last: int
    names: tuple[str, ...]
    sets: frozenset[str]
    records: frozenset[str]

    def holds(self, line: int) -> bool:
        """Whether a line belongs to it."""
        return self.first <= line <= self.last


@cache
def statements(code: CodeType) -> list[Statement]:
    """Every statement of a function's body but its docstring, from top to bottom."""
    function, offset = _parsed(code)
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [_statement(node, offset) for node in _flat(body)]


def docstring(code: CodeType) -> range:
    """The lines of a function's docstring; none where it has none."""
    function, offset = _parsed(code)
    if ast.get_docstring(function) is None:
        return range(0)
    first = function.body[0]
    return range(first.lineno + offset, (first.end_lineno or first.lineno) + offset + 1)


@cache
def source_lines(code: CodeType) -> tuple[list[str], int]:
    """The lines of a function as they stand in its file, and the number of the first."""
    return inspect.getsourcelines(code)


@cache
def _parsed(code: CodeType) -> tuple[_Function, int]:
    """The function's tree, and what to add to the tree's line numbers for those of the file."""
    lines, start = source_lines(code)
    function = ast.parse(textwrap.dedent("".join(lines))).body[0]
    assert isinstance(function, _Function)
    return function, start - 1


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, _COMPOUND):
            for part in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, part, []))


def _statement(node: ast.stmt, offset: int) -> Statement:
    last = node.end_lineno or node.lineno
    parts: list[ast.AST] = [node]
    if isinstance(node, _COMPOUND):
        last = node.body[0].lineno - 1
        parts = [getattr(node, part) for part in ("test", "iter", "target") if hasattr(node, part)]
    if isinstance(node, _Function):  # its own body runs later, if at all
        last, parts = node.body[0].lineno - 1, []
    inside = [each for part in parts for each in ast.walk(part)]
    sets = {
        each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    if isinstance(node, ast.Return):
        sets.add("return")
    return Statement(
        node.lineno + offset,
        max(last, node.lineno) + offset,
        tuple(dict.fromkeys(name for part in parts for name in _names(part))),
        frozenset(sets),
        frozenset(name for each in inside for name in _recorded(each)),
    )


def _names(node: ast.AST) -> Iterator[str]:
    """Names in reading order; `self.gamma` is one, whatever hangs on it further on."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"self.{node.attr}" if node.value.id == "self" else node.value.id
    elif isinstance(node, ast.Name):
        yield node.id
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names(child)


def _recorded(node: ast.AST) -> Iterator[str]:
    """The name in `tape("scores", …)`: a call, by any name, of a text and one value."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
