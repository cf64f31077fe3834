"""A recurrent encoder and decoder that learn to write, with attention and without."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.rnn.figures import Attempts, writers_figure, written_table
from glassformer.app.plots.labels import format_percent
from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.rnn import (
    EVERY,
    STEPS,
    TASKS,
    TRAINED_TO,
    WAYS,
    WIDTHS,
    Course,
    Task,
    Way,
    Written,
    goal,
    read_letters,
    read_plan,
    train_writers,
    write_letters,
)

RNN = (
    Field("letters", "", "HEADBADGE", "words", wide=11),
    Field("task", "", "copy", "choice", options=TASKS),
    Field("width", "d", "32", "choice", options=[str(each) for each in WIDTHS]),
    Field("seed", "", 0, low=0, step=1),
    Field("steps", "", 0, "slider", "weights", low=0, high=STEPS, step=EVERY),
)
_courses: BoundedCache[Course] = BoundedCache(SERVER, lambda course: course.nbytes)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("rnn")
    answer = kit.compute_from_inputs("rnn", RNN, _rnn)
    found, steps = answer.result
    at = {
        way: format_percent(float(each.accuracy[TRAINED_TO - 1]))
        for way, each in found.written.items()
    }
    with st.container(key="lab_rnn_told", horizontal=True, vertical_alignment="center"):
        with st.container(key="lab_rnn_written", width="content"):
            st.html(written_table(found, texts))
        with st.container(key="lab_rnn_said", width=520, gap="small"):
            told = "learned" if steps else "untrained"
            st.markdown(say(f"lab_rnn.{told}", steps=steps, most=TRAINED_TO, **at))
            if not steps:
                st.button(
                    say("lab_rnn.train"), key="lab_rnn_train", type="primary",
                    on_click=kit.put_inputs, args=("rnn",), kwargs={"steps": STEPS},
                )  # fmt: skip
    with box("fill", "lab_chart"):
        figure = writers_figure(found, texts, look)
        show_chart(figure, "lab_rnn_chart", texts["alt"], fill=True)


def _rnn(letters: Any, task: Any, width: Any, steps: Any, seed: Any) -> tuple[Attempts, int]:
    """What the three writers make of the letters after so many steps, and the steps."""
    given = read_letters(letters)
    asked, wide, count, start = read_plan(task, width, steps, seed)
    return Attempts(given, goal(given, asked), _written(given, asked, wide, count, start)), count


@lru_cache(maxsize=64)
def _written(letters: str, task: Task, width: int, steps: int, seed: int) -> Mapping[Way, Written]:
    """Without training the writers are made at once; what is learned is learned once."""
    make = (task, width, seed)
    course = _courses.get(make, lambda: train_writers(*make)) if steps else train_writers(*make, 0)
    return {way: write_letters(course, way, steps, letters) for way in WAYS}
