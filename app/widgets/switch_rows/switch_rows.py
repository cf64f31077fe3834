"""Rows of switches with their choices, as one component."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from app import state
from app.figures.colours import faded
from app.figures.theme import Look
from app.widgets.component import component

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
    groups: Sequence[Group], label: str, look: Look, above: str,
    on_set: Callable[[str, bool, Mapping[str, str]], None],
) -> None:  # fmt: skip
    """Draw the rows; `on_set(id, on, values)` is called before the rerun.

    above: the height in CSS that the page takes above and below; longer lists scroll.
    """

    def was_set() -> None:
        if value := state.trigger("switch_rows", "set"):
            values = {str(name): str(each) for name, each in value["values"].items()}
            on_set(str(value["id"]), bool(value["on"]), values)

    _rows(
        key="switch_rows",
        data={
            "groups": [asdict(each) for each in groups],
            "label": label,
            "style": _style(look) | {"above": above},
        },
        on_set_change=was_set,
    )


def _style(look: Look) -> dict[str, Any]:
    return {
        "role": look.colour("weights"),
        "changed": look.colour("changed"),
        "tint": faded(look.colour("changed"), 0.08),
        "grey": look.colour("faint"),
        "track": look.colour("faint" if look.dark else "line"),
        "knob": "#FFFFFF",
        "panel": look.colour("panel"),
    }
