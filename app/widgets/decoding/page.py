"""The page: one question about the decoding on top, its answer below."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import streamlit as st

from app import state
from app.widgets.text import told
from app.words import say
from core.errors import GlassformerError

# Every question is a module of this folder with `show()`.
QUESTIONS = state.DECODING


def show() -> None:
    """Draw the question that the state names."""
    st.html(Path(__file__).with_name("decoding.css"))
    chosen = on_screen(state.get_state().decoding)
    with st.container(key="decoding_page", gap="xsmall"):
        _questions(chosen)
        module: ModuleType = import_module(f"{__package__}.{chosen}")
        try:
            module.show()
        except GlassformerError as error:
            st.warning(told(error))


@cache
def questions() -> tuple[str, ...]:
    """The questions that have a module, in their order."""
    return tuple(name for name in QUESTIONS if find_spec(f"{__package__}.{name}") is not None)


def on_screen(name: str) -> str:
    """The question to show for the state's: itself, or the first one."""
    return name if name in questions() else questions()[0]


def _questions(chosen: str) -> None:
    labels = {name: say(f"decoding.question_{name}") for name in questions()}

    def take() -> None:
        state.update(decoding=state.widget_value("decoding_questions"))

    st.segmented_control(
        say("decoding.questions"),
        questions(),
        key=state.bind("decoding_questions", chosen),
        format_func=labels.__getitem__,
        required=True,
        label_visibility="collapsed",
        width="content",
        on_change=take,
    )
