"""What the reader has put into the form for tensors, and the switch that it makes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from app import experiments, service, state
from core.edits.slices import At, named
from core.edits.switch import Switch
from core.edits.tensors import Slice, TensorNoise, TensorPatch, TensorScale, TensorSet
from core.errors import GlassformerError
from core.reading.attention_views import Kind, attention_at
from core.trace.sites import Axis, site_at
from core.trace.trace import Trace

ACTS = ("set", "scale", "noise", "patch")
START: Mapping[str, Any] = {
    "act": "set", "address": "", "value": "0", "by": "2", "spread": "1", "draw": 0,
    "sentence": "", "origin": (),
}  # fmt: skip
SPAN = re.compile(r"(\d{1,6})(?:[-–](\d{1,6}))?", re.ASCII)
WORDS = ("position", "query", "key")


class UnreadableError(ValueError):
    """An input that is no number, or no list of places; `field` names it."""

    def __init__(self, field: str, given: str) -> None:
        super().__init__(given)
        self.field, self.given = field, given


def draft() -> dict[str, Any]:
    """The form as it stands; before the reader touched it, the experiment's last such switch."""
    return {**START, **_kept()}


def put(**changes: Any) -> None:
    """Change the form; for callbacks."""
    state.update(draft=_text({**_kept(), **changes}))


def fill(switch: Slice) -> None:
    """Put a switch into the form, and its tensor in view; for callbacks."""
    form = _filled(switch)
    shown = {} if form["address"] else {"address": switch.address}
    state.update(draft=_text(form), **shown)


def _text(form: Mapping[str, Any]) -> str:
    """What of the form differs from its start; a touched one says at least what it does."""
    changed = {name: value for name, value in form.items() if value != START.get(name)}
    return state.sections_text({"form": {"act": form.get("act", START["act"]), **changed}})


def _kept() -> dict[str, Any]:
    if not state.get_state().draft:
        switch, shown = _last(), state.get_state().address
        return _filled(switch) if switch and shown in ("", switch.address) else {}
    return state.sections(state.get_state().draft).get("form", {})


def _last() -> Slice | None:
    slices = [each for each in experiments.now().switches if isinstance(each, Slice)]
    return slices[-1] if slices else None


def _filled(switch: Slice) -> dict[str, Any]:
    """The form that makes a switch."""
    is_pattern = any(sign in switch.address for sign in "*?[")
    form: dict[str, Any] = {"act": switch.kind, "address": switch.address if is_pattern else ""}
    for axis, places in switch.at:
        in_list = axis in (*WORDS, "head")
        form[f"at_{axis}"] = places if in_list else ", ".join(str(at + 1) for at in places)
    for name in ("value", "by", "spread"):
        if name in switch.values:
            form[name] = f"{switch.values[name]:.12g}"
    for name in ("draw", "sentence"):
        if name in switch.values:
            form[name] = switch.values[name]
    origin = switch.values.get("origin", ())
    return form | {"origin": next((places for axis, places in origin if axis in WORDS), ())}


def plain() -> Trace:
    """The plain run of the sentence: the form is about its tensors."""
    now = state.get_state()
    try:
        return service.get_trace(now.text, now.direction, now.model, now.step)
    except GlassformerError:  # the stage bar says it
        return service.on_screen()


def address(trace: Trace) -> str:
    """What is edited: the typed address or pattern, the state's, or the attention in focus."""
    now = state.get_state()
    if typed := draft()["address"]:
        return str(typed)
    if now.address in trace:
        return now.address
    if not now.address and (last := _last()) and last.address in trace:
        return last.address
    found = f"{attention_at(_kind(now.kind), now.layer)}/{now.stage}"
    return found if found in trace else next(iter(trace))


def example(pattern: str, trace: Trace) -> str:
    """The first tensor that an address or a pattern names. Errors: `unknown_address`."""
    return named(pattern, trace.config, pattern.endswith("kept"))[0]


def choose(value: str, trace: Trace) -> None:
    """Edit another tensor; an attention map comes into focus on all pages."""
    if value not in trace:
        put(address=value.strip())
        return
    put(address="")
    site, parts = site_at(value), value.split("/")
    focus: dict[str, Any] = {"address": value}
    if site.group == "attention" and site.name in state.STAGES:
        kind = "cross" if parts[2] == "cross_attention" else parts[0]
        focus |= {"kind": kind, "layer": int(parts[1]), "stage": site.name}
    state.update(**focus)


def axes(trace: Trace, where: str) -> list[Axis]:
    """The axes of a tensor along which cells can be chosen."""
    return [axis for axis in trace.axes(where) if axis.name != "batch" and axis.size > 1]


def picked(axis: Axis, where: str) -> Any:
    """What is chosen along an axis: places for words and heads, text for numbers."""
    chosen = draft().get(f"at_{axis.name}", () if listed(axis) else "")
    if listed(axis):
        return tuple(place for place in chosen if place < axis.size) if where else ()
    return chosen


def listed(axis: Axis) -> bool:
    """Whether the places of an axis are offered in a list: words and heads are."""
    return axis.name in WORDS or axis.name == "head"


def switch_of_form(trace: Trace, pattern: str) -> Slice:
    """The switch. Errors: UnreadableError, and those of core for what cannot be."""
    form, where = draft(), example(pattern, trace)
    at = tuple(
        (str(axis.name), places)
        for axis in axes(trace, where)
        if (places := _places(axis, picked(axis, where)))
    )
    if form["act"] == "set":
        return TensorSet(pattern, at, _number("value", form["value"]))
    if form["act"] == "scale":
        return TensorScale(pattern, at, _number("by", form["by"]))
    if form["act"] == "noise":
        return TensorNoise(pattern, at, _number("spread", form["spread"]), int(form["draw"]))
    return TensorPatch(pattern, at, form["sentence"] or second(), _origin(at, form["origin"]))


def second() -> str:
    """The sentence that a patch comes from where none was typed."""
    return state.get_state().second


def is_here(switch: Switch, where: str) -> bool:
    """Whether a switch edits a tensor."""
    if not isinstance(switch, Slice):
        return False
    try:
        return where in named(switch.address, service.on_screen().config, switch.in_training)
    except GlassformerError:
        return False


def _origin(at: At, places: tuple[int, ...]) -> At:
    """Where the patch is read: other words, the same along every other axis."""
    if not places or not any(axis in WORDS for axis, _ in at):
        return ()
    first = next(axis for axis, _ in at if axis in WORDS)
    return tuple((axis, tuple(places) if axis == first else kept) for axis, kept in at)


def _places(axis: Axis, chosen: Any) -> tuple[int, ...]:
    if not isinstance(chosen, str):
        return tuple(chosen)
    return spans(chosen, axis)


def spans(text: str, axis: Axis) -> tuple[int, ...]:
    """Places from 0 that a text such as "1-8, 12" names from 1; words on an axis that has them.

    Errors: UnreadableError.
    """
    places: list[int] = []
    for part in filter(None, (each.strip() for each in re.split(r"[,，、;；]", text))):
        found = SPAN.fullmatch(part)
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            if not 1 <= first <= last <= axis.size:
                raise UnreadableError(axis.name, text)
            places += range(first - 1, last)
        elif axis.labels is not None and part in axis.labels:
            places.append(axis.labels.index(part))
        else:
            raise UnreadableError(axis.name, text)
    return tuple(dict.fromkeys(places))


def _number(field: str, text: str) -> float:
    try:
        value = float(text.strip().replace("−", "-").replace("，", "."))
    except ValueError:
        raise UnreadableError(field, text) from None
    if not math.isfinite(value):
        raise UnreadableError(field, text)
    return value


def _kind(kind: str) -> Kind:
    return "cross" if kind == "cross" else "decoder" if kind == "decoder" else "encoder"
