"""What the picked tensor is: in words, as a formula, by its address."""

from __future__ import annotations

import streamlit as st

from app.figures.theme import Look
from app.widgets.tensors.written import format_bytes, named_shape, place
from app.words import say
from core.reading.equations import equation
from core.trace.sites import Site
from core.trace.trace import Trace


def show(trace: Trace, address: str, look: Look) -> None:
    """Draw the title, the equation, and the line in small type."""
    site, tensor = trace.site(address), trace[address]
    tex = equation(trace.config, address)
    words = say(f"sites.{site.group}.{site.name}")
    where, shape = place(address), named_shape(trace.axes(address))
    size = format_bytes(tensor.numel() * tensor.element_size())
    kind = str(tensor.dtype).removeprefix("torch.")
    about = " · ".join(part for part in (where, shape, kind, size) if part)
    with st.container(key="tensors_title", gap=None):
        st.markdown(
            f"#### {symbol(site, tex, look)} {words} &emsp; ${tex}$\n:small[`{address}` {about}]"
        )


def symbol(site: Site, tex: str, look: Look) -> str:
    """The symbol in the colour of its role, as math in markdown; "" where it is the equation."""
    if site.symbol == tex:
        return ""
    return rf"$\textcolor{{{look.colour(site.role)}}}{{{site.symbol}}}$"
