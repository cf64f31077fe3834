"""Containers that say how they lie on the page, in the words of layout.css."""

from contextlib import nullcontext
from typing import Any

import streamlit as st

from glassformer.app.ui.component import is_caught


def box(words: str, name: str, **given: Any) -> Any:
    """A container with a name of its own on the page, laid out by words: "fill scroll".

    Streamlit writes the key on it as the class `st-key-<name>--fill--scroll`, and kit.js the words
    as `data-box="fill scroll"`. The words must not depend on the state: a container with another
    key is built anew. given: as of `st.container`.
    """
    if is_caught():
        return nullcontext()
    return st.container(key="--".join((name, *words.split())), **given)


def side_by_side(name: str, words: str = "", **given: Any) -> Any:
    """The same with its parts on one line, each in the middle of its height."""
    return box(words, name, horizontal=True, vertical_alignment="center", **given)
