"""Rows of switches with their choices, as one component."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.plots.theme import Look
from app.ui.component import component

_rows = component(__file__, "switch_rows")


@dataclass(frozen=True)
class Choice:
    """One choice of a row: a list, a slider over the same kind of options, or a whole number."""

    name: str
    label: str
    kind: Literal["list", "slider", "number"]
    options: Sequence[tuple[str, str]]  # value and text
    value: str
    hidden: bool = False


@dataclass(frozen=True)
class Row:
    """One switch: its name, a line about it, whether it is on, and what stands in its way."""

    id: str
    name: str
    about: str
    on: bool
    choices: Sequence[Choice]
    problem: str = ""


@dataclass(frozen=True)
class Group:
    """Rows under a title."""

    title: str
    rows: Sequence[Row]


def switch_rows(
    groups: Sequence[Group], label: str, look: Look,
    on_set: Callable[[str, bool, Mapping[str, str]], None],
) -> None:  # fmt: skip
    """Draw the rows; `on_set(id, on, values)` is called before the rerun. Long lists scroll."""

    def was_set(value: Mapping[str, Any]) -> None:
        values = {str(name): str(each) for name, each in value["values"].items()}
        on_set(str(value["id"]), bool(value["on"]), values)

    style = {"track": look.colour("faint" if look.dark else "line")}
    data = {"groups": list(groups), "label": label, "colours": style}
    _rows("switch_rows", data, height="stretch", set=was_set)
