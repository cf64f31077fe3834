"""Text of users inside Streamlit's markdown, and what an error says."""

import re
from typing import Literal

import streamlit as st

from app.words import say
from core.errors import GlassformerError

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def literal(text: str) -> str:
    """A text that `st.markdown`, labels and messages show as it was typed.

    Escapes what markdown, LaTeX (`$x$`), HTML and Streamlit's `:colour[…]` would interpret.
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def told(error: GlassformerError) -> str:
    """What an error says in the reader's language, as markdown."""
    values = {name: literal(str(value)) for name, value in error.values.items()}
    return say(f"errors.{error.key}", **values)


def on_top(html: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw the sentence on top of a page: what one sees here."""
    st.html(f'<h2 class="on-top">{html}</h2>', width=width)
