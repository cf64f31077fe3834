"""The sentences to learn from: of the grammar, or the reader's own pairs."""

import random
from collections.abc import Sequence
from functools import cache
from html import escape

import streamlit as st

from glassformer.app.pages.training.workshop.form import Form, change_form
from glassformer.app.runs import uploads
from glassformer.app.session import store
from glassformer.app.session.codecs import LONG_TEXT
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.corpus import draw_pair, load_grammar
from glassformer.core.text.vocabulary import RESERVED
from glassformer.core.training.queue.lessons import (
    SentencePair,
    detokenized_pair,
    examples_of,
    family_names,
)
from glassformer.core.training.queue.pairs import MOST_BYTES, PairFile, Problem, read_pairs

LISTED = 10  # problems; the others are counted
UPLOADER = '[class*="st-key-widget_workshop_upload"]'
ROWS = 16  # of examples, where there are few families
EXAMPLES, LONGEST_EXAMPLE = 60, 7  # pairs, words a side


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
    with box("fill scroll", "workshop_table"):
        st.html(table)


def _pick_families(names: tuple[str, ...], form: Form) -> None:
    def take() -> None:
        change_form(families=tuple(store.widget_value("workshop_families")))

    side = int(store.get_state().language == "zh")
    labels = {name: _examples(name, 1)[0][side] for name in names}  # no two begin alike
    chosen = [name for name in form.families if name in names]
    with box("scroll", "workshop_pick"):
        # Streamlit says "Select all" in English only, and all of them are a source of their own.
        st.multiselect(
            say("workshop.families"), names,
            **store.bind("workshop_families", chosen, default=chosen),
            format_func=labels.__getitem__, placeholder=say("workshop.families_hint"),
            label_visibility="collapsed", select_all=False, on_change=take,
        )  # fmt: skip


def _table(names: tuple[str, ...]) -> str:
    """A pattern is known by its number and by what it makes, not by its name in the files."""
    places = {name: place for place, name in enumerate(family_names(load_grammar()), 1)}
    rows = (
        ("<tr><td></td>" if at else f'<tr><th scope="row">{places[name]}</th>')
        + f'<td lang="en">{escape(english)}</td><td lang="zh">{escape(chinese)}</td></tr>'
        for name in names
        for at, (english, chinese) in enumerate(_examples(name, max(1, ROWS // len(names))))
    )
    return f'<table class="plain told workshop-families">{"".join(rows)}</table>'


@cache
def _examples(name: str, count: int) -> tuple[tuple[str, str], ...]:
    return examples_of(load_grammar(), name, count)


def _own(form: Form) -> None:
    left, right = st.columns([1.25, 1], gap="medium")
    with left, box("fill", "workshop_own", gap="xsmall"):
        _paste()
        _upload()
        if store.memory().workshop_file is not None or pasted_text() != store.get_state().pairs:
            st.caption(say("workshop.not_linked", most=f"{LONG_TEXT:,}"))
    with right, box("fill scroll", "workshop_report", gap="xsmall"):
        found = current_pairs()
        if found is None:
            st.markdown(say("workshop.own_about"))
            label = say("workshop.example")
            st.button(label, key="workshop_example", on_click=lambda: _take(example_text()))
        else:
            _report(found, form)


def _paste() -> None:
    st.text_area(
        say("workshop.paste"), **store.bind("workshop_text", pasted_text()),
        placeholder=say("workshop.paste_hint"), help=say("workshop.paste_help"), height="stretch",
        on_change=lambda: _take(store.widget_value("workshop_text") or ""),
    )  # fmt: skip


def _take(text: str) -> None:
    paste_text(text)
    _forget()


def _upload() -> None:
    # What it got is taken out of it at once, and it cannot be emptied: a new key makes a new one.
    name = f"workshop_upload_{store.memory().workshop_files}"

    def take() -> None:
        if (file := store.widget_value(name)) is not None:
            store.memory().workshop_file = uploads.take_upload(file)
            store.memory().workshop_files += 1

    st.file_uploader(
        say("workshop.upload"), type=["txt", "tsv", "csv"], key=f"widget_{name}",
        max_upload_size=MOST_BYTES // 2**20, on_change=take,
    )  # fmt: skip
    button = f'content: "{say("workshop.browse")}"'
    st.html(f"<style>{UPLOADER} button p::after {{ {button}; font-size: 1rem }}</style>")


def _report(found: PairFile, form: Form) -> None:
    file = store.memory().workshop_file
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
    told = [problem_text(problem) for problem in found.problems[:LISTED]]
    if (more := len(found.problems) - LISTED) > 0:
        told.append(say("workshop.more_problems", count=more))
    st.markdown(f":red[**{say('workshop.problems', count=len(found.problems))}**]")
    st.markdown("\n".join(f"- {each}" for each in told))
    if found.bad_lines and found.is_trainable:
        st.checkbox(
            say("workshop.leave_out", count=len(found.bad_lines)),
            **store.bind("workshop_leave_out", form.leave_out),
            on_change=lambda: change_form(leave_out=bool(store.widget_value("workshop_leave_out"))),
        )


def problem_text(problem: Problem) -> str:
    """What is wrong, with the line's number, as markdown."""
    values = {name: literal(str(value)) for name, value in problem.values.items()}
    if "side" in values:
        values["side"] = say(f"workshop.side_{values['side']}")
    text = say(f"workshop.problem_{problem.key}", **values)
    return text if problem.line is None else say("workshop.line", line=problem.line, problem=text)


def _forget() -> None:
    store.memory().workshop_file = None


def pasted_text() -> str:
    """The text of the session, or of the link."""
    linked = store.get_state().pairs
    basis, text = store.memory().workshop_text
    return text if basis == linked else linked


def paste_text(text: str) -> None:
    """Take a text; a longer one than a link carries is the session's alone."""
    linked = text if len(text) <= LONG_TEXT else ""
    store.update(pairs=linked)
    store.memory().workshop_text = (linked, text)


def current_pairs() -> PairFile | None:
    """What the session's file, or else the text, holds; None while there is neither."""
    file, text = store.memory().workshop_file, pasted_text()
    if file is None and not text.strip():
        return None
    name, given = file or ("", text)
    return store.once(lambda: read_pairs(given, name), None, given, name)


def written_pairs(pairs: Sequence[SentencePair]) -> str:
    """Pairs as one pastes them."""
    return "\n".join("\t".join(pair) for pair in pairs)


@cache
def example_text() -> str:
    """Short pairs of the grammar, as somebody might paste them."""
    grammar, rng = load_grammar(), random.Random("pairs to paste")
    lines: dict[str, None] = {}
    while len(lines) < EXAMPLES:
        pair = draw_pair(grammar, rng)
        sides = pair.sides("en-zh")
        if max(map(len, sides)) > LONGEST_EXAMPLE or {*sides[0], *sides[1]} & {*RESERVED}:
            continue
        lines["\t".join(detokenized_pair(pair))] = None
    return "\n".join(lines)
