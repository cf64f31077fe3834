"""Right, before the start: the sentences to learn from."""

from __future__ import annotations

from functools import cache
from html import escape

import streamlit as st

from app import state, uploads
from app.widgets.text import literal
from app.widgets.workshop import own
from app.widgets.workshop.form import Form, change
from app.words import say
from core.corpus import load_grammar
from core.workshop.lessons import examples_of, family_names
from core.workshop.pairs import MOST_BYTES, PairFile, Problem

LISTED = 10  # problems; the others are counted
UPLOADER = '[class*="st-key-widget_workshop_upload"]'
ROWS = 16  # of examples, where there are few families


def show(form: Form) -> None:
    """Draw the families with an example each, or the place for one's own pairs."""
    if form.source == "own":
        _own(form)
    else:
        _families(form)


def _families(form: Form) -> None:
    names = family_names(load_grammar())
    st.markdown(f"**{say('workshop.families_title')}**", help=say("workshop.families_help"))
    if form.source == "chosen":
        _pick_families(names, form)
    table = _table(form.chosen_families or names)  # all of them until one is picked
    st.html(f'<div class="workshop-families">{table}</div>')


def _pick_families(names: tuple[str, ...], form: Form) -> None:
    def take() -> None:
        change(families=tuple(state.widget_value("workshop_families")))

    labels = {name: f"{name} · {_examples(name, 1)[0][0]}" for name in names}
    chosen = [name for name in form.families if name in names]
    with st.container(key="workshop_pick"):
        st.multiselect(
            say("workshop.families"),
            names,
            key=state.bind("workshop_families", chosen),
            format_func=labels.__getitem__,
            placeholder=say("workshop.families_hint"),
            label_visibility="collapsed",
            select_all=False,  # Streamlit says it in English only, and "all" is a source of its own
            on_change=take,
        )


def _table(names: tuple[str, ...]) -> str:
    rows = []
    for name in names:
        for at, (english, chinese) in enumerate(_examples(name, max(1, ROWS // len(names)))):
            rows.append(
                f'<tr><th scope="row">{"" if at else escape(name)}</th>'
                f'<td lang="en">{escape(english)}</td><td lang="zh">{escape(chinese)}</td></tr>'
            )
    return f"<table>{''.join(rows)}</table>"


@cache
def _examples(name: str, count: int) -> tuple[tuple[str, str], ...]:
    return examples_of(load_grammar(), name, count)


def _own(form: Form) -> None:
    left, right = st.columns([1.25, 1], gap="medium")
    with left, st.container(key="workshop_own", gap="xsmall"):
        _paste()
        _upload()
        if not own.is_linked():
            st.caption(say("workshop.not_linked", most=f"{state.LONG_TEXT:,}"))
    with right, st.container(key="workshop_report", gap="xsmall"):
        found = own.current()
        if found is None:
            st.markdown(say("workshop.own_about"))
            st.button(say("workshop.example"), key="workshop_example", on_click=_take_example)
        else:
            _report(found, form)


def _paste() -> None:
    def take() -> None:
        own.paste(state.widget_value("workshop_text") or "")
        _forget()

    st.text_area(
        say("workshop.paste"),
        key=state.bind("workshop_text", own.pasted()),
        placeholder=say("workshop.paste_hint"),
        help=say("workshop.paste_help"),
        on_change=take,
    )


def _upload() -> None:
    # What it got is taken out of it at once, and it cannot be emptied: a new key makes a new one.
    name = f"workshop_upload_{state.kept('workshop_uploads', 0)}"

    def take() -> None:
        if (file := state.widget_value(name)) is not None:
            state.keep("workshop_file", uploads.dropped(file))
            state.keep("workshop_uploads", state.kept("workshop_uploads", 0) + 1)

    st.file_uploader(
        say("workshop.upload"),
        type=["txt", "tsv", "csv"],
        key=f"widget_{name}",
        max_upload_size=MOST_BYTES // 2**20,
        on_change=take,
    )
    button = f'content: "{say("workshop.browse")}"'
    st.html(f"<style>{UPLOADER} button p::after {{ {button}; font-size: 1rem }}</style>")


def _take_example() -> None:
    own.paste(own.example_text())
    _forget()


def _report(found: PairFile, form: Form) -> None:
    file = own.uploaded()
    name = literal(file[0]) if file else say("workshop.pasted")
    st.markdown(say("workshop.found", name=name, count=f"{len(found.pairs):,}"))
    if file:
        st.button(say("workshop.forget"), key="workshop_forget", on_click=_forget)
    if found.problems:
        _problems(found, form)
    for note in found.notes:
        st.markdown(f":material/info: {say(f'workshop.note_{note.key}', **note.values)}")
    if found.pairs:
        first, second = found.pairs[0]
        st.caption(say("workshop.first_pair", first=literal(first), second=literal(second)))


def _problems(found: PairFile, form: Form) -> None:
    lines = [f"- {problem_text(problem)}" for problem in found.problems[:LISTED]]
    more = len(found.problems) - LISTED
    if more > 0:
        lines.append(f"- {say('workshop.more_problems', count=more)}")
    st.markdown(f":red[**{say('workshop.problems', count=len(found.problems))}**]")
    st.markdown("\n".join(lines))
    if found.bad_lines and found.is_trainable:
        _leave_out(form, len(found.bad_lines))


def problem_text(problem: Problem) -> str:
    """What is wrong, with the line's number, as markdown."""
    values = {name: literal(str(value)) for name, value in problem.values.items()}
    if "side" in values:
        values["side"] = say(f"workshop.side_{values['side']}")
    text = say(f"workshop.problem_{problem.key}", **values)
    return text if problem.line is None else say("workshop.line", line=problem.line, problem=text)


def _leave_out(form: Form, count: int) -> None:
    def take() -> None:
        change(leave_out=bool(state.widget_value("workshop_leave_out")))

    st.checkbox(
        say("workshop.leave_out", count=count),
        key=state.bind("workshop_leave_out", form.leave_out),
        on_change=take,
    )


def _forget() -> None:
    if own.uploaded() is not None:
        state.keep("workshop_file", None)
