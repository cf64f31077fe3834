"""Fields of one line for texts that have lines: a line break stands in them as ⏎.

It is the sign by which pieces show one. Where a model tells line breaks from blanks, Shift+Enter
types one, and a text that is pasted or copied keeps its own. In a list with a text a line, ⏎ is a
break inside of a text. A ⏎ that somebody means as such becomes a break when its field is changed.
"""

from glassformer.app.session.store import BREAK
from glassformer.app.ui.component import component
from glassformer.core.weights.tokenizers.pieces import LINE

FIELDS = ("sentence", "text_pair", "second", "patching_second", "tensor_sentence", "forcing_typed")

_lines = component(__file__, "lines")


def in_one_line(text: str) -> str:
    """A text as such a field shows it."""
    return BREAK.sub(LINE, text)


def with_lines(text: str) -> str:
    """The text that stands in such a field."""
    return BREAK.sub("\n", text).replace(LINE, "\n")


def allow_line_breaks() -> None:
    """Let the fields take line breaks, and show the lines of the one that is typed into.

    Call it once a run, for a model that tells line breaks from blanks. It takes no room.
    """
    fields = ", ".join(f".st-key-widget_{name} input" for name in FIELDS)
    _lines("bridge_lines", {"fields": fields})
