"""Left: what to learn from, how large the model is, how long it learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import state
from app.widgets.workshop.form import (
    DROPOUTS,
    HEADS,
    HIDDEN,
    LAST_SEED,
    LAYERS,
    PRESETS,
    RATES,
    SOURCES,
    STEPS,
    WIDTHS,
    Form,
    change,
    preset,
    preset_of,
    take,
)
from app.words import say


def show(form: Form, fixed: bool) -> None:
    """Draw the form; `fixed` while a run goes by it."""
    _preset(form, fixed)
    sources = {name: say(f"workshop.source_{name}") for name in SOURCES}
    _choice("source", SOURCES, form.source, sources, fixed)
    columns = st.columns(2, gap="small")
    with columns[0]:
        _select("d_model", WIDTHS, form.d_model, fixed)
        _choice("n_heads", HEADS, form.n_heads, _numbers(HEADS), fixed)
        _number("steps", form.steps, STEPS, 100, fixed)
        _select("rate", RATES, form.rate, fixed, "× {:g}")
    with columns[1]:
        _select("d_ff", HIDDEN, form.d_ff, fixed)
        _choice("layers", LAYERS, form.layers, _numbers(LAYERS), fixed)
        _number("seed", form.seed, (0, LAST_SEED), 1, fixed)
        _select("dropout", DROPOUTS, form.dropout, fixed, "{:g}")


def _preset(form: Form, fixed: bool) -> None:
    def picked() -> None:
        chosen = state.widget_value("workshop_preset")
        if chosen in PRESETS:
            take(preset(chosen))

    labels = {name: say(f"workshop.preset_{name}") for name in PRESETS}
    st.segmented_control(
        say("workshop.preset"),
        tuple(PRESETS),
        key=state.bind("workshop_preset", preset_of(form)),
        format_func=labels.__getitem__,
        help=say("workshop.preset_help"),
        disabled=fixed,
        on_change=picked,
        width="stretch",
    )


def _taker(name: str) -> Callable[[], None]:
    def take() -> None:
        value = state.widget_value(f"workshop_{name}")
        if value is not None:
            change(**{name: value})

    return take


def _shared(name: str, value: Any, fixed: bool) -> dict[str, Any]:
    return {
        "label": say(f"workshop.{name}"),
        "key": state.bind(f"workshop_{name}", value),
        "help": say(f"workshop.{name}_help"),
        "disabled": fixed,
        "on_change": _taker(name),
    }


def _numbers(options: Sequence[int]) -> dict[Any, str]:
    return {option: str(option) for option in options}


def _choice(
    name: str, options: Sequence[Any], value: Any, labels: Mapping[Any, str], fixed: bool
) -> None:
    st.segmented_control(
        options=options,
        format_func=labels.__getitem__,
        required=True,
        width="stretch",
        **_shared(name, value, fixed),
    )


def _select(
    name: str, options: Sequence[float], value: float, fixed: bool, form: str = "{}"
) -> None:
    labels = {option: form.format(option) for option in options}
    st.selectbox(options=options, format_func=labels.__getitem__, **_shared(name, value, fixed))


def _number(name: str, value: int, limits: tuple[int, int], step: int, fixed: bool) -> None:
    st.number_input(
        min_value=limits[0], max_value=limits[1], step=step, **_shared(name, value, fixed)
    )
