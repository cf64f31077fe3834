"""The left side: everything this run recorded, as a tree."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.theme import Look
from app.widgets.address_tree import Line, address_tree
from app.widgets.tensors.written import format_bytes, numbers_line, places, short_shape
from app.words import say
from core.reading.measure import Entry, Measure, overview
from core.trace.trace import Trace

FIRST = "encoder/0/self_attention/weights"


def picked(trace: Trace) -> str:
    """The address on screen; attention weights before the reader picks."""
    address = state.get_state().address or FIRST
    return address if address in trace else next(iter(trace))


def show(trace: Trace, look: Look) -> None:
    """Draw the tree under the memory that the whole run takes."""
    entries = entries_of(trace)
    st.markdown(
        say("tensors.total", count=len(entries), memory=format_bytes(trace.nbytes)),
        help=say("tensors.total_help"),
    )
    roles = {entry.site.role for entry in entries}
    texts = {
        "tree": say("tensors.tree"),
        "search": say("tensors.search"),
        "nothing": say("tensors.nothing"),
        "shared": say("tensors.shared"),
        "legend": say("tensors.legend"),
    }
    with st.container(key="tensors_tree"):
        address_tree(
            [_line(entry, look.precision) for entry in entries],
            places([entry.address for entry in entries]),
            picked(trace),
            pick,
            {role: look.colour(role) for role in sorted(roles)},
            texts,
        )


def pick(address: str) -> None:
    """Show another tensor: with its own axes, the pins kept where they fit."""
    state.update(address=address, axes=None)


def entries_of(trace: Trace) -> tuple[Entry, ...]:
    """The numbers of every address, measured once for each run that this session looks at."""
    of_trace, kept = state.kept("overview", (None, ()))
    entries: tuple[Entry, ...] = kept if of_trace is trace else overview(trace)
    if of_trace is not trace:
        state.keep("overview", (trace, entries))
    return entries


def measure_of(trace: Trace, address: str) -> Measure:
    """The statistics of one tensor."""
    return next(entry.measure for entry in entries_of(trace) if entry.address == address)


def _line(entry: Entry, digits: int) -> Line:
    site = entry.site
    return Line(
        address=entry.address,
        words=say(f"sites.{site.group}.{site.name}"),
        shape=short_shape(entry.shape),
        numbers=numbers_line(entry.measure, digits),
        memory=format_bytes(entry.nbytes),
        spark=entry.spark,
        role=site.role,
        shared=entry.shared,
    )
