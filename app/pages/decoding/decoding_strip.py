"""The component: a column a step; a click or the slider goes to one, × takes a given word back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.ui.component import component, going

_strip = component(__file__, "decoding_strip")


@dataclass(frozen=True)
class Column:
    """One step as it is written."""

    reads: str  # the newest word that goes in
    writes: str  # the word taken; "" for the end, which is drawn as a flag
    percent: str
    share: float  # 0..1, how high its bar is
    entropy: str
    spread: float  # 0..1, how long the bar of the entropy is
    title: str
    start: bool = False  # what it reads is the sign of the begin
    forced: bool = False
    guarded: bool = False  # the repetition guard spoke


def decoding_strip(
    columns: Sequence[Column], now: int, texts: Mapping[str, str],
    on_go: Callable[[int], None], on_undo: Callable[[int], None], *,
    key: str = "decoding_strip", bars: bool = True,
) -> None:  # fmt: skip
    """Draw the strip, the column `now` framed; both callbacks are called before the rerun.

    on_undo: for the × of a column that is forced. texts: "label", "number", "reads", "writes",
    "percent", "entropy", "end", "undo", "slider". bars: with probability, entropy and the slider.
    """
    data = {"columns": list(columns), "now": now, "texts": dict(texts), "bars": bars}
    count = len(columns)
    _strip(key, data, go=going(count, on_go), undo=going(count, on_undo))
