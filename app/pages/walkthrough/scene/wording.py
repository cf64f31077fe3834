"""The words of a step's scene: title, note, the number in the frame, heads split and merged."""

from __future__ import annotations

from typing import Any

from app.pages.walkthrough import panels
from app.pages.walkthrough.figures.layout import symbol
from app.pages.walkthrough.figures.sheets import blocks, form_of
from app.pages.walkthrough.focus import StepFocus
from app.pages.walkthrough.strip import place_name, step_name
from app.plots.colours import head_colour
from app.plots.labels import format_number, visible
from app.words import say
from core.explain.steps.places import in_heads
from core.explain.steps.wires import Wire, axes, recorded, tensor
from core.trace.address import Address
from core.trace.sites import site_at
from core.trace.tables import as_numpy

LONGEST_ID = 60
PLAIN = ("masked", "too_many", "again", "blocks_note", "thinned", "clipped")
COUNTED = ("feature", "hidden")  # the browser puts the number in


def texts(focus: StepFocus) -> dict[str, Any]:
    """The title of the step, what must be said of it, and the words of its picture."""
    step, at = focus.step, focus.place + 1
    readable = recorded(focus.trace, focus.cell(focus.output)) is not None
    return {
        "counter": say("walkthrough.counter", at=at, all=len(focus.steps)),
        "title": step_name(step),
        "where": place_name(focus, step),
        "note": _note(focus),
        "wrong": bool(focus.unknown),
        "readout": readout(focus),
        "unfold": say("walkthrough.unfold") if readable else "",
    }


def shared() -> dict[str, Any]:
    """The words that the pictures of all steps have."""
    return {
        "hint": say("walkthrough.click_hint"),
        "unfoldHelp": say("walkthrough.unfold_help"),
        "texts": {
            **{name: say(f"walkthrough.{name}") for name in PLAIN},
            **{name: say(f"walkthrough.{name}", index="§") for name in COUNTED},
        },
    }


def _note(focus: StepFocus) -> str:
    """What must be said of the step before all else: a wrong link, or layers that come after."""
    if focus.unknown:
        return say("walkthrough.unknown", id=shortened(focus.unknown))
    left, first = focus.layers_left, (focus.step.layer or 0) + 2
    if not left:
        return ""
    key = "walkthrough.next_layer" if left == 1 else "walkthrough.next_layers"
    return say(key, next=first, last=first + left - 1)


def shortened(asked: str) -> str:
    """An id as it was asked for, however strange; the page shows it as plain text."""
    shown = ".".join(visible(part) for part in asked.split("."))
    return shown if len(shown) <= LONGEST_ID else f"{shown[: LONGEST_ID - 1]}…"


def readout(focus: StepFocus) -> list[str]:
    """The number in the frame: its symbol, where it stands in words, and the number itself."""
    wire = focus.output
    at = focus.at(wire)
    parts = []
    for axis in axes(focus.trace, wire):
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
    return [say("walkthrough.chosen_number"), symbol(wire), " · ".join(parts), number]


def heads(focus: StepFocus) -> list[dict[str, Any]]:
    """The heads to choose from, in a step that has any."""
    pair = focus.pair
    has_heads = any(
        in_heads(wire) or any(axis.name == "head" for axis in axes(focus.trace, wire))
        for wire in (*focus.step.inputs, *focus.step.outputs)
    )
    if pair is None or not has_heads:
        return []
    return [
        {"name": say("walkthrough.head", head=at + 1), "on": at == pair.head,
         "title": say("walkthrough.head_pick", head=at + 1),
         "colour": head_colour(at, focus.look.dark)}
        for at in range(focus.trace.config.n_heads)
    ]  # fmt: skip


def tensors(focus: StepFocus) -> list[dict[str, Any]]:
    """Q, K and V to choose from, where only one of them has room."""
    if len(focus.step.regroupings) < 2:
        return []
    return [
        {"key": wire.key, "name": symbol(wire), "on": at == focus.line,
         "title": say("walkthrough.tensor_pick", symbol=symbol(wire)),
         "colour": focus.look.colour(site_at(wire.address).role)}
        for at, wire in enumerate(focus.step.outputs)
    ]  # fmt: skip


def blocks_of(focus: StepFocus) -> dict[str, Any]:
    """The arrangements of the regrouping in view, with what is done between two of them."""
    group = focus.step.regroupings[min(focus.line, len(focus.step.regroupings) - 1)]
    wire = group.stages[0] if _is_merged(group.stages[-1]) else group.stages[-1]
    values = as_numpy(tensor(focus.trace, wire)[0])  # (H, T, K)
    stages = [_stage(focus, each) for each in group.stages]
    forms = ["joined" if _is_merged(each) else form_of(each.form) for each in group.stages]
    drawn = blocks(values, axes(focus.trace, wire), focus.at(wire), forms, focus.look)
    letter = axes(focus.trace, wire)[2].letter
    signs = [say(f"walkthrough.{name}", letter=letter) for name in group.operations]
    return {"blocks": {**drawn, "stages": stages, "signs": signs,
                       "heads": [each["name"] for each in heads(focus)]}}  # fmt: skip


def _is_merged(wire: Wire) -> bool:
    return Address.of(wire.address).name == "concat"


def _stage(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    apart, along = wire.form == "apart", axes(focus.trace, wire)
    return {
        "key": wire.key,
        "symbol": symbol(wire),
        "letters": f"({', '.join(axis.letter for axis in along)})",
        "address": say("walkthrough.apart") if apart else panels.address_of(wire),
        "shape": " × ".join(
            say(f"walkthrough.axis_{axis.name}", letter=axis.letter, size=axis.size)
            for axis in along
        ),
        "colour": focus.look.colour(site_at(wire.address).role),
    }
