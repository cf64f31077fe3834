"""The middle: what goes into a step and what comes out, and the wires between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.pages.walkthrough import panels
from app.pages.walkthrough.figures.layout import columns, operations
from app.pages.walkthrough.figures.sheets import index_of
from app.pages.walkthrough.focus import StepFocus, arrived, select
from app.pages.walkthrough.scene import wording
from app.panels.provenance import open_trail
from app.plots.colours import diverging, faded, sequential
from app.plots.labels import format_number
from app.session import store
from app.ui.component import CELLS, component
from core.explain.steps.wires import Wire, axes, recorded
from core.trace.address import Address
from core.trace.sites import site_at

SCRIPTS = (CELLS, "../place.js", "picture.js", "blocks.js")
FILLS = {"large_negative": "S̃ = −10⁹", "minus_infinity": "S̃ = −∞", "additive": "S′ + (−∞)"}
ROWS = Wire("output/probabilities", "chosen")  # one place a row of the decoder
WORDED = ("logits", "probabilities", "choice", "given")

_scene = component(__file__, "scene", scripts=SCRIPTS)


def show() -> None:
    """Make the place of the picture; a click on a cell chooses it everywhere."""
    heard = {"pick": _picked, "head": _head_picked, "tensor": _tensor_picked, "unfold": _unfolded}
    _scene("walk_scene", {}, height="stretch", **heard)


def own(focus: StepFocus) -> dict[str, Any]:
    """What is drawn of a step."""
    return wording.texts(focus) | {
        "step": f"{focus.step.id} {focus.now.text} {focus.now.model}",
        "heads": wording.heads(focus),
        "tensors": wording.tensors(focus),
        **(wording.blocks_of(focus) if focus.step.regroupings else _columns(focus)),
    }


def shared(focus: StepFocus) -> dict[str, Any]:
    """What the drawing of every step needs."""
    look = focus.look
    return wording.shared() | {
        "type": look.px(12.5),
        "precision": look.precision,
        "colours": {
            **{role: look.colour(role) for role in ("text", "faint", "line", "panel", "page")},
            "wrong": look.colour("changed"),
            "hatch": faded(look.colour("faint"), 0.6),
            "signed": diverging(look.dark),
            "positive": {
                look.colour(role): sequential(role, look.dark)
                for role in ("weights", "feed_forward", "data")
            },
        },
    }


def _columns(focus: StepFocus) -> dict[str, Any]:
    step = focus.step
    found = columns(step)
    worded = step.kind in WORDED
    drawn = [
        wire
        for column in found
        for wire in column.wires
        if not (worded and Address.of(wire.address).stack == "output")
    ]
    drawings = panels.maps(focus, drawn)
    for wire in (*step.inputs, *step.outputs):
        if wire not in drawings:
            maker = panels.chosen_words if wire.form == "chosen" else panels.bars
            drawings[wire] = maker(focus, wire)
    columns_sent = [
        {"narrow": column.narrow, "panels": [drawings[wire] for wire in column.wires]}
        for column in found
    ]
    signs = list(operations(step))
    if step.kind == "lookup":
        table = {"narrow": False, "panels": [panels.table(focus, step.inputs[0])]}
        columns_sent.insert(1, table)
    if step.kind == "probabilities":  # else there were no row to choose
        columns_sent.insert(0, {"narrow": True, "panels": [panels.decoder_rows(focus, ROWS)]})
        signs.insert(0, "")
    return {"columns": columns_sent, "operations": [_operation(focus, sign) for sign in signs]}


def _operation(focus: StepFocus, sign: str) -> dict[str, str]:
    """The sign between two columns, with the number of the config that it uses."""
    output = focus.step.outputs[-1]
    sizes = [
        f"{_plain(each.latex)} = {format_number(each.size, focus.look.precision)}"
        for each in focus.step.lines[-1].symbols
        if each.size is not None and focus.step.kind in ("embedding_scale", "scale")
    ]
    if focus.step.kind == "mask" and sign == operations(focus.step)[-1]:
        sizes = [FILLS[focus.trace.config.mask_fill]]
    return {
        "sign": sign,
        "note": sizes[0] if sizes else "",
        "colour": focus.look.colour(site_at(output.address).role),
    }


def _plain(latex: str) -> str:
    return {r"\sqrt{d_{model}}": "√d_model"}.get(latex, latex)


def _picked(value: Mapping[str, Any]) -> None:
    """A cell of a panel was clicked; the component knows its row and its column."""
    arrived(value)
    focus = StepFocus.current()
    known = {wire.key: wire for wire in (*focus.step.inputs, *focus.step.outputs, ROWS)}
    wire = known.get(str(value["key"]))
    if wire is None:
        return
    place = axes(focus.trace, wire)
    row, column = int(value["row"]), int(value["column"])
    index = index_of(place, focus.at(wire), row, column)
    if "head" in value and len(place) == 4:
        index = (index[0], int(value["head"]), *index[2:])
    select(wire.key, index)


def _head_picked(value: Mapping[str, Any]) -> None:
    arrived(value)
    store.update(head=int(value["head"]))


def _tensor_picked(value: Mapping[str, Any]) -> None:
    arrived(value)
    store.update(address=Wire.of(str(value["key"])).address)


def _unfolded(value: Mapping[str, Any]) -> None:
    arrived(value)
    focus = StepFocus.current()
    cell = recorded(focus.trace, focus.cell(focus.output))
    if cell is not None:
        open_trail(cell.wire.address, cell.index)
