"""Small chips in at most two lines; more of them scroll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app import state
from app.figures.theme import Look
from app.widgets.component import component

_chips = component(__file__, "chips")


@dataclass(frozen=True)
class Chip:
    """What a chip says, what it stands for, and why it is greyed ("": it is not)."""

    text: str
    id: str
    greyed: str = ""


def chips(
    items: Sequence[Chip], empty: str, take_out: str, look: Look, on_out: Callable[[str], None]
) -> None:
    """Draw the chips; `on_out(id)` is called before the rerun.

    empty: what stands there without chips. take_out: what × does.
    """

    def out() -> None:
        sent = state.trigger("switch_chips", "out")
        if sent:
            on_out(str(sent))

    _chips(
        key="switch_chips",
        data={
            "chips": [vars(each) for each in items],
            "empty": empty,
            "takeOut": take_out,
            "colour": look.colour("changed"),
            "grey": look.colour("faint"),
            "panel": look.colour("panel"),
        },
        on_out_change=out,
    )
