"""The page: one question about the vectors on top, its answer below."""

from __future__ import annotations

from collections.abc import Callable
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

QUESTIONS = ("positions", "stream", "lens", "neurons")
STACKS = ("encoder", "decoder")
IN_ONE_STACK = ("lens",)  # the generator reads the decoder alone


def show(answer: Callable[[str], None] | None = None) -> None:
    """Draw the question that the state names: a module of this folder with `show()`.

    answer: draws another answer to it, under the same pickers.
    """
    st.html(Path(__file__).with_name("vectors.css"))
    chosen = on_screen(state.get_state().vectors)
    with st.container(key="vectors_page", gap="xsmall"):
        with st.container(key="vectors_top", horizontal=True, gap="medium"):
            _choice("vectors", questions(), chosen)
            if chosen not in IN_ONE_STACK:
                _choice("stack", STACKS, state.get_state().stack)
        (answer or _answer)(chosen)


def _answer(question: str) -> None:
    module: ModuleType = import_module(f"{__package__}.{question}")
    try:
        module.show()
    except GlassformerError as error:  # the model of the link is not there
        st.warning(told(error))


@cache
def questions() -> tuple[str, ...]:
    """The questions that have a module, in their order."""
    return tuple(name for name in QUESTIONS if find_spec(f"{__package__}.{name}") is not None)


def on_screen(name: str) -> str:
    """The question to show for the state's: itself, or the first one."""
    return name if name in questions() else questions()[0]


def _choice(name: str, options: tuple[str, ...], value: str) -> None:
    labels = {option: say(f"vectors.{name}_{option}") for option in options}

    def take() -> None:
        state.update(**{name: state.widget_value(f"vectors_{name}")})

    st.segmented_control(
        say(f"vectors.{name}"),
        options,
        key=state.bind(f"vectors_{name}", value),
        format_func=labels.__getitem__,
        required=True,
        label_visibility="collapsed",
        width="content",
        on_change=take,
    )
