"""The component: words to drag, or to move with the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.plots.labels import visible
from app.ui.component import component
from app.words import say

_words = component(__file__, "words")
TEXTS = ("drag", "reverse", "shuffle", "restore")


def movable_words(
    words: Sequence[str], order: Sequence[int], on_order: Callable[[Sequence[int]], None]
) -> None:
    """Draw the words in the order; `on_order` gets a new one before the rerun."""

    def sent(value: Any) -> None:
        if isinstance(value, list) and all(isinstance(each, int) for each in value):
            on_order(value)

    data = {
        "words": [visible(word) for word in words],
        "order": list(order),
        "texts": {name: say(f"lab_order.{name}") for name in TEXTS},
    }
    _words("lab_order_words", data, order=sent)
