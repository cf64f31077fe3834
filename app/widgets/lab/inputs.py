"""What is typed into the benches: the good inputs in the link, those being typed in the session.

A link holds, by bench, what is no original and has been computed. The session's draft may make no
sense yet; it counts as long as the link still says what it said when the draft was typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app import state

Inputs = dict[str, Any]


def linked(key: str) -> Inputs:
    """The inputs of a bench in the link."""
    return {name: listed(value) for name, value in _all().get(key, {}).items()}


def typed(key: str) -> Inputs:
    """What is in the inputs of a bench that is no original."""
    basis, values = _draft(key)
    return dict(values) if basis == linked(key) else linked(key)


def is_draft(key: str) -> bool:
    """Whether the reader has typed it here; else it came with a link."""
    return _draft(key)[0] == linked(key)


def draft(key: str, values: Mapping[str, Any], renew: bool = False) -> None:
    """Take what was typed; `renew` where the inputs in the browser shall show it."""
    if renew:
        _renew(key)
    state.keep(f"lab_draft_{key}", (linked(key), dict(values)))


def remember(key: str, values: Mapping[str, Any], originals: Mapping[str, Any]) -> None:
    """Put good inputs into the link."""
    other = {name: value for name, value in values.items() if value != originals[name]}
    if other != linked(key):
        others = {name: given for name, given in _all().items() if name != key}
        fixed = {name: _frozen(value) for name, value in other.items()}
        state.update(inputs=state.sections_text({**others, key: fixed}))
    elif not is_draft(key):  # another link, the browser's back button
        _renew(key)
    draft(key, other)


def refuse(key: str) -> None:
    """Leave out what a link has for a bench, and say so."""
    others = {name: given for name, given in _all().items() if name != key}
    state.drop("inputs", "", inputs=state.sections_text(others))
    st.rerun()


def stamp(key: str) -> int:
    """Another one means that the inputs in the browser are old."""
    number: int = state.kept(f"lab_stamp_{key}", 0)
    return number


def _all() -> state.Sections:
    return state.sections(state.get_state().inputs)


def _draft(key: str) -> tuple[Inputs, Inputs]:
    """What the link said when it was typed, and what was typed."""
    found: tuple[Inputs, Inputs] = state.kept(f"lab_draft_{key}", ({}, {}))
    return found


def _renew(key: str) -> None:
    state.keep(f"lab_stamp_{key}", stamp(key) + 1)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def listed(value: Any) -> Any:
    """The tuples of a link as the lists of the browser."""
    return list(map(listed, value)) if isinstance(value, tuple) else value
