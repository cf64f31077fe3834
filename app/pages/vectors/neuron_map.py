"""Words down, hidden units across: how active each unit is on each word; clicks pick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.plots.colours import Scale
from app.plots.labels import visible
from app.plots.theme import Look
from app.ui.component import CELLS, component, packed
from core.analysis.attention_views import Side

BYTES = 150_000  # of the activations that are sent

_map = component(__file__, "neuron_map", scripts=(CELLS,))


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

    def picked(value: Mapping[str, Any]) -> None:
        unit = value.get("unit")
        on_pick(int(value["row"]), None if unit is None else int(unit))

    data = {
        "rows": [visible(label) for label in words.labels],
        "sinks": sorted(words.sinks),
        "values": packed(activation.astype("<f4")),
        "units": list(units),
        "shares": list(shares),
        "focus": focus,
        "scale": scale,
        "precision": look.precision,
        "texts": texts,
        "colours": {"panel": look.colour("panel")},
    }
    _map(key, data, height="stretch", pick=picked)
