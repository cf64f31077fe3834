"""Which cross-attention and which step the Translate page shows, from the state."""

from __future__ import annotations

from app.state import State
from app.widgets.word_lines import Pin, output_chips
from core.reading.choices import least_sure
from core.trace.trace import Trace


def attention_in_focus(now: State, trace: Trace) -> tuple[int, int | None]:
    """Layer and head (None: the mean) of the lines.

    A cross-attention in focus on any page is the one shown; otherwise the last layer's mean, for
    that layer is the closest to the words.
    """
    if now.kind == "cross":
        return now.layer, now.head
    return trace.config.decoder_layers - 1, None


def pinned(now: State) -> Pin | None:
    """The word that was clicked last."""
    return Pin(*now.token) if now.token else None


def step_in_focus(now: State, trace: Trace) -> int:
    """The row whose candidates are shown: the pinned output word, else the least sure word.

    Punctuation is often less sure than any word, and tells less.
    """
    if now.token and now.token[0] == "target":
        return now.token[1]
    words = [row for row, chip in enumerate(output_chips(trace)) if not chip.sink]
    return least_sure(trace, words or range(len(trace.output_tokens)))
