"""All heads of all kinds of attention as switches."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app import state
from app.figures.colours import faded, sequential
from app.figures.theme import Look
from app.widgets.component import component
from core.reading.attention_views import Overview

_switches = component(__file__, "head_switches")


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
    share: float = 0.0  # of the longest bar
    harm: str = ""
    word: str = ""  # the one that suffers most
    change: str = ""


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
    texts: SwitchTexts, look: Look, above: str, on_act: Callable[[Mapping[str, Any]], None],
) -> None:  # fmt: skip
    """Draw the heads in the order given, a line each where they are ranked.

    above: the height in CSS that the page takes above and below. `on_act` is told, before the
    rerun, `act` ("toggle", "alone", "focus", or "all" of a layer or of a kind), `kind`, `layer`,
    `head`.
    """

    def acted() -> None:
        if value := state.trigger("head_switches", "act"):
            on_act(value)

    _switches(
        key="head_switches",
        data={
            "kinds": [_sent(each) for each in kinds],
            "heads": kinds[0].view.heads,
            "items": [vars(each) for each in heads],
            "ranked": ranked,
            "focus": dict(zip(("kind", "layer", "head"), focus, strict=True)),
            "texts": {
                "label": texts.label,
                "kindOff": texts.kind_off,
                "layerOff": texts.layer_off,
                "allHelp": texts.all_help,
                "header": list(texts.header),
            },
            "scale": sequential("weights", look.dark),
            "style": _style(look, kinds) | {"above": above},
        },
        on_act_change=acted,
    )


def _sent(kind: Kind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "title": kind.title,
        "rows": list(kind.rows),
        "levels": base64.b64encode(kind.view.levels.tobytes()).decode(),
        "side": list(kind.view.levels.shape[2:]),
    }


def _style(look: Look, kinds: Sequence[Kind]) -> dict[str, str]:
    return {
        "role": look.colour("weights"),
        "changed": look.colour("changed"),
        "grey": look.colour("faint"),
        "page": look.colour("page"),
        "track": look.colour("line"),
        "hatch": faded(look.colour("faint"), 0.7),
        "kinds": f"{len(kinds)}",
        "rows": f"{sum(len(each.rows) for each in kinds)}",
    }
