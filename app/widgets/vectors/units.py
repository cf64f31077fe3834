"""The hidden units of the layer in focus, and the one of them in focus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.widgets.vectors.focus import Focus
from app.widgets.vectors.parts.neuron_map import fitting
from core.reading.blocks import layer_count
from core.reading.neurons import Unit, most_active
from core.reading.vectors import Numbers, rows_at

ACTIVE = 6  # the most active ones, in a list


@dataclass(frozen=True)
class Units:
    """The units of the layer in focus, and the one of them in focus."""

    focus: Focus

    @cached_property
    def layer(self) -> int:
        """The layer in focus, within this stack."""
        return min(self.focus.now.layer, layer_count(self.focus.trace.config, self.focus.stack) - 1)

    @property
    def address(self) -> str:
        """Where the activations are recorded."""
        return f"{self.focus.stack}/{self.layer}/feed_forward/activation"

    @cached_property
    def activation(self) -> Numbers:
        """(T, F)."""
        return rows_at(self.focus.trace, self.address)

    @cached_property
    def best(self) -> tuple[Unit, ...]:
        """The most active units at the word in focus."""
        focus = self.focus
        return most_active(
            focus.trace, focus.model, focus.stack, self.layer, focus.position, ACTIVE
        )

    @cached_property
    def unit(self) -> int:
        """The unit in focus: the chosen feature, or the most active one of the word."""
        chosen = self.focus.now.feature
        if chosen is None or chosen >= self.activation.shape[1]:
            return self.best[0].index
        return chosen

    @cached_property
    def shown(self) -> list[int]:
        """The units that fire on some word, in their order on screen; the chosen one among them."""
        largest = self.activation.max(axis=0)  # (F,)
        fired = np.flatnonzero(largest > 0)
        if self.unit not in fired:
            fired = np.append(fired, self.unit)
        strongest = fired[np.argsort(-largest[fired], kind="stable")]
        strongest = strongest[: fitting(len(self.activation))]
        if self.focus.now.terms == "dimension":
            return sorted(map(int, strongest))
        here = self.activation[self.focus.position]
        keys = np.lexsort((-largest[strongest], -here[strongest]))
        return [int(each) for each in strongest[keys]]
