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

from glassformer.core.explain.source.watch import (
    LETTERS,
    ROOT,
    Call,
    Sizes,
    choice_run,
    model_run,
    weight_shape,
)
from glassformer.core.explain.steps.steps import Kind, Step
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import letter_sizes
from glassformer.core.trace.trace import Trace

# What else a step runs than the function that records: called by it, or to have its masks.
_HELPERS: dict[Kind, tuple[str, ...]] = {
    "positions": ("Embedding.positions", "position_encoding", "frequency"),
    "project": ("MultiHeadAttention.keys_and_values",),
    "split": ("MultiHeadAttention.split", "MultiHeadAttention.keys_and_values"),
    "activation": tuple(each.compute.__name__ for each in ACTIVATIONS.values()),
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
    doc: bool = False  # a line of the docstring
    shapes: tuple[NamedShape, ...] = ()


@dataclass(frozen=True)
class Source:
    """One function as it stands in its file, the lines of one step marked."""

    module: str  # core.model.attention
    name: str  # MultiHeadAttention.forward
    file: str  # core/model/attention.py
    lines: tuple[CodeLine, ...]


def code(trace: Trace, step: Step) -> tuple[Source, ...]:
    """The functions that a step ran, the one that matters most first.

    Args:
        trace: the run that is read.
        step: one of its steps.

    Returns:
        The functions as they stand in their files, the lines of the step marked. Empty where no
        function ran: a word that was given was not chosen.
    """
    if step.kind == "given":
        return ()
    config = trace.config.of(step.stage)
    sides = [each for each in ("source", "target") if f"{each}/ids" in trace]
    batch, source = trace[f"{sides[0]}/ids"].shape
    target = trace[f"{sides[-1]}/ids"].shape[1]
    actual = letter_sizes(config, source, target, batch)
    actual |= {"D/2": config.d_model // 2, "K/2": config.d_k // 2, "M": config.max_length}
    return tuple(_source(*each, trace, actual) for each in _chosen(trace, step))


def _chosen(trace: Trace, step: Step) -> Iterator[tuple[Call, list[Statement]]]:
    """The calls of a step, each with the statements that matter."""
    drops = "source/kept" in trace.tensors
    calls = choice_run() if step.kind == "choice" else model_run(trace.config, drops)
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
    doc = docstring_lines(call.code)
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
    before, after = call.around(here.first, here.last)
    found: dict[str, Sizes] = {}
    for name in here.names:
        known = after if name in here.sets else before
        if name in known:
            found[name] = known[name]
        elif name.startswith("self.") and (weight := weight_shape(call.owner, name[5:])):
            found[f"self.{weight[0]}"] = weight[1]
    if "return" in here.sets and call.result is not None:
        found["return"] = call.result
    named = []
    for name, small in found.items():
        if LETTERS.keys() >= set(small):  # else it is of the small model only
            letters = tuple(LETTERS[size] for size in small)
            numbers = tuple(actual[letter] for letter in letters)
            address = _address(name, call, here, trace)
            held = trace.tensors.get(address)  # a key that is shared by heads is one for each here
            other = held is not None and tuple(held.shape) != numbers
            named.append(NamedShape(name, numbers, letters, "" if other else address))
    return tuple(named)


def _address(name: str, call: Call, here: Statement, trace: Trace) -> str:
    """Where the value of a name is recorded, "" where it is not or where dropout changed it."""
    if name in here.sets and name not in here.records:
        return ""
    if name not in here.sets and "source/kept" in trace:
        return ""
    at = Address.of(call.recorded[0] if call.recorded else "")
    address = at.sibling(name)
    return address if at.place and address in trace else ""


_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)


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
        """Whether a line belongs to it.

        Args:
            line: of the file, counted from 1.

        Returns:
            True from its first to its last line.
        """
        return self.first <= line <= self.last


@cache
def statements(code: CodeType) -> list[Statement]:
    """Every statement of a function's body but its docstring, from top to bottom.

    Args:
        code: of a function whose source can be read.

    Returns:
        The statements, those inside others too, each without the ones inside it.

    Raises:
        OSError: the source is not there.
    """
    function = _parsed(code)
    body = function.body[1:] if docstring_lines(code) else function.body
    return [_statement(node) for node in _flat(body)]


def docstring_lines(code: CodeType) -> range:
    """The lines of a function's docstring; none where it has none.

    Args:
        code: of a function whose source can be read.

    Returns:
        Numbers of lines of the file, counted from 1.

    Raises:
        OSError: the source is not there.
    """
    function = _parsed(code)
    first = function.body[0]
    has_one = ast.get_docstring(function) is not None
    return range(first.lineno, (first.end_lineno or first.lineno) + 1) if has_one else range(0)


@cache
def source_lines(code: CodeType) -> tuple[list[str], int]:
    """The lines of a function as they stand in its file, and the number of the first.

    Args:
        code: of a function whose source can be read.

    Returns:
        The lines with their ends, and the number of the first, counted from 1.

    Raises:
        OSError: the source is not there.
    """
    return inspect.getsourcelines(code)


@cache
def _parsed(code: CodeType) -> ast.FunctionDef:
    """The function's tree; its lines are counted as in the file."""
    lines, start = source_lines(code)
    module = ast.parse(textwrap.dedent("".join(lines)))
    function = ast.increment_lineno(module, start - 1).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, _COMPOUND):
            for part in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, part, []))


def _statement(node: ast.stmt) -> Statement:
    last, parts = node.end_lineno or node.lineno, list[ast.AST]([node])
    if isinstance(node, _COMPOUND):
        last = node.body[0].lineno - 1
        parts = [getattr(node, part) for part in ("test", "iter", "target") if hasattr(node, part)]
    if isinstance(node, ast.FunctionDef):  # its own body runs later, if at all
        last, parts = node.body[0].lineno - 1, []
    inside = [each for part in parts for each in ast.walk(part)]
    stored = (each for each in inside if isinstance(each, ast.Name))
    sets = {each.id for each in stored if isinstance(each.ctx, ast.Store)}
    if isinstance(node, ast.Return):
        sets.add("return")
    names = dict.fromkeys(name for part in parts for name in _names(part))
    records = frozenset(name for each in inside for name in _recorded(each))
    last = max(last, node.lineno)
    return Statement(node.lineno, last, tuple(names), frozenset(sets), records)


def _names(node: ast.AST) -> Iterator[str]:
    """Names in reading order; `self.gamma` is one, whatever hangs on it further on."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            yield f"self.{attribute}"
        case ast.Attribute(value=ast.Name(id=name)) | ast.Name(id=name):
            yield name
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _names(child)


def _recorded(node: ast.AST) -> Iterator[str]:
    """The name in `tape("scores", …)`: a call, by any name, of a text and one value."""
    match node:
        case ast.Call(func=ast.Name(), args=[ast.Constant(value=str(name)), _]):
            yield name
