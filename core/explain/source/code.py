"""The code of a step: the functions of core.model that ran, as they stand, the lines marked.

Nothing here knows a line number. What a step put out says under which names it was recorded; the
watched run says which call recorded them, and what that call called; the syntax tree says from
where to where each statement goes. The source is read by `inspect`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType

from core.explain.source.watch import (
    LETTERS,
    ROOT,
    Call,
    Sizes,
    choice_run,
    model_run,
    weight_shape,
)
from core.explain.steps.steps import Kind, Step
from core.trace.address import Address
from core.trace.sites import sizes
from core.trace.trace import Trace

# What else a step runs than the function that records: called by it, or to have its masks.
_HELPERS: dict[Kind, tuple[str, ...]] = {
    "positions": ("Embedding.positions", "position_encoding", "frequency"),
    "project": ("MultiHeadAttention.keys_and_values",),
    "split": ("MultiHeadAttention.split", "MultiHeadAttention.keys_and_values"),
    "activation": ("activate",),
    "choice": ("_best",),
}
_MASKS = {True: ("apply_mask", "target_mask", "padding_mask", "causal_mask"),
          False: ("apply_mask", "padding_mask")}  # fmt: skip
# What else a step sets on the way to what it records, "return" for what it gives back.
_ON_THE_WAY: dict[Kind, tuple[str, ...]] = {
    "embedding_scale": ("scale",),
    "sum": ("input",),
    "norm": ("centred",),
    "final_norm": ("centred",),
    "choice": ("log_probabilities", "probabilities"),
}
_DROPOUTS = ("embedding_dropout", "weights_dropout", "hidden_dropout", "sublayer_dropout")
_WITH_CALLER = (*_DROPOUTS, "norm", "final_norm")
_DROPPING = ("drawn", "kept", "return")


@dataclass(frozen=True)
class NamedShape:
    """The shape that a name has in this run, in numbers and in the paper's letters.

    `address` is where it is recorded, "" where it is not.
    """

    name: str
    sizes: tuple[int, ...]
    letters: tuple[str, ...]
    address: str = ""


@dataclass(frozen=True)
class CodeLine:
    """A line of the source. `number` counts from 1 in its file.

    `ran`: this run went through it. `marked`: for this step. `shapes` stand at the last line of a
    marked statement.
    """

    number: int
    text: str
    ran: bool
    marked: bool
    docstring: bool = False
    shapes: tuple[NamedShape, ...] = ()


@dataclass(frozen=True)
class Source:
    """One function as it stands in its file, the lines of one step marked."""

    module: str  # core.model.attention
    name: str  # MultiHeadAttention.forward
    file: str  # core/model/attention.py
    lines: tuple[CodeLine, ...]

    @property
    def marked(self) -> tuple[CodeLine, ...]:
        return tuple(line for line in self.lines if line.marked)

    @property
    def text(self) -> str:
        """The source, its common indent taken away."""
        return "\n".join(line.text for line in self.lines)


def code(trace: Trace, step: Step) -> tuple[Source, ...]:
    """The functions that a step ran, the one that matters most first.

    Empty where no function ran: a word that was given was not chosen.
    """
    if step.kind == "given":
        return ()
    batch, source = trace["source/ids"].shape
    target = trace["target/ids"].shape[1]
    config = trace.config
    actual = sizes(config, source, target, batch)
    actual |= {"D/2": config.d_model // 2, "M": config.max_length}
    return tuple(_source(*each, trace, actual) for each in _chosen(trace, step))


def _chosen(trace: Trace, step: Step) -> Iterator[tuple[Call, list[Statement]]]:
    """The calls of a step, each with the statements that matter."""
    calls = _calls(trace, step)
    main = _main(calls, step)
    helpers = list(_helpers(calls, main, step))
    everything = [(helper, statements(helper.code)) for helper in helpers]
    if step.kind == "split":
        yield everything.pop(0)
    yield main, _main_lines(main, helpers, step)
    yield from everything
    if step.kind in _WITH_CALLER and main.caller is not None:
        there = statements(main.caller.code)
        yield main.caller, [each for each in there if each.holds(main.line)]


def _calls(trace: Trace, step: Step) -> tuple[Call, ...]:
    if step.kind == "choice":
        return choice_run()
    return model_run(trace.config, "source/kept" in trace.tensors)


def _main(calls: Sequence[Call], step: Step) -> Call:
    """The innermost call that recorded what the step puts out."""
    if step.kind == "choice":
        return calls[0]
    address = f"{step.stage}/input" if step.kind == "sum" else step.outputs[0].address
    return [call for call in calls if address in call.recorded][-1]


def _helpers(calls: Sequence[Call], main: Call, step: Step) -> Iterator[Call]:
    causal = step.stage == "decoder" and step.sublayer == "self_attention"
    names = _MASKS[causal] if step.kind == "mask" else _HELPERS.get(step.kind, ())
    near = list(main.below())
    for name in names:
        found = next((call for call in (*near, *calls) if call.name == name), None)
        if found is not None:
            near += found.below()
            yield found


def _main_lines(main: Call, helpers: Sequence[Call], step: Step) -> list[Statement]:
    """The statements that record, that set what is needed on the way, that call a helper."""
    names = {Address.of(wire.address).name for wire in step.outputs if wire.form != "added"}
    on_the_way = {*_ON_THE_WAY.get(step.kind, ()), *(_DROPPING if step.kind in _DROPOUTS else ())}
    called_at = [_line_in(main, helper) for helper in helpers]
    return [
        each
        for each in statements(main.code)
        if each.records & (names | on_the_way)
        or each.sets & on_the_way
        or any(line is not None and each.holds(line) for line in called_at)
    ]


def _line_in(main: Call, helper: Call) -> int | None:
    """The line at which `main` made the call that led to `helper`; None where it did not."""
    call = helper
    while call.caller is not None:
        if call.caller is main:
            return call.line
        call = call.caller
    return None


def _source(
    call: Call, chosen: Sequence[Statement], trace: Trace, actual: Mapping[str, int]
) -> Source:
    texts, start = source_lines(call.code)
    plain = textwrap.dedent("".join(texts)).splitlines()
    marked = [each for each in chosen if call.ran(each.first, each.last)]
    doc = docstring(call.code)
    shapes = {each.last: _shapes_at(call, each, trace, actual) for each in marked}
    lines = tuple(
        CodeLine(
            number, text, call.ran(number, number), any(each.holds(number) for each in marked),
            number in doc, shapes.get(number, ()),
        )
        for number, text in enumerate(plain, start)
    )  # fmt: skip
    file = Path(call.code.co_filename).relative_to(ROOT).as_posix()
    return Source(call.module, call.name, file, lines)


def _shapes_at(
    call: Call, here: Statement, trace: Trace, actual: Mapping[str, int]
) -> tuple[NamedShape, ...]:
    """What the names of a statement were: those it sets after it, the others before it."""
    before, after = call.before(here.first, here.last), call.after(here.first, here.last)
    found: dict[str, Sizes] = {}
    for name in here.names:
        known = after if name in here.sets else before
        if name in known:
            found[name] = known[name]
        elif name.startswith("self.") and (weight := weight_shape(call.owner, name[5:])):
            found[f"self.{weight[0]}"] = weight[1]
    if "return" in here.sets and call.result is not None:
        found["return"] = call.result
    return tuple(
        _named(name, small, _address(name, call, here, trace), actual)
        for name, small in found.items()
        if LETTERS.keys() >= set(small)  # else it is of the small model only
    )


def _address(name: str, call: Call, here: Statement, trace: Trace) -> str:
    """Where the value of a name is recorded, "" where it is not or where dropout changed it."""
    if name in here.sets and name not in here.records:
        return ""
    if name not in here.sets and "source/kept" in trace:
        return ""
    at = Address.of(call.recorded[0] if call.recorded else "")
    address = at.sibling(name)
    return address if at.place and address in trace else ""


def _named(name: str, small: Sizes, address: str, actual: Mapping[str, int]) -> NamedShape:
    letters = tuple(LETTERS[size] for size in small)
    return NamedShape(name, tuple(actual[letter] for letter in letters), letters, address)


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
