"""The picked tensor in words and numbers: title, distribution, statistics, files to take away."""

from collections.abc import Callable
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from glassformer.app.pages.tensors.figures import tensor_histogram
from glassformer.app.panels.address_words import format_bytes, named_shape, place
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis import export
from glassformer.core.analysis.measure import Measure, histogram_at, measure
from glassformer.core.analysis.tensor_slice import Sheet
from glassformer.core.explain.equations import equation
from glassformer.core.trace.sites import Site
from glassformer.core.trace.trace import Trace

ALWAYS = ("count", "least", "most", "mean", "std")
WHERE_ANY = ("masked", "nan", "infinite")
MIMES = {"csv": "text/csv", "npz": "application/zip", "safetensors": "application/octet-stream"}


def show_title(trace: Trace, address: str, look: FigureStyle) -> None:
    """Draw the title, the equation, and the line in small type."""
    site, tensor = trace.site(address), trace[address]
    tex = equation(trace.config, address)
    words = say(site.text_key)
    where, shape = place(address), named_shape(trace.axes(address))
    size = format_bytes(tensor.numel() * tensor.element_size())
    kind = str(tensor.dtype).removeprefix("torch.")
    about = " · ".join(part for part in (where, shape, kind, size) if part)
    with st.container(key="tensors_title", gap=None):
        st.markdown(
            f"#### {coloured_symbol(site, tex, look)} {words} &emsp; ${tex}$\n"
            f":small[`{address}` {about}]"
        )


def coloured_symbol(site: Site, tex: str, look: FigureStyle) -> str:
    """The symbol in the colour of its role, as math in markdown; "" where it is the equation."""
    if site.symbol == tex:
        return ""
    return rf"$\textcolor{{{look.colour(site.role)}}}{{{site.symbol}}}$"


def show(trace: Trace, address: str, sheet: Sheet, whole: Measure, look: FigureStyle) -> None:
    """Draw the histogram of the whole tensor and the table of statistics."""
    st.markdown(f"**{say('tensors.distribution')}**")
    drawn = histogram_at(trace, address)
    words = (say("tensors.value"), say("tensors.how_many"), say("tensors.how_many_log"))
    role = trace.site(address).role
    figure = tensor_histogram(drawn.edges, drawn.counts, role, words, look, height=170)
    show_chart(figure, "tensor_histogram", say("tensors.distribution"), f"{address} histogram")
    with box("rows-9", "tensors_statistics"):
        fills = trace.site(address).name == "masked"
        shown = measure(sheet.values, sheet.allowed if fills else None)
        st.html(statistics_table(whole, shown, look.precision))


def statistics_table(whole: Measure, shown: Measure, digits: int) -> str:
    """The statistics of the tensor and of the part on screen, as HTML."""
    names = [*ALWAYS, *(name for name in WHERE_ANY if getattr(whole, name))]
    heads = (say("tensors.whole"), say("tensors.shown"))
    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr><th scope='row'>{escape(say(f'tensors.stat_{name}'))}</th>"
        f"{_cell(getattr(whole, name), digits)}{_cell(getattr(shown, name), digits)}</tr>"
        for name in names
    )
    return f"<table class='plain statistics'><thead><tr><td></td>{head}</tr></thead>{body}</table>"


def _cell(value: float, digits: int) -> str:
    if isinstance(value, int):
        exact = written = f"{value:,}"
    else:
        exact, written = format_number(value, 9), format_number(value, digits)
        written = "–" if np.isnan(value) else escape(written)
    return f"<td title='{escape(exact)}'>{written}</td>"


def show_downloads(trace: Trace, address: str) -> None:
    """Draw four buttons: the tensor in three formats, and the whole run."""
    sizes, stem = export.file_sizes(trace, address), export.file_stem(address)
    st.markdown(f"**{say('tensors.download')}**", help=say("tensors.download_help"))
    with box("dense small wraps", "tensors_downloads", gap="xsmall"):
        left, right = st.columns(2, gap="xsmall")
        with left:
            _file("csv", f"{stem}.csv", sizes.csv, partial(export.csv_bytes, trace, address))
            file = f"{stem}.safetensors"
            make = partial(export.safetensors_bytes, trace, address)
            _file("safetensors", file, sizes.safetensors, make)
        with right:
            _file("npz", f"{stem}.npz", sizes.npz, partial(export.npz_bytes, trace, address))
            _file("run", "run.safetensors", sizes.whole_run, partial(export.run_bytes, trace))


def _file(kind: str, file_name: str, size: int, make: Callable[[], bytes]) -> None:
    st.download_button(
        f"{say(f'tensors.file_{kind}')} :small[{format_bytes(size)}]",
        data=make,
        file_name=file_name,
        mime=MIMES.get(kind, "application/octet-stream"),
        key=f"download_{kind}",
        help=say(f"tensors.file_{kind}_help", file=file_name),
        on_click="ignore",
        width="stretch",
    )
