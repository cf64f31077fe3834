"""The page: one question about the decoding on top, its answer below."""

import streamlit as st

from app.panels.opening.on_file import show_part
from app.session import store
from app.session.state import DECODING
from app.ui.pick import choice, into
from app.ui.style import put_sheet


def show() -> None:
    """Draw the question that the state names: a module of this folder with `show()`."""
    put_sheet(__file__, "decoding.css")
    chosen = store.get_state().decoding
    with st.container(key="decoding_page", gap="xsmall"):
        choice("decoding_questions", "decoding.question", DECODING, chosen, into("decoding"))
        show_part("app.pages.decoding", chosen)


if __name__ == "__main__":
    show()
