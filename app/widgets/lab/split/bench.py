"""The bench: sizes above, the regrouping below."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from app.figures.lab_split import LANES, split_drawing
from app.widgets.chart import current_look
from app.widgets.component import component
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.head_split import HeadSplit, head_split
from core.lab.inputs import choice, whole

TEXTS = ("head", "sees", "whole", "mixed", "reads", "cell", "map")
_blocks = component(__file__, "blocks")


class Chosen(NamedTuple):
    """Where every cell went, and which of the two ways is looked at."""

    found: HeadSplit
    way: str


def show() -> None:
    """Draw the bench."""
    kit.head("split")
    chosen = kit.worked("split", _fields(), _computed).result
    found, way = chosen
    texts = {name: say(f"lab_split.{name}") for name in TEXTS}
    wrong = found.step("wrong_view" if way == "split" else "wrong_concat").misplaced
    texts |= {
        f"right_{way}": say(f"lab_split.right_{way}"),
        f"wrong_{way}": say(f"lab_split.wrong_{way}", wrong=int(wrong.sum()), cells=wrong.numel()),
    }
    drawing = split_drawing(found, way, texts, current_look())
    data = drawing | {"alt": say("lab_split.alt"), "hint": say("lab_split.hint")}
    _blocks(key="lab_split_blocks", data=data)


@lru_cache(maxsize=64)
def _computed(sentences: Any, words: Any, width: Any, heads: Any, way: Any) -> Chosen:
    """Smaller sizes than core allows: every cell is drawn."""
    sizes = (
        whole("sentences", sentences, 1, 2),
        whole("words", words, 1, 6),
        whole("width", width, 2, 16),
        whole("heads", heads, 1, 4),
    )
    return Chosen(head_split(*sizes), choice("way", way, LANES))


def _fields() -> list[Field]:
    def about(name: str) -> str:
        return say(f"lab_split.input_{name}")

    ways = {way: say(f"lab_split.way_{way}") for way in LANES}
    return [
        Field("way", say("lab_split.way"), "split", "choice", options=ways),
        Field("sentences", "B", 1, about=about("sentences"), low=1, high=2, step=1),
        Field("words", "S", 4, "slider", about=about("words"), low=1, high=6, step=1),
        Field("width", "D", 8, "slider", about=about("width"), low=2, high=16, step=1),
        Field("heads", "H", 2, "slider", "query", about=about("heads"), low=1, high=4, step=1),
    ]
