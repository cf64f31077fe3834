"""The symbols of a step as chips, and its code: the lines that ran, with the shapes of this run."""

from __future__ import annotations

from typing import Any

from app import state
from app.figures.labels import format_number
from app.figures.walk_formula import levels, symbols
from app.widgets.component import component
from app.widgets.walkthrough import events
from app.widgets.walkthrough.focus import Focus
from app.words import say
from core.errors import GlassformerError
from core.trace.sites import site_at
from core.trace.trace import Trace
from core.walk import source_code
from core.walk.origins import maker_of
from core.walk.source_code import CodeLine, NamedShape, Source
from core.walk.symbols import Symbol
from core.walk.wires import Wire, axes

TEXTS = ("code", "code_none", "code_functions")

_code = component(__file__, "walk_code", scripts=("../place",))


def show() -> None:
    """Make the place of chips and code; a click on a symbol or a variable goes to its step."""
    _code(key="walk_code", data={}, height="stretch", on_go_change=_gone)


def shared(focus: Focus) -> dict[str, Any]:
    """What the drawing of every step needs."""
    names = ("text", "faint", "line", "panel", "weights", "data", "value", "feed_forward")
    return {
        "texts": {name: say(f"walk_steps.{name}") for name in TEXTS},
        "colours": {name.replace("_", "-"): focus.look.colour(name) for name in names},
    }


def own(focus: Focus) -> dict[str, Any]:
    """What is drawn of a step."""
    sources = source_code.code(focus.trace, focus.step)
    return {
        "step": focus.step.id,
        "symbols": [_chip(focus, symbol) for symbol in symbols(focus.step, focus.line)],
        "sources": [_source(focus, source) for source in sources],
    }


def target(focus: Focus, wire: Wire) -> str:
    """The id of the step that makes a wire, "" for one that none makes."""
    step = maker_of(focus.every_step, wire)
    return step.id if step else ""


def shape_words(trace: Trace, wire: Wire) -> str:
    """The shape of a wire with the paper's letters: "B 1 × H 4 × S 12 × S 12"."""
    return " × ".join(f"{axis.letter} {axis.size}" for axis in axes(trace, wire))


def _parameter_shape(focus: Focus, parameter: str) -> str:
    """The shape of a parameter, a dash where the run is of a file and its model not here."""
    try:
        return " × ".join(map(str, focus.weights[parameter].shape))
    except GlassformerError:
        return "–"


def _chip(focus: Focus, symbol: Symbol) -> dict[str, Any]:
    chip: dict[str, Any] = {
        "runs": levels(symbol.latex),
        "colour": focus.look.colour("text" if symbol.role == "constant" else symbol.role),
        "go": None,
        "value": "",
    }
    if symbol.size is not None:
        value = format_number(symbol.size, focus.look.precision)
        if symbol.size == int(symbol.size):
            value = str(int(symbol.size))
        return chip | {"value": value, "title": say("walk_steps.symbol_constant", value=value)}
    if symbol.wire is None:
        shape = _parameter_shape(focus, symbol.parameter)
        title = say("walk_steps.symbol_parameter", name=symbol.parameter, shape=shape)
        return chip | {"title": title}
    return chip | _leading(focus, symbol.wire)


def _leading(focus: Focus, wire: Wire) -> dict[str, Any]:
    """Where the chip of a tensor leads, and what it says of it."""
    step = target(focus, wire)
    kind = "input" if not step else "here" if step == focus.step.id else "go"
    words, shape = say(site_at(wire.address).text_key), shape_words(focus.trace, wire)
    return {
        "title": say(f"walk_steps.symbol_{kind}", words=words.rstrip(".。"), shape=shape),
        "go": {"step": step, "address": wire.address} if step else None,
        "on": wire == focus.output,
    }


def _source(focus: Focus, source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "place": f"{source.module} · {source.file}",
        "lines": [_line(focus, line) for line in source.lines],
    }


def _line(focus: Focus, line: CodeLine) -> dict[str, Any]:
    return {
        "number": line.number,
        "text": line.text,
        "marked": line.marked,
        "ran": line.ran,
        "doc": line.docstring,
        "shapes": [_shape(focus, each) for each in line.shapes],
    }


def _shape(focus: Focus, named: NamedShape) -> dict[str, Any]:
    step = target(focus, Wire(named.address)) if named.address else ""
    return {
        "name": named.name,
        "sizes": [[letter, size] for letter, size in zip(named.letters, named.sizes, strict=True)],
        "go": {"step": step, "address": named.address} if step else None,
        "title": say("walk_steps.code_go", name=named.name) if step else "",
    }


def _gone() -> None:
    """Another step, the clicked tensor in view; of this step only the tensor changes."""
    if value := events.arrived("walk_code", "go"):
        state.update(address=str(value["address"]))
