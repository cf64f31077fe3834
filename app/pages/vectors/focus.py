"""What the panels of the Vectors page share: stack, word in focus, place along depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Self, SupportsFloat, cast

import numpy as np
import streamlit as st

from glassformer.app.panels import provenance
from glassformer.app.panels.context import PanelContext
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, Side, attention_sides
from glassformer.core.analysis.choices import blanks
from glassformer.core.analysis.vectors import row_at, side_of
from glassformer.core.trace.graph import Stack, StreamState


@dataclass(frozen=True)
class VectorsFocus(PanelContext):
    """One stack of the run on screen, and the word of it that is in focus."""

    stack: Stack

    @classmethod
    def current(cls, stack: Stack | None = None) -> Self:
        """The focus of this session; in the state's stack unless one is given."""
        now = store.get_state()
        return cls(
            now, on_screen.trace_on_screen(), current_look(), stack or cast(Stack, now.stack)
        )

    @property
    def side(self) -> str:
        """`source` or `target`, as in the state's token."""
        return side_of(self.stack)

    @cached_property
    def words(self) -> Side:
        """The words of the stack; those of the decoder with what each row writes."""
        return attention_sides(self.trace, cast(Kind, self.stack))[0]

    @cached_property
    def position(self) -> int:
        """The word in focus: the pinned one, or the same example as on the other pages."""
        if self.now.token is None and (empty := blanks(self.trace)):
            return empty[0]
        return self.places.source if self.stack == "encoder" else self.places.target

    def cell(self, address: str) -> tuple[int, int, int]:
        """One number of the word's vector there: the chosen feature, or the largest one."""
        row = row_at(self.trace, address, self.position)
        feature = self.now.feature
        if feature is None or feature >= len(row):
            feature = int(np.abs(row).argmax())
        return 0, self.position, feature

    def place(self, places: Sequence[StreamState]) -> int:
        """Which state is in focus: the one whose tensor was clicked last, or the last one."""
        addresses = [each.address for each in places]
        if self.now.address in addresses:
            return addresses.index(self.now.address)
        return len(addresses) - 1

    def number(self, value: SupportsFloat) -> str:
        """A number to the reader's digits."""
        return self.look.number(value)


def pick_word(focus: VectorsFocus, position: int, address: str = "") -> None:
    """Choose a word everywhere in the app, and a tensor; chosen again, the word is released."""
    now = store.get_state()
    token = (focus.side, position)
    if now.token == token and address in ("", now.address):
        store.update(token=None)
    elif address:
        store.update(token=token, address=address)
    else:
        store.update(token=token)


def state_name(place: StreamState) -> str:
    """A place along depth in words: "Layer 1 · feed-forward"."""
    name = say(f"stream.states.{place.part}")
    if place.layer is None:
        return name
    return say("stream.at", layer=say("stream.layer", layer=place.layer + 1), part=name)


def show_word(focus: VectorsFocus) -> None:
    """Which word is in focus, and why."""
    label = focus.words.labels[focus.position]
    colour = focus.look.colour("data")
    pinned = focus.now.token is not None and focus.now.token[0] == focus.side
    why = say("vectors.pinned" if pinned else "vectors.example")
    place = say("vectors.position", position=focus.position + 1)
    st.html(
        f'<div class="vectors-word"><b style="color:{colour}">{escape(visible(label))}</b>'
        f" <span>{escape(place)} · {escape(why)}</span></div>"
    )


def trail_line(focus: VectorsFocus, address: str, key: str) -> None:
    """One number of the word's vector at an address, and the button that unfolds it."""
    cell = focus.cell(address)
    value = focus.number(focus.trace[address][cell])
    with st.container(key=f"{key}_line", horizontal=True, vertical_alignment="center"):
        st.caption(say("vectors.number", feature=cell[2] + 1, value=value), width="content")
        provenance.open_button(address, cell, key)
