"""Text of users inside Streamlit's markdown, and what an error says."""

import re
from typing import TYPE_CHECKING, Literal

import streamlit as st

from glassformer.app.session import store
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError

if TYPE_CHECKING:
    from glassformer.core.weights.aside import LeftAside

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def literal(text: str) -> str:
    """A text that `st.markdown`, labels and messages show as it was typed.

    Escapes what markdown, LaTeX (`$x$`), HTML and Streamlit's `:colour[…]` would interpret.
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def with_arrows(text: str) -> str:
    """A text that names arrow keys; in front of a hall, where they leave the scene, the buttons."""
    return text.translate({ord("←"): "‹", ord("→"): "›"}) if store.memory().presented else text


def format_error(error: GlassformerError) -> str:
    """What an error says in the reader's language, as markdown."""
    values = {name: literal(str(value)) for name, value in error.values.items()}
    return say(f"errors.{error.key}", **values)


def list_left_aside(left: "LeftAside") -> list[str]:
    """What of a model's folder is not run, in a few words each; [] where all of it is."""
    heads = say("language.comma").join(say(f"frame.head_{each}") for each in left.heads)
    settings = say("language.comma").join(left.settings)
    said = [say("frame.left_heads", names=heads)] if heads else []
    said += [say("frame.left_settings", names=settings)] if settings else []
    return [*said, *([say("frame.left_no_head")] if left.no_head else [])]


def on_top(html: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw the sentence on top of a page: what one sees here."""
    st.html(f'<h2 class="on-top">{html}</h2>', width=width)
