"""Any recorded tensor: some of its numbers set, multiplied, made noisy or taken from elsewhere."""

from __future__ import annotations

import streamlit as st

from app import experiments, service, state
from app.figures.labels import visible
from app.widgets.phrases import phrase
from app.widgets.pick import segments
from app.widgets.style import put_sheet
from app.widgets.switch import tensor_draft as drafts
from app.widgets.switch import tensor_link
from app.widgets.switch.tensor_draft import ACTS, UnreadableError, draft, put
from app.widgets.tensors.written import axis_name, named_shape, place
from app.widgets.text import literal, told
from app.words import say
from core.edits.ripple import change
from core.edits.tensors import Slice, touched
from core.edits.translations import shared_rows
from core.errors import GlassformerError
from core.trace.sites import Axis, letters
from core.trace.trace import Trace

FIELDS = {"set": ("value",), "scale": ("by",), "noise": ("spread", "draw"), "patch": ()}


def show() -> None:
    """Draw the form: which tensor, which cells, what happens, and what that will do."""
    put_sheet(__file__, "tensors.css")
    tensor_link.check()
    trace = drafts.plain()
    with st.container(key="tensor_edit", gap="small"):
        pattern = _address(trace)
        try:
            where = drafts.example(pattern, trace)
        except GlassformerError as error:
            st.error(told(error))
            return
        _about(trace, pattern, where)
        _cells(trace, where)
        _act(trace, where)
        _result(trace, pattern, where)


def _address(trace: Trace) -> str:
    chosen, known = drafts.address(trace), list(trace)
    labels = {each: f"{place(each)} › {each.rpartition('/')[2]}".lstrip("› ") for each in known}
    if chosen not in labels:
        labels[chosen] = chosen

    def take() -> None:
        drafts.choose(state.widget_value("tensor_address") or "", trace)

    st.selectbox(
        say("tensor_edit.address"),
        list(labels),
        key=state.bind("tensor_address", chosen),
        format_func=lambda each: labels.get(each, each),
        accept_new_options=True,
        help=say("tensor_edit.address_help"),
        on_change=take,
    )
    return chosen


def _about(trace: Trace, pattern: str, where: str) -> None:
    words = say(trace.site(where).text_key)
    shape = named_shape([axis for axis in trace.axes(where) if axis.name != "batch"])
    st.markdown(f":small[{words} · `{pattern.replace('`', '')}` {shape}]")


def _cells(trace: Trace, where: str) -> None:
    """Which numbers: along each axis all, or some."""
    axes = drafts.axes(trace, where)
    for start in range(0, len(axes), 2):
        for column, axis in zip(st.columns(2, gap="small"), axes[start : start + 2], strict=False):
            with column:
                _axis(axis, where)


def _axis(axis: Axis, where: str) -> None:
    name, value = f"tensor_at_{axis.name}", drafts.picked(axis, where)

    def take() -> None:
        chosen = state.widget_value(name)
        put(**{f"at_{axis.name}": chosen if isinstance(chosen, str) else tuple(chosen)})

    if drafts.listed(axis):
        labels = [f"{at + 1} {visible(word)}" for at, word in enumerate(axis.labels or ())]
        labels = labels or [say("frame.head", head=at + 1) for at in range(axis.size)]
        st.multiselect(
            axis_name(axis),
            list(range(axis.size)),
            key=state.bind(name, list(value)),
            format_func=labels.__getitem__,
            placeholder=say("tensor_edit.all", count=axis.size),
            on_change=take,
        )
        return
    words = "words" if axis.labels is not None else "numbers"
    st.text_input(
        axis_name(axis),
        key=state.bind(name, value),
        placeholder=say(f"tensor_edit.all_{words}", count=axis.size),
        on_change=take,
    )


def _act(trace: Trace, where: str) -> None:
    form = draft()
    labels = {each: say(f"tensor_edit.act_{each}") for each in ACTS}
    label = say("tensor_edit.act")
    segments("tensor_act", label, labels, form["act"], lambda act: put(act=act), bare=False)
    names = FIELDS[form["act"]]
    if form["act"] == "patch":
        _patch(trace, where)
        return
    for column, name in zip(st.columns(2, gap="small"), names, strict=False):
        with column:
            _field(name)


def _field(name: str) -> None:
    def take() -> None:
        put(**{name: state.widget_value(f"tensor_{name}")})

    key, label = state.bind(f"tensor_{name}", draft()[name]), say(f"tensor_edit.{name}")
    if name == "draw":
        st.number_input(
            label, 0, 999_999, key=key, on_change=take, help=say("tensor_edit.draw_help")
        )
    else:
        st.text_input(label, key=key, on_change=take)


def _patch(trace: Trace, where: str) -> None:
    """The other sentence, and which of its words the numbers come from."""

    def take() -> None:
        put(sentence=" ".join(state.widget_value("tensor_sentence").split()), origin=())

    sentence = draft()["sentence"] or drafts.second()
    st.text_input(
        say("tensor_edit.sentence"),
        key=state.bind("tensor_sentence", sentence),
        placeholder=say("tensor_edit.sentence_hint"),
        on_change=take,
    )
    chosen = [axis for axis in drafts.axes(trace, where) if axis.name in drafts.WORDS]
    chosen = [axis for axis in chosen if drafts.picked(axis, where)]
    if not (sentence and chosen):
        return
    try:
        donor = _donor(sentence)
    except GlassformerError:
        return  # said where the result would stand
    other = next(axis for axis in donor.axes(where) if axis.name == chosen[0].name)
    labels = [f"{at + 1} {visible(word)}" for at, word in enumerate(other.labels or ())]
    st.multiselect(
        say("tensor_edit.origin", axis=axis_name(other)),
        list(range(other.size)),
        key=state.bind("tensor_origin", [at for at in draft()["origin"] if at < other.size]),
        format_func=labels.__getitem__,
        placeholder=say("tensor_edit.origin_same"),
        on_change=lambda: put(origin=tuple(state.widget_value("tensor_origin"))),
    )


def _donor(sentence: str) -> Trace:
    return service.get_setting(*service.made_by()).trace_of(sentence)


def _result(trace: Trace, pattern: str, where: str) -> None:
    """What it will do, in one line; the button; what it did."""
    try:
        switch = drafts.switch_of_form(trace, pattern)
        if draft()["act"] == "patch" and not switch.values["sentence"]:
            st.markdown(f":small[{say('tensor_edit.no_sentence')}]")
            return
        count, there = touched(switch, trace, service.get_setting(*service.made_by()))
    except UnreadableError as problem:
        st.error(_unreadable(problem, trace, where))
        return
    except GlassformerError as error:
        st.error(told(error))
        return
    numbers = {"count": f"{count:,}", "there": f"{there:,}"}
    state_of_it = "is_on" if switch in experiments.now() else "will"
    st.markdown(say(f"tensor_edit.{state_of_it}", phrase=literal(phrase(switch)), **numbers))
    _button(switch)
    _done(where)


def _button(switch: Slice) -> None:
    inside = switch in experiments.now()
    st.button(
        say("tensor_edit.take_out" if inside else "tensor_edit.apply"),
        key="tensor_apply",
        type="secondary" if inside else "primary",
        on_click=_apply,
        args=(switch,),
    )


def _apply(switch: Slice) -> None:
    """Into the experiment, or out of it; the form stays as it is."""
    drafts.fill(switch)
    experiments.toggle(switch)


def _done(where: str) -> None:
    """How many numbers of the tensor are other ones now."""
    if not any(drafts.is_here(each, where) for each in service.experiment().switches):
        return
    now = state.get_state()
    try:
        before = service.get_trace(now.text, now.direction, now.model, now.step)
        after = service.get_run(service.experiment(), now.text, now.direction, now.model, now.step)
        found = change(before, after, where)
    except GlassformerError as error:
        st.markdown(f":small[{told(error)}]")
        return
    said = say(
        "tensor_edit.done",
        changed=f"{found.changed:,}",
        count=f"{found.difference.numel():,}",
        address=where,
    )
    notes = [say("tensor_edit.broken", count=found.broken)] if found.broken else []
    if "T" in letters(where) and shared_rows(before, after) < len(before.target_tokens):
        notes.append(say("tensor_edit.words"))
    st.markdown(f"{said} :small[{' '.join(notes)}]" if notes else said)


def _unreadable(problem: UnreadableError, trace: Trace, where: str) -> str:
    given = literal(visible(problem.given))
    axis = next((each for each in trace.axes(where) if each.name == problem.field), None)
    if axis is None:
        return say("tensor_edit.no_number", name=say(f"tensor_edit.{problem.field}"), given=given)
    return say("tensor_edit.no_places", axis=axis_name(axis), given=given, last=axis.size)
