"""Pickers bound to a value of the state: its options as segments side by side, or as a menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app.session import store


def segments(
    widget: str,
    label: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[Any], object],
    bare: bool = True,
    **looks: Any,
) -> None:
    """Draw a segment for each option, one of which is always chosen; `take` gets what is picked.

    labels: option -> its words. bare: the label is for screen readers alone.
    looks: further arguments of `st.segmented_control`.
    """
    st.segmented_control(**_bound(widget, label, labels, value, take, bare), required=True, **looks)


def menu(
    widget: str,
    label: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[Any], object],
    bare: bool = True,
    **looks: Any,
) -> None:
    """Draw the options as a list that opens; arguments as of `segments`, for `st.selectbox`."""
    st.selectbox(**_bound(widget, label, labels, value, take, bare), **looks)


def small_button(sign: str, name: str, about: str, act: Callable[[], None]) -> None:
    """Draw a button of one sign; about: what it does, shown on hover."""
    st.button(sign, key=f"widget_{name}", type="tertiary", help=about, on_click=act)


def into(field: str) -> Callable[[Any], object]:
    """Takes what is picked into a field of the state."""
    return lambda picked: store.update(**{field: picked})


def _bound(
    widget: str,
    label: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[Any], object],
    bare: bool,
) -> dict[str, Any]:
    return {
        "label": label,
        "options": tuple(labels),
        "key": store.bind(widget, value),
        "format_func": labels.__getitem__,
        "on_change": lambda: take(store.widget_value(widget)),
        "label_visibility": "collapsed" if bare else "visible",
    }
