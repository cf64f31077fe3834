"""The column's symbols as chips, and the code: the lines that ran, with the shapes of this run."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from glassformer.app.pages.walkthrough import text
from glassformer.app.pages.walkthrough.figures.formula import symbol_levels, symbols
from glassformer.app.pages.walkthrough.focus import StepFocus, go_to_event
from glassformer.app.plots.labels import format_number
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.equations import Symbol
from glassformer.core.explain.source import code
from glassformer.core.explain.source.code import CodeLine, NamedShape
from glassformer.core.explain.steps.steps import maker_of
from glassformer.core.explain.steps.wires import Wire, wire_axes
from glassformer.core.trace.sites import site_at

TEXTS = ("code", "code_none", "code_functions")

_code = component(__file__, "walk_code", scripts=("place.js",))


def show() -> None:
    """Make the place of chips and code; a click on a symbol or a variable goes to its step."""
    _code("walk_code", {}, height="stretch", go=_gone)


def code_context() -> dict[str, Any]:
    """What the drawing of every step needs."""
    return {"texts": {name: say(f"walk_steps.{name}") for name in TEXTS}}


def step_code(focus: StepFocus) -> dict[str, Any]:
    """What is drawn of a step."""
    return {
        "step": focus.step.id,
        "symbols": [_chip(focus, symbol) for symbol in symbols(focus.step, focus.line)],
        "sources": [
            {
                "name": source.name,
                "place": f"{source.module} · {source.file}",
                "lines": [_line(focus, line) for line in source.lines],
            }
            for source in code.code(focus.trace, focus.step)
        ],
    }


def maker_of_wire(focus: StepFocus, wire: Wire) -> str:
    """The id of the step that makes a wire, "" for one that none makes."""
    step = maker_of(focus.every_step, wire)
    return step.id if step else ""


def _parameter_shape(focus: StepFocus, parameter: str) -> str:
    """The shape of a parameter, a dash where the run is of a file and its model not here."""
    try:
        return " × ".join(map(str, focus.model.get_parameter(parameter).shape))
    except GlassformerError:
        return "–"


def _chip(focus: StepFocus, symbol: Symbol) -> dict[str, Any]:
    chip: dict[str, Any] = {
        "runs": symbol_levels(symbol.latex),
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


def _leading(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    """Where the chip of a tensor leads, and what it says of it."""
    step = maker_of_wire(focus, wire)
    kind = "input" if not step else "here" if step == focus.step.id else "go"
    words = say(site_at(wire.address).text_key)
    shape = " × ".join(f"{axis.letter} {axis.size}" for axis in wire_axes(focus.trace, wire))
    return {
        "title": say(f"walk_steps.symbol_{kind}", words=words.rstrip(".。"), shape=shape),
        "go": {"step": step, "address": wire.address} if step else None,
        "on": wire == focus.output,
    }


def _line(focus: StepFocus, line: CodeLine) -> dict[str, Any]:
    return vars(line) | {"shapes": [_shape(focus, each) for each in line.shapes]}


def _shape(focus: StepFocus, named: NamedShape) -> dict[str, Any]:
    step = maker_of_wire(focus, Wire(named.address)) if named.address else ""
    return {
        "name": named.name,
        "sizes": [[letter, size] for letter, size in zip(named.letters, named.sizes, strict=True)],
        "go": {"step": step, "address": named.address} if step else None,
        "title": say("walk_steps.code_go", name=named.name) if step else "",
    }


def _gone(sent: Mapping[str, Any]) -> None:
    """Another step, the clicked tensor in view; of this step only the tensor changes."""
    go_to_event(sent)
    store.update(address=str(sent["address"]))


def show_explain() -> None:
    """Draw the column; its parts stand at the same height in every step."""
    with st.container(key="walk_explain", gap=None):
        text.show()
        with box("fill low", "walk_code_place"):
            show()
