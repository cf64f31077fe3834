"""The component: a row a step with what it would have written; a click goes to that step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.ui.component import component, going

_table = component(__file__, "step_table")


@dataclass(frozen=True)
class Row:
    """One step: its number as shown, and the translation in parts, each kept to the end or not."""

    step: str
    parts: Sequence[tuple[str, bool]]


def step_table(
    rows: Sequence[Row],
    now: int,
    language: str,
    texts: Mapping[str, str],
    on_go: Callable[[int], None],
) -> None:
    """Draw the list, row `now` marked; `on_go(row)` is called before the rerun.

    language: of the translations, "en" or "zh". texts: "step", "translation", "nothing". The
    component fills the height of the container it stands in.
    """
    data = {"rows": list(rows), "now": now, "language": language, "texts": dict(texts)}
    _table("step_table", data, height="stretch", go=going(len(rows), on_go))
