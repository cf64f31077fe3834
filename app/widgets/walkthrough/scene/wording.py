"""The words of a step's scene: title, note, the number in the frame, what can be chosen."""

from __future__ import annotations

from typing import Any

from app.figures.colours import head_colour
from app.figures.labels import format_number, visible
from app.figures.walk_layout import symbol
from app.widgets.walkthrough.focus import Focus
from app.widgets.walkthrough.strip.strip import place_name, step_name
from app.words import say
from core.trace.sites import site_at
from core.walk.places import in_heads
from core.walk.wires import Wire, axes, recorded, tensor

LONGEST_ID = 60
PLAIN = ("masked", "too_many", "again", "blocks_note", "thinned", "clipped")
COUNTED = ("feature", "hidden")  # the browser puts the number in


def texts(focus: Focus) -> dict[str, Any]:
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


def _note(focus: Focus) -> str:
    """What must be said of the step before all else: a wrong link, or layers that come after."""
    if focus.unknown:
        return say("walkthrough.unknown", id=shortened(focus.unknown))
    left, first = focus.layers_left, (focus.step.layer or 0) + 2
    if not left:
        return ""
    if left == 1:
        return say("walkthrough.next_layer", next=first)
    return say("walkthrough.next_layers", next=first, last=first + left - 1)


def shortened(asked: str) -> str:
    """An id as it was asked for, however strange; the page shows it as plain text."""
    shown = ".".join(visible(part) for part in asked.split("."))
    return shown if len(shown) <= LONGEST_ID else f"{shown[: LONGEST_ID - 1]}…"


def readout(focus: Focus) -> list[str]:
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


def heads(focus: Focus) -> list[dict[str, Any]]:
    """The heads to choose from, in a step that has any."""
    pair = focus.pair
    wires = (*focus.step.inputs, *focus.step.outputs)
    if pair is None or not any(_has_heads(focus, wire) for wire in wires):
        return []
    return [
        {"name": say("walkthrough.head", head=at + 1), "on": at == pair.head,
         "title": say("walkthrough.head_pick", head=at + 1),
         "colour": head_colour(at, focus.look.dark)}
        for at in range(focus.trace.config.n_heads)
    ]  # fmt: skip


def _has_heads(focus: Focus, wire: Wire) -> bool:
    return in_heads(wire) or any(axis.name == "head" for axis in axes(focus.trace, wire))


def tensors(focus: Focus) -> list[dict[str, Any]]:
    """Q, K and V to choose from, where only one of them has room."""
    if len(focus.step.regroupings) < 2:
        return []
    return [
        {"key": wire.key, "name": symbol(wire), "on": at == focus.line,
         "title": say("walkthrough.tensor_pick", symbol=symbol(wire)),
         "colour": focus.look.colour(site_at(wire.address).role)}
        for at, wire in enumerate(focus.step.outputs)
    ]  # fmt: skip
