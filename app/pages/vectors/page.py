"""The page: one question about the vectors on top, its answer below."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from app.panels.opening.on_file import show_part
from app.session import store
from app.session.state import VECTORS
from app.ui.pick import into, segments
from app.ui.style import put_sheet
from app.words import say

STACKS = ("encoder", "decoder")
IN_ONE_STACK = ("lens",)  # the generator reads the decoder alone


def show(answer: Callable[[str], None] | None = None) -> None:
    """Draw the question that the state names: a module of this folder with `show()`.

    answer: draws another answer to it, under the same pickers.
    """
    put_sheet(__file__, "vectors.css")
    chosen = store.get_state().vectors
    with st.container(key="vectors_page", gap="xsmall"):
        with st.container(key="vectors_top", horizontal=True, gap="medium"):
            _choice("vectors", VECTORS, chosen)
            if chosen not in IN_ONE_STACK:
                _choice("stack", STACKS, store.get_state().stack)
        (answer or partial(show_part, "app.pages.vectors"))(chosen)


def _choice(name: str, options: tuple[str, ...], value: str) -> None:
    labels = {option: say(f"vectors.{name}_{option}") for option in options}
    segments(f"vectors_{name}", say(f"vectors.{name}"), labels, value, into(name))


if __name__ == "__main__":
    show()
