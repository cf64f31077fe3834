"""Exercise sheets of the run on screen: to print, to work, to be marked; a seed a student."""

from functools import partial

import streamlit as st

from glassformer.app.hall.numbers import number_of
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.takeaway import sheets
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.lectures.exercises import LARGEST_SEED, Exercise, make_sheet
from glassformer.core.trace.trace import Trace

MOST = 60  # sheets of a file
SIGNS = {True: "✓", False: "✗", None: "?"}
NAMES = {True: "right", False: "wrong", None: "none"}


def show() -> None:
    """Draw the sheet that the link names."""
    trace, seed = on_screen.trace_on_screen(), store.get_state().sheet
    exercises = store.once(lambda: make_sheet(trace, seed), trace, seed)
    with side_by_side("exercises_head", gap="small"):
        st.button(say("lectures.all"), key="widget_exercises_all", icon=":material/grid_view:",
                  on_click=store.update, kwargs={"sheet": 0})  # fmt: skip
        st.markdown(f"### {say('exercises.title')}", width="content")
        _choose(trace, seed)
    if not exercises:
        st.info(say("exercises.none"))
        return
    with box("fill scroll", "exercises_sheet", gap="xsmall"):
        st.caption(say("exercises.about"))
        _sheet(trace, seed, exercises)


def mark_answers(
    exercises: tuple[Exercise, ...], given: tuple[str, ...]
) -> tuple[bool | None, ...]:
    """Which answers are right, in the order of the gaps; None for what is no number."""
    gaps = [(each, at) for each in exercises for at in range(len(each.gaps))]
    numbers = [number_of(text) for text in given]
    return tuple(
        None if number is None else exercise.is_right(at, number)
        for (exercise, at), number in zip(gaps, numbers, strict=True)
    )


def _choose(trace: Trace, seed: int) -> None:
    """The number of the sheet, and the files."""
    # A field of each sheet: one that is bound may come to a browser without its number, which then
    # says the least one, 1, as soon as anything is sent.
    st.number_input(
        say("exercises.seed"), 1, LARGEST_SEED, seed, key=f"widget_sheet_{seed}", width=150,
        on_change=lambda: store.update(sheet=store.widget_value(f"sheet_{seed}")),
        help=say("exercises.seed_help"),
    )  # fmt: skip
    count = st.number_input(say("exercises.count"), 1, MOST, key="widget_sheet_count", width=150,
                            help=say("exercises.count_help"))  # fmt: skip
    language = store.get_state().language  # Streamlit asks for the file outside of a run
    for solved, name in ((False, "take"), (True, "take_solutions")):
        st.download_button(
            say(f"exercises.{name}"), partial(_file, trace, seed, count, solved, language),
            f"{'solutions' if solved else 'exercises'}-{seed}.html", "text/html",
            key=f"widget_sheet_{name}", icon=":material/download:", on_click="ignore",
            help=say("exercises.take_help"),
        )  # fmt: skip


def _file(trace: Trace, seed: int, count: int, solved: bool, language: str) -> bytes:
    seeds = range(seed, min(seed + count, LARGEST_SEED + 1))
    made = {each: make_sheet(trace, each) for each in seeds}
    return sheets.sheet_file(trace, made, solved, language)


def _sheet(trace: Trace, seed: int, exercises: tuple[Exercise, ...]) -> None:
    """The exercises with a field a gap, and what came of checking them."""
    held = store.memory().sheet_marked
    asked = (trace.source_text, trace.model_name, seed)
    marks = held[1] if held is not None and held[0] == asked else None
    solved = st.toggle(say("exercises.show"), key="widget_sheet_solved")
    with st.form("sheet", border=False):
        for at, first in enumerate(sheets.gap_starts(exercises)):
            _exercise(at + 1, exercises[at], first, solved)
            with side_by_side(f"exercise_gaps_{at}", gap="small"):
                for gap in range(first, first + len(exercises[at].gaps)):
                    _field(seed, gap, marks)
        st.form_submit_button(say("exercises.check"), key="widget_sheet_check", type="primary",
                              on_click=partial(_mark, asked, exercises))  # fmt: skip
    if marks is not None:
        right = sum(each is True for each in marks)
        st.markdown(f"**{say('exercises.right', right=right, all=len(marks))}**")


def _exercise(number: int, exercise: Exercise, first: int, solved: bool) -> None:
    language = store.get_state().language
    task = literal(sheets.task_text(exercise, first, language))
    st.markdown(f"**{number} · {say(f'exercises.{exercise.kind}')}**")
    st.markdown(f"{task} ${sheets.FORMULAS[exercise.kind]}$")
    table = sheets.table_html(exercise, first, solved, language)
    st.html(f'<div class="sheet-page">{table}</div>')
    st.caption(literal(sheets.tolerance_text(exercise, solved, language)))


def _field(seed: int, gap: int, marks: tuple[bool | None, ...] | None) -> None:
    label = say("exercises.answer", gap=sheets.gap_name(gap))
    if marks is not None:
        label += f" {SIGNS[marks[gap]]} {say(f'exercises.mark_{NAMES[marks[gap]]}')}"
    st.text_input(label, key=f"widget_gap_{seed}_{gap}", max_chars=60, width=150,
                  autocomplete="off")  # fmt: skip


def _mark(asked: tuple[str, str, int], exercises: tuple[Exercise, ...]) -> None:
    count = sum(len(each.gaps) for each in exercises)
    given = tuple(store.widget_value(f"gap_{asked[2]}_{gap}") or "" for gap in range(count))
    store.memory().sheet_marked = (asked, mark_answers(exercises, given))
