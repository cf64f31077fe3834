"""Small chips in at most two lines; more of them scroll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.ui.component import component

_chips = component(__file__, "chips")


@dataclass(frozen=True)
class Chip:
    """What a chip says, what it stands for, and why it is greyed ("": it is not)."""

    text: str
    id: str
    greyed: str = ""


def chips(items: Sequence[Chip], empty: str, take_out: str, on_out: Callable[[str], None]) -> None:
    """Draw the chips; `on_out(id)` is called before the rerun.

    empty: what stands there without chips. take_out: what × does.
    """
    data = {"chips": list(items), "empty": empty, "takeOut": take_out}
    _chips("switch_chips", data, out=on_out)
