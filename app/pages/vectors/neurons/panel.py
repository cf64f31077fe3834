"""The hidden units of the feed-forward networks: which fire on which word, what they push for.

Left the units of one layer over all words; right the most active ones of the word in focus, and
what the row of W₂ of one of them says in words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.focus import VectorsFocus, pick_word, show_word
from glassformer.app.panels import provenance
from glassformer.app.plots.colours import sequential
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.session import store
from glassformer.app.ui.component import CELLS, component, pack_numbers
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, segments, set_field
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.neurons import (
    Promoted,
    Sparsity,
    Unit,
    firings,
    most_active,
    promoted_words,
    sparsity,
    units_at,
)
from glassformer.core.analysis.vectors import Numbers, rows_at
from glassformer.core.trace.graph import layer_count

ACTIVE = 6  # the most active units, in a list
WORDS, FIRED = 5, 4  # each way; tokens that a unit fires on
ORDERS = ("largest", "dimension")
BYTES = 150_000  # of the activations that are sent

_neuron_map = component(__file__, "neuron_map", scripts=(CELLS,))


@dataclass(frozen=True)
class NeuronFocus(VectorsFocus):
    """The hidden units of the layer in focus, and the one of them in focus."""

    @cached_property
    def layer(self) -> int:
        """The layer in focus, within this stack."""
        return min(self.now.layer, layer_count(self.trace.config, self.stack) - 1)

    @property
    def address(self) -> str:
        """Where the activations are recorded."""
        return f"{self.stack}/{self.layer}/feed_forward/{units_at(self.trace.config)}"

    @cached_property
    def activation(self) -> Numbers:
        """(T, F)."""
        return rows_at(self.trace, self.address)

    @cached_property
    def best(self) -> tuple[Unit, ...]:
        """The most active units at the word in focus."""
        return most_active(self.trace, self.model, self.stack, self.layer, self.position, ACTIVE)

    @cached_property
    def unit(self) -> int:
        """The unit in focus: the chosen feature, or the most active one of the word."""
        chosen = self.now.feature
        if chosen is None or chosen >= self.activation.shape[1]:
            return self.best[0].index
        return chosen

    @cached_property
    def shown(self) -> list[int]:
        """The units that fire on some word, in their order on screen; the chosen one among them."""
        gated = self.trace.config.gated
        sizes = np.abs(self.activation) if gated else self.activation  # (T, F)
        largest = sizes.max(axis=0)  # (F,)
        fired = np.flatnonzero(largest > 0)
        if self.unit not in fired:
            fired = np.append(fired, self.unit)
        strongest = fired[np.argsort(-largest[fired], kind="stable")]
        strongest = strongest[: max(1, BYTES // (4 * len(self.activation)))]
        if self.now.terms == "dimension":
            return sorted(map(int, strongest))
        here = sizes[self.position]
        keys = np.lexsort((-largest[strongest], -here[strongest]))
        return [int(each) for each in strongest[keys]]


def show() -> None:
    """Draw the map of the layer, and the unit in focus beside it."""
    focus = NeuronFocus.current()
    sparse = sparsity(focus.trace, focus.stack)
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall", key="neurons_left"):
        _head(focus, sparse)
        _map(focus, sparse)
    with right.container(gap="xsmall", key="neurons_right"):
        show_word(focus)
        _most_active(focus)
        _promoted(focus)


def _head(focus: NeuronFocus, sparse: Sparsity) -> None:
    st.markdown(f"**{say('neurons.title')}** · {focus.stack_name}")
    layers = {
        layer: say("neurons.layer", layer=layer + 1, share=format_percent(float(share)))
        for layer, share in enumerate(sparse.means)
    }
    with st.container(key="neurons_choices", horizontal=True, horizontal_alignment="distribute"):
        segments("neurons_layer", say("beside.layer"), layers, focus.layer, set_field("layer"))
        draw_choice("neurons_terms", "neurons.order", ORDERS, focus.now.terms, set_field("terms"))


def _map(focus: NeuronFocus, sparse: Sparsity) -> None:
    shown = focus.shown
    st.caption(focus.shape(focus.address))

    gated = focus.trace.config.gated

    def picked(sent: Mapping[str, Any]) -> None:
        if sent.get("unit") is None:
            pick_word(focus, int(sent["row"]))
        else:
            _pick_unit(focus, int(sent["row"]), int(sent["unit"]))

    data = {
        "rows": [visible(label) for label in focus.words.labels],
        "sinks": sorted(focus.words.sinks),
        "values": pack_numbers(focus.activation[:, shown].astype("<f4")),
        "units": shown,
        "shares": [(each, format_percent(each)) for each in sparse.active[focus.layer].tolist()],
        "focus": (focus.position, focus.unit),
        "scale": sequential("feed_forward", focus.look.dark),
        "scale_below": sequential("query", focus.look.dark) if gated else None,
        "precision": focus.look.precision,
        "texts": {
            "label": say("neurons.title"),
            "rows": say("vectors.rows_decoder" if focus.words.writes else "vectors.rows_encoder"),
            "columns": say(f"neurons.columns_{focus.now.terms}", count=len(shown)),
            "shares": say("neurons.shares"),
            "hover": say("neurons.hover"),
        },
        "colours": {"panel": focus.look.colour("panel")},
    }
    with box("fill tall", "vectors_main"):
        _neuron_map("neuron_map", data, height="stretch", pick=picked)
    silent, width = sparse.silent[focus.layer], sparse.width
    with box("rows-2 note", "vectors_note"):
        st.caption(say("neurons.legend", silent=silent, width=width, shown=len(shown)))


def _most_active(focus: NeuronFocus) -> None:
    st.markdown(f"**{say('neurons.best')}**")
    rows = [
        Row(
            key=each.index,
            texts=(
                say("neurons.unit", unit=each.index + 1),
                focus.number(each.activation),
                focus.number(each.push),
            ),
            values=(None, each.activation, each.push),
            chosen=each.index == focus.unit,
        )
        for each in focus.best
    ]
    active, push = (max(abs(row.values[at] or 0.0) for row in rows) or 1.0 for at in (1, 2))
    columns = [
        Column("", "auto"),
        Column(
            say(f"neurons.{units_at(focus.trace.config)}"),
            "1fr",
            end=active,
            colour="feed_forward",
            signed=focus.trace.config.gated,
        ),
        Column(say("neurons.push"), "1fr", end=push, help=say("neurons.push_help")),
    ]

    bar_table("neurons_best", columns, rows, lambda unit: _pick_unit(focus, focus.position, unit))


def _pick_unit(focus: NeuronFocus, row: int, unit: int) -> None:
    store.update(token=(focus.side, row), feature=unit, address=focus.address)


def _promoted(focus: NeuronFocus) -> None:
    """What one unit fires on, and the words that its row of W₂ speaks for and against."""
    unit = focus.unit
    fired = firings(focus.trace, focus.stack, focus.layer, unit, FIRED)
    words = say("neurons.comma").join(
        f"{literal(visible(focus.words.labels[each.position]))} {focus.number(each.activation)}"
        for each in fired
        if each.activation > 0
    )
    with st.container(horizontal=True, vertical_alignment="center", key="neurons_unit"):
        st.markdown(f"**{say('neurons.unit', unit=unit + 1)}**", width="content")
        provenance.open_button(focus.address, (0, focus.position, unit), "neurons_trail")
    if focus.trace.config.gated:
        where, at = focus.address.rpartition("/")[0], (0, focus.position, unit)
        names = {"gate": "activation", "up": "up", "both": "gated"}
        numbers = {name: focus.number(focus.trace[f"{where}/{n}"][at]) for name, n in names.items()}
        st.caption(say("neurons.gate", **numbers))
    with box("rows-1", "neurons_fired"):
        st.caption(say("neurons.fires", words=words) if words else say("neurons.never"))
    found = promoted_words(focus.trace, focus.model, focus.stack, focus.layer, unit, WORDS)
    shown = (*found.up, *found.down[::-1])
    end = max(*(abs(each.value) for each in shown), found.chance) * 1.02
    columns = [
        Column(say(f"neurons.says_{found.scale}"), "minmax(4rem, auto)"),
        Column("", "1fr", end=end, signed=True, mark=found.chance),
    ]
    rows = [
        Row(at, (visible(each.token), focus.number(each.value)), (None, each.value))
        for at, each in enumerate(shown)
    ]
    bar_table("neurons_words", columns, rows)
    with box("rows-2", "neurons_reading"):
        st.caption(_reading(focus, found))


def _reading(focus: NeuronFocus, found: Promoted) -> str:
    """How far these words may be believed: chance finds some in any direction."""
    chance = focus.number(found.chance)
    if found.scale == "cosine":
        return say("neurons.reading_cosine", chance=chance)
    key = "neurons.reading_out" if found.stands_out else "neurons.reading_not"
    last = focus.layer == focus.trace.config.decoder_layers - 1
    where = say("neurons.last" if last else "neurons.inner")
    return say(key, chance=chance) + say("language.gap") + where
