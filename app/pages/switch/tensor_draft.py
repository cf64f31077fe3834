"""What the reader has put into the form for tensors, and the switch that it makes."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast, get_args

import streamlit as st

from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import experiments, store
from glassformer.app.session.codecs import parse_sections, sections_text
from glassformer.app.session.state import STAGES
from glassformer.core.analysis.attention_views import Kind, attention_at
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import tensors
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import Axis, AxisName
from glassformer.core.trace.trace import Trace

# What can be done, and the inputs that it needs beside the cells.
ACTS = {"set": ("value",), "scale": ("by",), "noise": ("spread", "draw"), "patch": ()}
SWITCHES = {"set": tensors.TensorSet, "scale": tensors.TensorScale, "noise": tensors.TensorNoise}
START: Mapping[str, Any] = {
    "act": "set", "address": "", "value": "0", "by": "2", "spread": "1", "draw": 0,
    "sentence": "", "origin": (),
}  # fmt: skip
SPAN = re.compile(r"(\d{1,6})(?:[-–](\d{1,6}))?", re.ASCII)
WORDS = ("position", "query", "key")
LISTED = (*WORDS, "head")  # the axes whose places are offered in a list
LONGEST = 2000  # characters of an input that a link may have
LAST = 999_999  # of a place and of a draw


class UnreadableError(ValueError):
    """An input that is no number, or no list of places; `field` names it."""

    def __init__(self, field: str, given: str) -> None:
        super().__init__(given)
        self.field, self.given = field, given


def draft_fields() -> dict[str, Any]:
    """The form as it stands; before the reader touched it, the experiment's last such switch."""
    return {**START, **_kept()}


def put_fields(**changes: Any) -> None:
    """Change the form; for callbacks."""
    store.update(draft=_text({**_kept(), **changes}))


def fill_draft(switch: tensors.Slice) -> None:
    """Put a switch into the form, and its tensor in view; for callbacks."""
    form = _filled(switch)
    shown = {} if form["address"] else {"address": switch.address}
    store.update(draft=_text(form), **shown)


def _text(form: Mapping[str, Any]) -> str:
    """What of the form differs from its start; a touched one says at least what it does."""
    changed = {name: value for name, value in form.items() if value != START.get(name)}
    return sections_text({"form": {"act": form.get("act", START["act"]), **changed}})


def _kept() -> dict[str, Any]:
    if not store.get_state().draft:
        switch, shown = _last(), store.get_state().address
        return _filled(switch) if switch and shown in ("", switch.address) else {}
    return parse_sections(store.get_state().draft).get("form", {})


def _last() -> tensors.Slice | None:
    slices = [
        each
        for each in experiments.current_experiment().switches
        if isinstance(each, tensors.Slice)
    ]
    return slices[-1] if slices else None


def _filled(switch: tensors.Slice) -> dict[str, Any]:
    """The form that makes a switch."""
    is_pattern = any(sign in switch.address for sign in "*?[")
    form: dict[str, Any] = {"act": switch.kind, "address": switch.address if is_pattern else ""}
    for axis, places in switch.at:
        form[f"at_{axis}"] = places if axis in LISTED else ", ".join(str(at + 1) for at in places)
    for name in ("value", "by", "spread", "draw", "sentence"):
        if (value := switch.values.get(name)) is not None:
            form[name] = value if name in ("draw", "sentence") else f"{value:.12g}"
    origin = switch.values.get("origin", ())
    return form | {"origin": next((places for axis, places in origin if axis in WORDS), ())}


def plain_trace() -> Trace:
    """The plain run of the sentence: the form is about its tensors."""
    now = store.get_state()
    try:
        return get_trace(now.own_text, now.direction, now.model, now.version)
    except GlassformerError:  # the stage bar says it
        return on_screen.trace_on_screen()


def draft_address(trace: Trace) -> str:
    """What is edited: the typed address or pattern, the state's, or the attention in focus."""
    now = store.get_state()
    if typed := draft_fields()["address"]:
        return str(typed)
    if now.address in trace:
        return now.address
    if not now.address and (last := _last()) and last.address in trace:
        return last.address
    found = f"{attention_at(cast(Kind, now.kind), now.layer)}/{now.stage}"
    return found if found in trace else next(iter(trace))


def first_tensor(pattern: str, trace: Trace) -> str:
    """The first tensor that an address or a pattern names. Errors: `unknown_address`."""
    return tensors.addresses_matching(pattern, trace.config)[0]


def choose_tensor(value: str, trace: Trace) -> None:
    """Edit another tensor; an attention map comes into focus on all pages."""
    if value not in trace:
        put_fields(address=value.strip())
        return
    put_fields(address="")
    at = Address.of(value)
    focus: dict[str, Any] = {"address": value}
    if at.is_attention and at.name in STAGES:
        focus |= {"kind": at.kind, "layer": at.layer, "stage": at.name}
    store.update(**focus)


def draft_axes(trace: Trace, where: str) -> list[Axis]:
    """The axes of a tensor along which cells can be chosen."""
    return [axis for axis in trace.axes(where) if axis.name != "batch" and axis.size > 1]


def value_on_axis(axis: Axis) -> Any:
    """What is chosen along an axis: places for words and heads, text for numbers."""
    if axis.name not in LISTED:
        return draft_fields().get(f"at_{axis.name}", "")
    return tuple(at for at in draft_fields().get(f"at_{axis.name}", ()) if at < axis.size)


def switch_of_form(trace: Trace, pattern: str) -> tensors.Slice:
    """The switch. Errors: UnreadableError, and those of core for what cannot be."""
    form, where = draft_fields(), first_tensor(pattern, trace)
    found = ((axis, value_on_axis(axis)) for axis in draft_axes(trace, where))
    cells = ((axis, parse_places(at, axis) if isinstance(at, str) else at) for axis, at in found)
    at = tuple((str(axis.name), places) for axis, places in cells if places)
    if form["act"] == "patch":
        return tensors.TensorPatch(pattern, at, patch_sentence(), _origin(at, form["origin"]))
    names = ACTS[form["act"]]
    numbers = [form[name] if name == "draw" else _number(name, form[name]) for name in names]
    return SWITCHES[form["act"]](pattern, at, *numbers)


def patch_sentence() -> str:
    """The sentence that a patch comes from: the typed one, or the second one of the state."""
    return str(draft_fields()["sentence"]) or store.get_state().own_second


def _origin(at: tensors.At, places: tuple[int, ...]) -> tensors.At:
    """Where the patch is read: other words, the same along every other axis."""
    first = next((axis for axis, _ in at if axis in WORDS), None)
    if not places or first is None:
        return ()
    return tuple((axis, tuple(places) if axis == first else kept) for axis, kept in at)


def parse_places(text: str, axis: Axis) -> tuple[int, ...]:
    """Places from 0 that a text such as "1-8, 12" names from 1; words on an axis that has them.

    Errors: UnreadableError.
    """
    places: list[int] = []
    for part in filter(None, (each.strip() for each in re.split(r"[,，、;；]", text))):
        if found := SPAN.fullmatch(part):
            first, last = int(found[1]), int(found[2] or found[1])
        elif (at := axis.index_of(part)) is not None:
            first = last = at + 1
        else:
            first = last = 0
        if not 1 <= first <= last <= axis.size:
            raise UnreadableError(axis.name, text)
        places += range(first - 1, last)
    return tuple(dict.fromkeys(places))


def _number(field: str, text: str) -> float:
    with suppress(ValueError):
        value = float(text.strip().replace("−", "-").replace("，", "."))
        if math.isfinite(value):
            return value
    raise UnreadableError(field, text)


def check_draft() -> None:
    """Leave out what a link has of the form and no form can be, and say so."""
    try:
        form = parse_sections(store.get_state().draft).get("form", {})
        fitting = all(_fits(name, value) for name, value in form.items())
    except ValueError:
        fitting = False
    if not fitting:
        store.drop("draft")
        st.rerun()


def _fits(name: str, value: Any) -> bool:
    axis = name.removeprefix("at_")
    if name == "act":
        return value in ACTS
    if name == "origin" or (axis != name and axis in LISTED):
        return isinstance(value, tuple) and all(map(_is_whole, value))
    if name == "draw":
        return _is_whole(value)
    known = name in START or (axis != name and axis in get_args(AxisName))
    return known and isinstance(value, str) and len(value) <= LONGEST


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LAST
