"""Text of users inside Streamlit's markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def literal(text: str) -> str:
    """A text that `st.markdown`, labels and messages show as it was typed.

    Escapes what markdown, LaTeX (`$x$`), HTML and Streamlit's `:colour[…]` would interpret.
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
