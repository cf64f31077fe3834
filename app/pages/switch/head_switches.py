"""All heads of all kinds of attention as switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plots.theme import Look
from app.ui.components.head_grid import draw_heads, kind_data
from core.analysis.attention_views import Overview


@dataclass(frozen=True)
class Head:
    """One head: its place, its marks, and, where the heads are sorted by harm, its line."""

    kind: str
    layer: int
    head: int
    name: str  # for screen readers, with what is switched
    title: str
    short: str = ""
    off: bool = False
    mean: bool = False  # off, and says its mean
    alone: bool = False
    steered: bool = False  # looks elsewhere than it would
    line: Harm | None = None


@dataclass(frozen=True)
class Harm:
    """How much the output suffers without a head."""

    share: float  # of the longest bar
    harm: str
    word: str  # the one that suffers most
    change: str


@dataclass(frozen=True)
class Kind:
    """One kind of attention: its pictures, its title, the names of its layers."""

    name: str
    title: str
    rows: Sequence[str]
    view: Overview


@dataclass(frozen=True)
class SwitchTexts:
    """What stands beside the heads; `header` names the columns of the lines."""

    label: str
    kind_off: str
    layer_off: str
    all_help: str
    header: Sequence[str]


def head_switches(
    kinds: Sequence[Kind], heads: Sequence[Head], ranked: bool, focus: tuple[str, int, int | None],
    texts: SwitchTexts, look: Look, on_act: Callable[[Mapping[str, Any]], None],
) -> None:  # fmt: skip
    """Draw the heads in the order given, a line each where they are ranked.

    `on_act` is told, before the rerun, `act` ("toggle", "alone", "focus", or "all" of a layer or
    of a kind), `kind`, `layer`, `head`.
    """
    names = [str(at + 1) for at in range(kinds[0].view.heads)]
    sizes = {"kinds": str(len(kinds)), "rows": str(sum(len(each.rows) for each in kinds))}
    data = {
        "kinds": [kind_data(each.name, each.title, each.rows, names, each.view) for each in kinds],
        "heads": kinds[0].view.heads,
        "items": list(heads),
        "ranked": ranked,
        "focus": dict(zip(("kind", "layer", "head"), focus, strict=True)),
        "label": texts.label,
        "switches": texts,
        "colours": sizes,
    }
    draw_heads("head_switches", data, look, height="stretch", act=on_act)
