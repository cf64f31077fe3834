"""The component: numbers, rows, tables, words and choices, sent while one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.session import store
from app.ui.component import component

_typed = component(__file__, "typed")


def typed_inputs(
    key: str,
    fields: Sequence[Mapping[str, Any]],
    message: str,
    is_error: bool,
    texts: Mapping[str, str],
    stamp: str,
    edited: bool,
    ties: Sequence[Sequence[tuple[str, str]]],
    on_typed: Callable[[Mapping[str, Any]], None],
    on_reset: Callable[[], None],
) -> None:
    """Draw the inputs; the callbacks run before the rerun.

    The browser owns what is in the inputs until `stamp` changes: then they take the fields' values.
    message: what is wrong or to be said, "" if nothing; on a line that is always there.
    """

    def sent(value: Any) -> None:
        if not isinstance(value, Mapping):
            return
        store.memory().lab_seen[key] = value.get("nonce")
        if value.get("reset"):
            on_reset()
        elif isinstance(value.get("values"), Mapping):
            on_typed(value["values"])

    data = {
        "fields": [dict(field) for field in fields],
        "message": message,
        "error": is_error,
        "texts": dict(texts),
        "stamp": stamp,
        "edited": edited,
        "ties": [[list(end) for end in tie] for tie in ties],
        "seen": store.memory().lab_seen.get(key),
    }
    _typed(f"typed_{key}", data, typed=sent)
