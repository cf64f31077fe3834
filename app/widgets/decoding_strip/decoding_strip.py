"""The component: a column a step; a click or the slider goes to one, × takes a given word back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app import state
from app.figures.theme import Look
from app.widgets.component import component

ROLES = {"probability": "data", "entropy": "weights", "forced": "changed", "grey": "faint"}

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
    columns: Sequence[Column], now: int, texts: Mapping[str, str], look: Look,
    on_go: Callable[[int], None], on_undo: Callable[[int], None], *,
    key: str = "decoding_strip", bars: bool = True,
) -> None:  # fmt: skip
    """Draw the strip, the column `now` framed; both callbacks are called before the rerun.

    on_undo: for the × of a column that is forced. texts: "label", "number", "reads", "writes",
    "percent", "entropy", "end", "undo", "slider". bars: with probability, entropy and the slider.
    """

    def gone() -> None:
        if (place := _place(state.trigger(key, "go"), len(columns))) is not None:
            on_go(place)

    def undone() -> None:
        if (place := _place(state.trigger(key, "undo"), len(columns))) is not None:
            on_undo(place)

    data = strip_data(columns, now, texts, look, bars)
    _strip(key=key, data=data, on_go_change=gone, on_undo_change=undone)


def strip_data(
    columns: Sequence[Column], now: int, texts: Mapping[str, str], look: Look, bars: bool = True
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON."""
    return {
        "columns": [asdict(each) for each in columns],
        "now": now,
        "texts": dict(texts),
        "bars": bars,
        "colours": {name: look.colour(role) for name, role in ROLES.items()},
    }


def _place(sent: Any, count: int) -> int | None:
    to = sent.get("to") if sent else None
    return to if isinstance(to, int) and 0 <= to < count else None
