"""The sidebar: how numbers and type are shown, what runs where, what it takes."""

from __future__ import annotations

import streamlit as st

from app import service, state
from app.widgets.pick import into, segments
from app.words import say
from core.errors import GlassformerError
from core.trace.trace import Trace

SIZES = (100, 125, 150)
PRECISIONS = (2, 3, 4, 5, 6)


def show(trace: Trace | None) -> None:
    """Draw the sidebar; it is closed until the reader opens it."""
    now = state.get_state()
    with st.sidebar:
        st.subheader(say("settings.title"))
        _select("precision", PRECISIONS, now.precision, "{}")
        _select("size", SIZES, now.size, "{}%")
        st.caption(say("settings.size_help"))
        if trace is not None:
            _facts(trace)
        st.caption(say("frame.counting"))


def _select(name: str, options: tuple[int, ...], value: int, label: str) -> None:
    # A link may hold a value between those offered here.
    labels = {offered: label.format(offered) for offered in sorted({*options, value})}
    segments(name, say(f"settings.{name}"), labels, value, into(name), bare=False)


def _facts(trace: Trace) -> None:
    try:
        model = service.plain_model()
    except GlassformerError:
        return
    parameters = sum(weight.numel() for weight in model.transformer.parameters())
    facts = (
        ("device", str(model.device)),
        ("parameters", f"{parameters:,}"),
        ("trace", megabytes(trace.nbytes)),
        ("traces", megabytes(service.trace_bytes())),
    )
    lines = [f"{say(f'settings.{name}')} · **{value}**" for name, value in facts]
    st.markdown("  \n".join(lines), help=say("settings.trace_help"))


def megabytes(size: int) -> str:
    """A number of bytes as "1.4 MB"."""
    return f"{size / 1e6:.1f} MB"
