"""The component: a row a step with what it would have written; a click goes to that step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app import state
from app.widgets.component import component

_table = component(__file__, "step_table")


@dataclass(frozen=True)
class Row:
    """One step: its number as shown, and the translation in parts, each kept to the end or not."""

    step: str
    parts: Sequence[tuple[str, bool]]


def step_table(
    rows: Sequence[Row], now: int, language: str, texts: Mapping[str, str], accent: str,
    on_go: Callable[[int], None],
) -> None:  # fmt: skip
    """Draw the list, row `now` marked; `on_go(row)` is called before the rerun.

    language: of the translations, "en" or "zh". texts: "step", "translation", "nothing". The
    component fills the height of the container it stands in.
    """

    def gone() -> None:
        value = state.trigger("step_table", "go")
        to = value.get("to") if value else None
        if isinstance(to, int) and 0 <= to < len(rows):
            on_go(to)

    data = {
        "rows": [{"step": row.step, "parts": [list(part) for part in row.parts]} for row in rows],
        "now": now,
        "language": language,
        "texts": dict(texts),
        "accent": accent,
    }
    _table(key="step_table", data=data, on_go_change=gone, height="stretch")
