"""Any recorded tensor: some of its numbers set, multiplied, made noisy or taken from elsewhere."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import streamlit as st

from glassformer.app.pages.switch import tensor_draft as drafts
from glassformer.app.pages.switch.tensor_draft import (
    ACTS,
    UnreadableError,
    draft_fields,
    put_fields,
)
from glassformer.app.panels.address_words import axis_name, named_shape, place
from glassformer.app.panels.phrases import phrase
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_run, get_setting, get_trace
from glassformer.app.session import experiments, store
from glassformer.app.ui.layout import box
from glassformer.app.ui.lines import in_one_line, with_lines
from glassformer.app.ui.pick import draw_choice
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.effect import measure_change
from glassformer.core.interventions.tensors import Slice, count_touched
from glassformer.core.interventions.translations import shared_rows
from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.trace import Trace


def show() -> None:
    """Draw the form: which tensor, which cells, what happens, and what that will do."""
    drafts.check_draft()
    trace = drafts.plain_trace()
    with box("fill scroll note", "tensor_edit", gap="small"):
        pattern = _address(trace)
        try:
            where = drafts.first_tensor(pattern, trace)
        except GlassformerError as error:
            st.error(format_error(error))
            return
        shape = named_shape([axis for axis in trace.axes(where) if axis.name != "batch"])
        about = say(trace.site(where).text_key)
        st.markdown(f":small[{about} · `{pattern.replace('`', '')}` {shape}]")
        _cells(trace, where)
        _act(trace, where)
        _result(trace, pattern, where)


def _address(trace: Trace) -> str:
    chosen, known = drafts.draft_address(trace), list(trace)
    labels = {each: f"{place(each)} › {Address.of(each).name}".lstrip("› ") for each in known}
    labels.setdefault(chosen, chosen)

    def take() -> None:
        drafts.choose_tensor(store.widget_value("tensor_address") or "", trace)

    st.selectbox(
        say("tensor_edit.address"),
        list(labels),
        **store.bind("tensor_address", chosen, index=list(labels).index(chosen)),
        format_func=lambda each: labels.get(each, each),
        accept_new_options=True,
        help=say("tensor_edit.address_help"),
        on_change=take,
    )
    return chosen


def _cells(trace: Trace, where: str) -> None:
    """Which numbers: along each axis all, or some."""
    axes = drafts.draft_axes(trace, where)
    for start in range(0, len(axes), 2):
        for column, axis in zip(st.columns(2, gap="small"), axes[start : start + 2], strict=False):
            with column:
                _axis(axis)


def _axis(axis: Axis) -> None:
    name, label, value = f"at_{axis.name}", axis_name(axis), drafts.value_on_axis(axis)
    if axis.name in drafts.LISTED:
        _listed(name, label, axis, value, say("tensor_edit.all", count=axis.size))
        return
    words = "words" if axis.labels is not None else "numbers"
    _typed(name, label, value, say(f"tensor_edit.all_{words}", count=axis.size))


def _listed(name: str, label: str, axis: Axis, chosen: Sequence[int], none: str) -> None:
    """Words or heads to choose from, a field of the form; none: what stands there without any."""
    labels = [f"{at + 1} {visible(word)}" for at, word in enumerate(axis.labels or ())]
    labels = labels or [say("frame.head", head=at + 1) for at in range(axis.size)]
    st.multiselect(
        label,
        list(range(axis.size)),
        **store.bind(f"tensor_{name}", list(chosen), default=list(chosen)),
        format_func=labels.__getitem__,
        placeholder=none,
        on_change=lambda: put_fields(**{name: tuple(store.widget_value(f"tensor_{name}"))}),
    )


def _typed(name: str, label: str, value: str, hint: str = "", **released: Any) -> None:
    """A field of the form that is typed; released: what becomes of other fields with it."""

    def take() -> None:
        typed = store.widget_value(f"tensor_{name}")
        words = with_lines(typed) if name == "sentence" else " ".join(typed.split())
        put_fields(**released | {name: words.strip()})

    shown = in_one_line(value)
    st.text_input(label, **store.bind(f"tensor_{name}", shown), on_change=take, placeholder=hint)


def _act(trace: Trace, where: str) -> None:
    act = draft_fields()["act"]
    draw_choice(
        "tensor_act", "tensor_edit.act", ACTS, act, lambda value: put_fields(act=value), bare=False
    )
    if act == "patch":
        _patch(trace, where)
        return
    for column, name in zip(st.columns(2, gap="small"), ACTS[act], strict=False):
        with column:
            _field(name)


def _field(name: str) -> None:
    label, value = say(f"tensor_edit.{name}"), draft_fields()[name]
    if name != "draw":
        _typed(name, label, value)
        return
    st.number_input(
        label,
        0,
        drafts.LAST,
        **store.bind("tensor_draw", value),
        on_change=lambda: put_fields(draw=store.widget_value("tensor_draw")),
        help=say("tensor_edit.draw_help"),
    )


def _patch(trace: Trace, where: str) -> None:
    """The other sentence, and which of its words the numbers come from."""
    sentence, hint = drafts.patch_sentence(), say("tensor_edit.sentence_hint")
    _typed("sentence", say("tensor_edit.sentence"), sentence, hint, origin=())
    words = (axis for axis in drafts.draft_axes(trace, where) if axis.name in drafts.WORDS)
    chosen = next((axis for axis in words if drafts.value_on_axis(axis)), None)
    if not sentence or chosen is None:
        return
    try:
        donor = get_setting(*on_screen.made_by()).trace_of(sentence)
    except GlassformerError:
        return  # said where the result would stand
    other = next(axis for axis in donor.axes(where) if axis.name == chosen.name)
    label, same = say("tensor_edit.origin", axis=axis_name(other)), say("tensor_edit.origin_same")
    _listed(
        "origin", label, other, [at for at in draft_fields()["origin"] if at < other.size], same
    )


def _result(trace: Trace, pattern: str, where: str) -> None:
    """What it will do, in one line; the button; what it did."""
    try:
        switch = drafts.switch_of_form(trace, pattern)
        if draft_fields()["act"] == "patch" and not switch.values["sentence"]:
            st.markdown(f":small[{say('tensor_edit.no_sentence')}]")
            return
        count, there = count_touched(switch, trace, get_setting(*on_screen.made_by()))
    except UnreadableError as problem:
        st.error(_unreadable(problem, trace, where))
        return
    except GlassformerError as error:
        st.error(format_error(error))
        return
    numbers = {"count": f"{count:,}", "there": f"{there:,}"}
    key = "tensor_edit.is_on" if switch in experiments.current_experiment() else "tensor_edit.will"
    st.markdown(say(key, phrase=literal(phrase(switch)), **numbers))
    _button(switch)
    _done(where)


def _button(switch: Slice) -> None:
    """Puts the switch into the experiment, or takes it out; the form stays as it is."""
    inside = switch in experiments.current_experiment()

    def take() -> None:
        drafts.fill_draft(switch)
        experiments.toggle_switch(switch)

    st.button(
        say("tensor_edit.take_out" if inside else "tensor_edit.apply"),
        key="tensor_apply",
        type="secondary" if inside else "primary",
        on_click=take,
    )


def _done(where: str) -> None:
    """How many numbers of the tensor are other ones now."""
    slices = [each for each in on_screen.experiment_on_screen().switches if isinstance(each, Slice)]
    if not any(fnmatchcase(where, each.address) for each in slices):
        return
    now = store.get_state()
    asked = (now.own_text, now.direction, now.model, now.version)
    try:
        before, after = get_trace(*asked), get_run(on_screen.experiment_on_screen(), *asked)
        found = measure_change(before, after, where)
    except GlassformerError as error:
        st.markdown(f":small[{format_error(error)}]")
        return
    said = say(
        "tensor_edit.done",
        changed=f"{found.changed:,}",
        count=f"{found.difference.numel():,}",
        address=where,
    )
    notes = [say("tensor_edit.broken", count=found.broken)] if found.broken else []
    if "T" in shape_letters(where) and shared_rows(before, after) < len(before.target_tokens):
        notes.append(say("tensor_edit.words"))
    st.markdown(f"{said} :small[{' '.join(notes)}]" if notes else said)


def _unreadable(problem: UnreadableError, trace: Trace, where: str) -> str:
    given = literal(visible(problem.given))
    axis = next((each for each in trace.axes(where) if each.name == problem.field), None)
    if axis is None:
        return say("tensor_edit.no_number", name=say(f"tensor_edit.{problem.field}"), given=given)
    return say("tensor_edit.no_places", axis=axis_name(axis), given=given, last=axis.size)
