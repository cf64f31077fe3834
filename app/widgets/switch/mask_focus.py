"""Which mask is drawn: that of the attention in focus, and the pickers of the focus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import streamlit as st

from app import service, state
from app.widgets.pick import menu, segments
from app.words import say
from core.edits.attentions import extent
from core.edits.mask_view import MaskView, mask_view
from core.reading.attention_views import Kind, Side, attention_at, layers_of, sides
from core.trace.trace import Trace

ALL = -1  # the picker's value for all heads


@dataclass(frozen=True)
class MaskFocus:
    """The mask of one attention: of one head, or of all heads of the layer.

    trace: the run that the switches act on, also where the plain one is on screen. plain: the run
    without them, whose lengths painted cells must fit.
    """

    now: state.State
    trace: Trace
    plain: Trace

    @staticmethod
    def current() -> MaskFocus:
        """The focus of this session."""
        pair, trace = service.pair(), service.on_screen()
        if pair is not None and pair.kind == "experiment":
            return MaskFocus(state.get_state(), pair.second, pair.first)
        return MaskFocus(state.get_state(), trace, trace)

    @property
    def kind(self) -> Kind:
        """Encoder, decoder or cross: `State` lets nothing else in."""
        return cast(Kind, self.now.kind)

    @property
    def place(self) -> str:
        """The attention, such as `decoder/1/cross_attention`."""
        return attention_at(self.kind, self.now.layer)

    @property
    def heads(self) -> tuple[int, ...]:
        """The head in focus; () for all of them."""
        return () if self.now.head is None else (self.now.head,)

    @property
    def lengths(self) -> tuple[int, int]:
        """Source and target tokens that a mask may have: those on screen and in the plain run."""
        runs = (self.trace, self.plain)
        source = min(len(run.source_tokens) for run in runs)
        return source, min(len(run.target_tokens) for run in runs)

    @property
    def limit(self) -> tuple[int, int]:
        """Rows and columns that can be painted."""
        return self.limit_of(self.place)

    def limit_of(self, place: str) -> tuple[int, int]:
        """The same of another attention."""
        return extent(place, *self.lengths)

    @cached_property
    def view(self) -> MaskView:
        """The mask as it was in the run."""
        return mask_view(self.trace, self.place, self.heads)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The words down and across."""
        return sides(self.trace, self.kind)


def pickers(trace: Trace) -> None:
    """Kind, layer and head, on one line."""
    now = state.get_state()

    def take_kind(kind: Kind) -> None:
        state.update(kind=kind, layer=min(now.layer, layers_of(trace, kind) - 1))

    with st.container(key="mask_pickers", horizontal=True, gap="xsmall"):
        kinds = {kind: say(f"masks.kind_{kind}") for kind in state.KINDS}
        segments("mask_kind", say("masks.kind"), kinds, now.kind, take_kind)
        layers = {
            layer: say("masks.layer_of", layer=layer + 1)
            for layer in range(layers_of(trace, cast(Kind, now.kind)))
        }
        _select("layer", layers, now.layer)
        heads = {head: say("masks.head_of", head=head + 1) for head in range(trace.config.n_heads)}
        _select(
            "head", {ALL: say("masks.head_all"), **heads}, ALL if now.head is None else now.head
        )


def _select(name: str, labels: dict[int, str], chosen: int) -> None:
    def take(value: int) -> None:
        state.update(**{name: None if value == ALL else value})

    menu(f"mask_{name}", say(f"masks.{name}"), labels, chosen, take)
