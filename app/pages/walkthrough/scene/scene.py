"""The middle: what goes into a step and what comes out, and the wires between."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from glassformer.app.pages.walkthrough import panels
from glassformer.app.pages.walkthrough.figures.layout import (
    OPERATIONS,
    operations,
    step_columns,
    wire_symbol,
)
from glassformer.app.pages.walkthrough.figures.sheets import index_of, regrouping_data
from glassformer.app.pages.walkthrough.focus import StepFocus, go_to_event, select_cell
from glassformer.app.pages.walkthrough.strip import place_name, step_name
from glassformer.app.panels.provenance import open_trail
from glassformer.app.plots.colours import diverging_scale, fade_colour, head_colour, sequential
from glassformer.app.plots.labels import format_number, shorten_text, visible
from glassformer.app.session import store
from glassformer.app.ui.component import CELLS, component
from glassformer.app.words import say, say_each
from glassformer.core.explain.steps.places import in_heads
from glassformer.core.explain.steps.wires import Wire, recorded_cell, tensor, wire_axes
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tables import as_numpy

SCRIPTS = (CELLS, "../place.js", "picture.js", "blocks.js")
FILLS = {"large_negative": "S̃ = −10⁹", "minus_infinity": "S̃ = −∞", "additive": "S′ + (−∞)"}
SIZES = {"embedding_scale": "√d_model", "scale": "d_k"}
ROWS = Wire("output/probabilities", "chosen")  # one place a row of the decoder
LONGEST_ID = 60
PLAIN = (
    "walkthrough.masked walkthrough.too_many walkthrough.again walkthrough.blocks_note "
    "walkthrough.thinned walkthrough.clipped"
)
COUNTED = "walkthrough.feature walkthrough.hidden"  # the browser puts the number in
ATTENTION_PAGE = "app/pages/attention/page.py"
PLAYED = {  # a step of attention, and the station at which its movement begins
    "project": "joined", "split": "joined", "scores": "meet", "scale": "scores", "mask": "scaled",
    "softmax": "masked", "context": "weights", "concat": "heads", "output": "concat",
}  # fmt: skip
WORDED = ("logits", "probabilities", "choice", "given")

_scene = component(__file__, "scene", scripts=SCRIPTS)


def show() -> None:
    """Make the place of the picture; a click on a cell chooses it everywhere."""
    if store.trigger("walk_scene", "play") is not None:
        st.switch_page(ATTENTION_PAGE)
    heard = {"pick": _picked, "head": _head_picked, "tensor": _tensor_picked, "unfold": _unfolded}
    heard["play"] = _played
    _scene("walk_scene", {}, height="stretch", **heard)


def step_scene(focus: StepFocus) -> dict[str, Any]:
    """What is drawn of a step."""
    return scene_words(focus) | {
        "step": f"{focus.step.id} {focus.now.own_text} {focus.now.model}",
        "heads": head_choices(focus),
        "play": say("walkthrough.play") if focus.step.kind in PLAYED else "",
        "tensors": tensor_choices(focus),
        **(blocks_of(focus) if focus.step.regroupings else _columns(focus)),
    }


def scene_context(focus: StepFocus) -> dict[str, Any]:
    """What the drawing of every step needs."""
    look = focus.look
    return {
        "hint": say("walkthrough.click_hint"),
        "playHelp": say("walkthrough.play_help"),
        "unfoldHelp": say("walkthrough.unfold_help"),
        "texts": {**say_each(PLAIN), **say_each(COUNTED, index="§")},
        "type": look.px(12.5),
        "precision": look.precision,
        "colours": {
            **{role: look.colour(role) for role in ("text", "faint", "line", "panel", "page")},
            "wrong": look.colour("changed"),
            "hatch": fade_colour(look.colour("faint"), 0.6),
            "signed": diverging_scale(look.dark),
            "positive": {
                look.colour(role): sequential(role, look.dark)
                for role in ("weights", "feed_forward", "data")
            },
        },
    }


def _columns(focus: StepFocus) -> dict[str, Any]:
    step = focus.step
    found = step_columns(step)
    worded = step.kind in WORDED
    drawn = [
        wire
        for column in found
        for wire in column.wires
        if not (worded and Address.of(wire.address).stack == "output")
    ]
    drawings = panels.step_maps(focus, drawn)
    for wire in (*step.inputs, *step.outputs):
        if wire not in drawings:
            maker = panels.chosen_words if wire.form == "chosen" else panels.top_word_bars
            drawings[wire] = maker(focus, wire)
    columns_sent = [
        {"narrow": column.narrow, "panels": [drawings[wire] for wire in column.wires]}
        for column in found
    ]
    signs = operations(focus.trace.config, step.kind)
    if step.kind == "lookup":
        table = {"narrow": False, "panels": [panels.embedding_table(focus, step.inputs[0])]}
        columns_sent.insert(1, table)
    if step.kind == "probabilities":  # else there were no row to choose
        columns_sent.insert(0, {"narrow": True, "panels": [panels.decoder_rows(focus, ROWS)]})
        signs.insert(0, "")
    return {"columns": columns_sent, "operations": [_operation(focus, sign) for sign in signs]}


def _operation(focus: StepFocus, sign: str) -> dict[str, str]:
    """The sign between two columns, with the number of the config that it uses."""
    output = focus.step.outputs[-1]
    kind = focus.step.kind
    sizes = [
        f"{SIZES[kind]} = {format_number(each.size, focus.look.precision)}"
        for each in focus.step.lines[-1].symbols
        if each.size is not None and kind in SIZES
    ]
    if kind == "mask" and sign == OPERATIONS["mask"][-1]:
        sizes = [FILLS[focus.trace.config.mask_fill]]
    return {
        "sign": sign,
        "note": sizes[0] if sizes else "",
        "colour": focus.look.colour(site_at(output.address).role),
    }


def scene_words(focus: StepFocus) -> dict[str, Any]:
    """The title of the step, what must be said of it, and the words of its picture."""
    step, at = focus.step, focus.place + 1
    readable = recorded_cell(focus.trace, focus.cell(focus.output)) is not None
    return {
        "counter": say("walkthrough.counter", at=at, all=len(focus.steps)),
        "title": step_name(step),
        "where": place_name(focus, step),
        "note": _note(focus),
        "wrong": bool(focus.unknown),
        "readout": cell_readout(focus),
        "unfold": say("walkthrough.unfold") if readable else "",
    }


def _note(focus: StepFocus) -> str:
    """What must be said of the step before all else: a wrong link, or layers that come after."""
    if focus.unknown:
        asked = ".".join(visible(part) for part in focus.unknown.split("."))
        return say("walkthrough.unknown", id=shorten_text(asked, LONGEST_ID))
    left, first = focus.layers_left, (focus.step.layer or 0) + 2
    if not left:
        return ""
    key = "walkthrough.next_layer" if left == 1 else "walkthrough.next_layers"
    return say(key, next=first, last=first + left - 1)


def cell_readout(focus: StepFocus) -> list[str]:
    """The number in the frame: its symbol, where it stands in words, and the number itself."""
    wire, at, parts = focus.output, focus.at(focus.output), list[str]()
    for axis in wire_axes(focus.trace, wire):
        if axis.name in ("batch", "one"):
            continue
        label = axis.labels[at[axis.name]] if axis.labels else ""
        if axis.name == "head":
            parts.append(say("walkthrough.in_head", head=at["head"] + 1))
        elif label:
            parts.append(visible(label))
        else:
            name = "hidden" if axis.name == "hidden" else "feature"
            parts.append(say(f"walkthrough.{name}", index=at[axis.name] + 1))
    value = float(tensor(focus.trace, wire)[focus.cell(wire).index])
    number = format_number(value, focus.look.precision)
    if wire.form == "chosen":
        number = f"{visible(focus.trace.output_tokens[at['position']])} ({int(value)})"
    return [say("walkthrough.chosen_number"), wire_symbol(wire), " · ".join(parts), number]


def head_choices(focus: StepFocus) -> list[dict[str, Any]]:
    """The heads to choose from, in a step that has any."""
    pair = focus.pair
    has_heads = any(
        in_heads(wire) or any(axis.name == "head" for axis in wire_axes(focus.trace, wire))
        for wire in (*focus.step.inputs, *focus.step.outputs)
    )
    if pair is None or not has_heads:
        return []
    return [
        {"name": say("walkthrough.head", head=at + 1), "on": at == pair.head,
         "title": say("walkthrough.head_pick", head=at + 1),
         "colour": head_colour(at, focus.look.dark)}
        for at in range(focus.config.n_heads)
    ]  # fmt: skip


def tensor_choices(focus: StepFocus) -> list[dict[str, Any]]:
    """Q, K and V to choose from, where only one of them has room."""
    if len(focus.step.regroupings) < 2:
        return []
    return [
        {"key": wire.key, "name": wire_symbol(wire), "on": at == focus.line,
         "title": say("walkthrough.tensor_pick", symbol=wire_symbol(wire)),
         "colour": focus.look.colour(site_at(wire.address).role)}
        for at, wire in enumerate(focus.step.outputs)
    ]  # fmt: skip


def blocks_of(focus: StepFocus) -> dict[str, Any]:
    """The arrangements of the regrouping in view, with what is done between two of them."""
    group = focus.step.regroupings[min(focus.line, len(focus.step.regroupings) - 1)]
    merges, forms = group.operations[0] == "transpose", ["heads", "apart", "joined"]
    wire, forms = (group.stages[0], forms) if merges else (group.stages[-1], forms[::-1])
    values = as_numpy(tensor(focus.trace, wire)[0])  # (H, T, K)
    stages = [_stage(focus, each) for each in group.stages]
    drawn = regrouping_data(values, wire_axes(focus.trace, wire), focus.at(wire), forms, focus.look)
    letter = wire_axes(focus.trace, wire)[2].letter
    signs = [say(f"walkthrough.{name}", letter=letter) for name in group.operations]
    return {"blocks": {**drawn, "stages": stages, "signs": signs,
                       "heads": [each["name"] for each in head_choices(focus)]}}  # fmt: skip


def _stage(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    apart, along = wire.form == "apart", panels.axes_told(focus, wire)
    return {
        "key": wire.key,
        "symbol": wire_symbol(wire),
        "letters": f"({', '.join(axis.letter for axis in along)})",
        "address": say("walkthrough.apart") if apart else panels.address_of(wire),
        "shape": " × ".join(map(panels.axis_words, along)),
        "colour": focus.look.colour(site_at(wire.address).role),
    }


def _picked(value: Mapping[str, Any]) -> None:
    """A cell of a panel was clicked; the component knows its row and its column."""
    go_to_event(value)
    focus = StepFocus.current()
    known = {wire.key: wire for wire in (*focus.step.inputs, *focus.step.outputs, ROWS)}
    wire = known.get(str(value["key"]))
    if wire is None:
        return
    place = wire_axes(focus.trace, wire)
    row, column = int(value["row"]), int(value["column"])
    index = index_of(place, focus.at(wire), row, column)
    if "head" in value and len(place) == 4:
        index = (index[0], int(value["head"]), *index[2:])
    select_cell(wire.key, index)


def _head_picked(value: Mapping[str, Any]) -> None:
    go_to_event(value)
    store.update(head=int(value["head"]))


def _tensor_picked(value: Mapping[str, Any]) -> None:
    go_to_event(value)
    store.update(address=Wire.of(str(value["key"])).address)


def _played(value: Mapping[str, Any]) -> None:
    """The row in view moves on the Attention page, from the step on."""
    go_to_event(value)
    focus = StepFocus.current()
    if (pair := focus.pair) is not None and focus.step.kind in PLAYED:
        place = {"head": pair.head, "query": pair.query, "key": pair.key}
        kind = Address.of(focus.output.address).kind
        store.update(view="motion", motion=PLAYED[focus.step.kind], kind=kind)
        store.update(layer=focus.step.layer, **place)


def _unfolded(value: Mapping[str, Any]) -> None:
    go_to_event(value)
    focus = StepFocus.current()
    cell = recorded_cell(focus.trace, focus.cell(focus.output))
    if cell is not None:
        open_trail(cell.wire.address, cell.index)
