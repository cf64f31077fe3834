"""The hidden units of the feed-forward networks: which fire on which word, what they push for.

Left the units of one layer over all words; right the most active ones of the word in focus, and
what the row of W₂ of one of them says in words.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import state
from app.figures.colours import sequential
from app.figures.labels import format_number, format_percent, visible
from app.widgets import trail
from app.widgets.pick import into, segments
from app.widgets.text import literal
from app.widgets.vectors.focus import Focus, pick, show_word
from app.widgets.vectors.parts.bar_table import Column, Row, bar_table
from app.widgets.vectors.parts.neuron_map import MapTexts, neuron_map
from app.widgets.vectors.units import Units
from app.words import say
from core.reading.neurons import (
    Promoted,
    Sparsity,
    Word,
    firings,
    promoted,
    sparsity,
)

WORDS, FIRED = 5, 4  # each way; tokens that a unit fires on
ORDERS = ("largest", "dimension")


def show() -> None:
    """Draw the map of the layer, and the unit in focus beside it."""
    focus = Focus.current()
    units = Units(focus)
    sparse = sparsity(focus.trace, focus.stack)
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall", key="neurons_left"):
        _head(units, sparse)
        _map(units, sparse)
    with right.container(gap="xsmall", key="neurons_right"):
        show_word(focus)
        _most_active(units)
        _promoted(units)


def _head(units: Units, sparse: Sparsity) -> None:
    focus = units.focus
    st.markdown(f"**{say('neurons.title')}** · {say(f'vectors.stack_{focus.stack}')}")
    labels = {
        layer: say("neurons.layer", layer=layer + 1, share=format_percent(float(share)))
        for layer, share in enumerate(sparse.means)
    }
    with st.container(key="neurons_choices", horizontal=True, horizontal_alignment="distribute"):
        _choice("layer", labels, units.layer)
        _choice("terms", {each: say(f"neurons.order_{each}") for each in ORDERS}, focus.now.terms)


def _choice(name: str, labels: dict[int, str] | dict[str, str], value: int | str) -> None:
    segments(f"neurons_{name}", say(f"neurons.{name}"), labels, value, into(name))


def _map(units: Units, sparse: Sparsity) -> None:
    focus, shown = units.focus, units.shown
    st.caption(focus.shape(units.address))

    def picked(row: int, unit: int | None) -> None:
        if unit is None:
            pick(focus, row)
        else:
            state.update(token=(focus.side, row), feature=unit, address=units.address)

    with st.container(key="vectors_main"):
        neuron_map(
            "neuron_map",
            focus.words,
            units.activation[:, shown],
            shown,
            [(float(each), format_percent(float(each))) for each in sparse.active[units.layer]],
            (focus.position, units.unit),
            sequential("feed_forward", focus.look.dark),
            _map_texts(units),
            focus.look,
            picked,
        )
    silent, width = sparse.silent[units.layer], sparse.width
    with st.container(key="vectors_note"):
        st.caption(say("neurons.legend", silent=silent, width=width, shown=len(shown)))


def _map_texts(units: Units) -> MapTexts:
    order = units.focus.now.terms
    return MapTexts(
        label=say("neurons.title"),
        rows=say(f"vectors.rows_{units.focus.stack}"),
        columns=say(f"neurons.columns_{order}", count=len(units.shown)),
        shares=say("neurons.shares"),
        hover=say("neurons.hover"),
    )


def _most_active(units: Units) -> None:
    focus, digits = units.focus, units.focus.look.precision
    st.markdown(f"**{say('neurons.best')}**")
    rows = [
        Row(
            key=each.index,
            texts=(
                say("neurons.unit", unit=each.index + 1),
                format_number(each.activation, digits),
                format_number(each.push, digits),
            ),
            values=(None, each.activation, each.push),
            chosen=each.index == units.unit,
        )
        for each in units.best
    ]
    ends = [max((getattr(each, name) for each in units.best), default=0.0) or 1.0
            for name in ("activation", "push")]  # fmt: skip
    columns = [
        Column("", "auto"),
        Column(say("neurons.activation"), "1fr", end=ends[0], colour="feed_forward"),
        Column(say("neurons.push"), "1fr", end=ends[1], help=say("neurons.push_help")),
    ]

    def picked(unit: int) -> None:
        state.update(token=(focus.side, focus.position), feature=unit, address=units.address)

    bar_table("neurons_best", columns, rows, focus.look, picked)


def _promoted(units: Units) -> None:
    """What one unit fires on, and the words that its row of W₂ speaks for and against."""
    focus, unit = units.focus, units.unit
    fired = firings(focus.trace, focus.stack, units.layer, unit, FIRED)
    words = say("neurons.comma").join(
        f"{literal(visible(focus.words.labels[each.position]))}"
        f" {format_number(each.activation, focus.look.precision)}"
        for each in fired
        if each.activation > 0
    )
    with st.container(horizontal=True, vertical_alignment="center", key="neurons_unit"):
        st.markdown(f"**{say('neurons.unit', unit=unit + 1)}**", width="content")
        trail.open_button(units.address, (0, focus.position, unit), "neurons_trail")
    with st.container(key="neurons_fired"):
        st.caption(say("neurons.fires", words=words) if words else say("neurons.never"))
    found = promoted(focus.trace, focus.model, focus.stack, units.layer, unit, WORDS)
    end = max(*(abs(each.value) for each in (*found.up, *found.down)), found.chance) * 1.02
    columns = [
        Column(say(f"neurons.says_{found.scale}"), "minmax(4rem, auto)"),
        Column("", "1fr", end=end, signed=True, mark=found.chance),
    ]
    bar_table("neurons_words", columns, _word_rows(units, (*found.up, *found.down[::-1])),
              focus.look)  # fmt: skip
    with st.container(key="neurons_reading"):
        st.caption(reading(units, found))


def _word_rows(units: Units, words: Sequence[Word]) -> list[Row]:
    digits = units.focus.look.precision
    return [
        Row(key=at, texts=(visible(each.token), format_number(each.value, digits)),
            values=(None, each.value))
        for at, each in enumerate(words)
    ]  # fmt: skip


def reading(units: Units, found: Promoted) -> str:
    """How far these words may be believed: chance finds some in any direction."""
    chance = format_number(found.chance, units.focus.look.precision)
    if found.scale == "cosine":
        return say("neurons.reading_cosine", chance=chance)
    stands_out = "out" if found.stands_out else "not"
    last = units.layer == units.focus.trace.config.decoder_layers - 1
    where = say("neurons.last" if last else "neurons.inner")
    gap = "" if state.get_state().language == "zh" else " "
    return say(f"neurons.reading_{stands_out}", chance=chance) + gap + where
