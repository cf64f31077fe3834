"""The settings of all strategies in one line."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import state
from app.words import say
from core.decoding.beam import STRONGEST, WIDEST

LAST_SEED = 999_999
HOTTEST = 3.0  # of the slider, unless the link is hotter


def show(now: state.State) -> None:
    """Draw them; each change redraws all rows that it concerns."""
    with st.container(key="strategies_controls"):
        places = st.columns([1.25, 1.0, 1.25, 1.0, 0.85, 0.85, 0.85], vertical_alignment="bottom")
        with places[0]:
            st.slider(
                say("strategies.temperature"), 0.0, max(HOTTEST, now.temperature), step=0.1,
                help=say("strategies.temperature_help"), **_bound("temperature", now),
            )  # fmt: skip
        with places[1]:
            _number("top_k", now, 0, 50_000, 1, say("strategies.top_k_help"))
        with places[2]:
            st.slider(
                say("strategies.top_p"), 0.0, 1.0, step=0.01, help=say("strategies.top_p_help"),
                **_bound("top_p", now),
            )  # fmt: skip
        with places[3]:
            _number("seed", now, 0, LAST_SEED, 1, say("strategies.seed_help"))
        with places[4]:
            st.button(
                say("strategies.again"), key="strategies_again", icon=":material/casino:",
                help=say("strategies.again_help"), on_click=_again, width="stretch",
            )  # fmt: skip
        with places[5]:
            _number("beams", now, 1, WIDEST, 1, say("beam.beams_help"))
        with places[6]:
            _number("alpha", now, 0.0, STRONGEST, 0.1, say(f"beam.alpha_help_{now.rule}"))


def _number(name: str, now: state.State, low: Any, high: Any, step: Any, about: str) -> None:
    st.number_input(
        say(f"strategies.{name}"), low, high, step=step, help=about, **_bound(name, now)
    )


def _bound(name: str, now: state.State) -> dict[str, Any]:
    """Key and callback of a widget that has a field of the state."""

    def take() -> None:
        value = state.widget_value(f"strategies_{name}")
        if value is not None:
            state.update(**{name: value})

    return {"key": state.bind(f"strategies_{name}", getattr(now, name)), "on_change": take}


def _again() -> None:
    state.update(seed=(state.get_state().seed + 1) % (LAST_SEED + 1))
