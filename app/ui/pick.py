"""Pickers bound to a value of the state: its options as segments side by side, or as a menu."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.session import store
from glassformer.app.ui.kept import call_latest, keep
from glassformer.app.words import say


def _pick(
    draw: Callable[..., object],
    widget: str,
    label: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[Any], object],
    bare: bool = True,
    **looks: Any,
) -> None:
    """Draw the options, one of which is always chosen; `take` gets what is picked.

    labels: option -> its words. bare: the label is for screen readers alone.
    looks: further arguments of the widget of Streamlit, `draw`.
    """
    taken, shown, options = call_latest(widget, take), store.memory().picked, tuple(labels)

    def changed() -> None:
        # Of a picker that was kept (kept.py) Streamlit may have forgotten what it showed: then it
        # calls this for what stands there, or for a word that was an option in another language.
        picked = store.widget_value(widget)
        if picked in labels and picked != shown.get(widget):
            shown[widget] = picked
            taken(picked)

    def show() -> None:
        shown[widget] = value
        default: dict[str, Any] = {"default": value}
        if draw is st.selectbox:
            default = {"index": options.index(value) if value in options else 0}
        draw(
            label,
            options,
            **store.bind(widget, value, **default),
            format_func=labels.__getitem__,
            on_change=changed,
            label_visibility="collapsed" if bare else "visible",
            **looks,
        )

    keep(f"pick {widget}", show, draw, label, *labels.items(), value, bare, *looks.items())


segments = partial(_pick, st.segmented_control, required=True)  # side by side
menu = partial(_pick, st.selectbox)  # as a list that opens


def draw_choice(
    widget: str, key: str, options: Iterable[str], value: str, take: Callable[[Any], object],
    **looks: Any,
) -> None:  # fmt: skip
    """Segments in the words of the TOML: `key` names them, `<key>_<option>` each option."""
    labels = {option: say(f"{key}_{option}") for option in options}
    segments(widget, say(key), labels, value, take, **looks)


def small_button(sign: str, name: str, about: str, act: Callable[[], None]) -> None:
    """Draw a button of one sign; about: what it does, shown on hover."""
    called = call_latest(f"button {name}", act)
    key = f"widget_{name}"
    show = partial(st.button, sign, key=key, type="tertiary", help=about, on_click=called)
    keep(key, show, sign, about)


def set_field(field: str) -> Callable[[Any], None]:
    """Takes what is picked into a field of the state."""
    return lambda picked: store.update(**{field: picked})
