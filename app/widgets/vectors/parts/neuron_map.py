"""Words down, hidden units across: how active each unit is on each word; clicks pick."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app import state
from app.figures.colours import Scale
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.component import component
from core.reading.attention_views import Side

BYTES = 150_000  # of the activations that are sent

_map = component(__file__, "neuron_map")


@dataclass(frozen=True)
class MapTexts:
    """What stands around the map."""

    label: str
    rows: str
    columns: str
    shares: str  # title above the share of units that fire on each word
    hover: str  # with {row} {unit} {value}


def fitting(words: int) -> int:
    """How many units may be sent for that many words."""
    return max(1, BYTES // (4 * max(words, 1)))


def neuron_map(
    key: str, words: Side, activation: np.ndarray, units: Sequence[int],
    shares: Sequence[tuple[float, str]], focus: tuple[int, int | None], scale: Scale,
    texts: MapTexts, look: Look, on_pick: Callable[[int, int | None], None],
) -> None:  # fmt: skip
    """Draw it over the full height of its place.

    activation: (T, U) of the units in their order on screen. shares: of each word, and as text.
    focus: the word and the unit, by their number in the model. `on_pick(word, unit)` is called
    before the rerun, unit None for a click on the word itself.
    """

    def picked() -> None:
        if value := state.trigger(key, "pick"):
            unit = value.get("unit")
            on_pick(int(value["row"]), None if unit is None else int(unit))

    colours = ("feed_forward", "data", "faint", "text", "line", "page", "panel")
    data: dict[str, Any] = {
        "rows": [visible(label) for label in words.labels],
        "sinks": sorted(words.sinks),
        "values": base64.b64encode(activation.astype("<f4").tobytes()).decode(),
        "units": list(units),
        "shares": [list(each) for each in shares],
        "focus": list(focus),
        "scale": scale,
        "precision": look.precision,
        "texts": asdict(texts),
        "look": {name: look.colour(name) for name in colours},
    }
    _map(key=key, data=data, on_pick_change=picked, height="stretch")
