"""The pickers of an attention: kind, layer, head, stage. They move the focus of all pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import streamlit as st

from app import state
from app.words import say
from core.reading.attention_views import Kind, layers_of
from core.trace.trace import Trace

MOST_SIDE_BY_SIDE = 7  # layers or heads; more are a list


def stages(key: str) -> None:
    """Scores, scaled, masked or weights."""
    _segments(key, "stage", state.STAGES)


def kinds(key: str) -> None:
    """Encoder, decoder or cross."""
    _segments(key, "kind", state.KINDS)


def layers(count: int, now: int, take: Callable[[int], None], key: str) -> None:
    """One of so many layers."""
    _numbers("layer", {at: str(at + 1) for at in range(count)}, now, take, key)


def heads(trace: Trace, now: int | None, take: Callable[[int | None], None], key: str) -> None:
    """A head, or the mean of them all."""
    labels = {-1: say("beside.mean")}
    labels |= {at: str(at + 1) for at in range(trace.config.n_heads)}

    def took(chosen: int) -> None:
        take(None if chosen < 0 else chosen)

    _numbers("head", labels, -1 if now is None else now, took, key)


def focused(trace: Trace, key: str) -> None:
    """Kind, layer and head of the attention in focus."""
    now = state.get_state()
    kinds(key)
    count = layers_of(trace, cast(Kind, now.kind))
    layers(count, now.layer, lambda layer: _update(layer=layer), key)
    heads(trace, now.head, lambda head: _update(head=head), key)


def row(key: str) -> Any:
    """A line of pickers, each behind its label."""
    st.html(Path(__file__).with_name("pickers.css"))
    return st.container(horizontal=True, gap="small", key=f"beside_pickers_{key}")


def _update(**changes: Any) -> None:
    state.update(**changes)


def _numbers(
    name: str, labels: dict[int, str], now: int, take: Callable[[int], None], key: str
) -> None:
    widget = f"{key}_{name}"
    draw: Callable[..., Any] = st.segmented_control
    more: dict[str, Any] = {"required": True}
    if len(labels) > MOST_SIDE_BY_SIDE:
        draw, more = st.selectbox, {"width": 110}
    draw(
        say(f"beside.{name}"),
        tuple(labels),
        key=state.bind(widget, now),
        format_func=labels.__getitem__,
        on_change=lambda: take(state.widget_value(widget)),
        **more,
    )


def _segments(key: str, name: str, options: tuple[str, ...]) -> None:
    labels = {each: say(f"attention.{name}_{each}") for each in options}

    def take() -> None:
        state.update(**{name: state.widget_value(f"{key}_{name}")})

    st.segmented_control(
        say(f"attention.{name}"),
        options,
        key=state.bind(f"{key}_{name}", getattr(state.get_state(), name)),
        format_func=labels.__getitem__,
        required=True,
        on_change=take,
        label_visibility="collapsed",
    )
