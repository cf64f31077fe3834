"""The component: words to drag, or to move with the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app import state
from app.figures.labels import visible
from app.widgets.chart import current_look
from app.widgets.component import component
from app.words import say

_words = component(__file__, "words")
TEXTS = ("drag", "reverse", "shuffle", "restore")
ROLES = ("data", "line", "faint", "text", "panel")


def movable_words(
    words: Sequence[str], order: Sequence[int], on_order: Callable[[Sequence[int]], None]
) -> None:
    """Draw the words in the order; `on_order` gets a new one before the rerun."""

    def sent() -> None:
        value = state.trigger("lab_order_words", "order")
        if isinstance(value, list) and all(isinstance(each, int) for each in value):
            on_order(value)

    look = current_look()
    _words(
        key="lab_order_words",
        data={
            "words": [visible(word) for word in words],
            "order": list(order),
            "texts": {name: say(f"lab_order.{name}") for name in TEXTS},
            "colours": {role: look.colour(role) for role in ROLES},
        },
        on_order_change=sent,
    )
