"""The residual stream: how long each word's vector is along depth, where it points, what is added.

Left all words at every place; right the word in focus, what each sub-layer adds to its vector.
"""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.depth_grid import Cells, depth_grid, signed_colours
from glassformer.app.pages.vectors.focus import (
    VectorsFocus,
    pick_word,
    show_word,
    state_name,
    trail_line,
)
from glassformer.app.pages.vectors.stream.figures import MOST_TICKS, norms_figure
from glassformer.app.panels import provenance
from glassformer.app.plots.labels import MINUS, visible
from glassformer.app.ui.chart import Click, show_chart
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.residual_stream import (
    EQUATIONS,
    Addition,
    Depth,
    additions,
    stream_depth,
)
from glassformer.core.trace.graph import StreamState


def show() -> None:
    """Draw the grid of all words, and the word in focus beside it."""
    focus = VectorsFocus.current()
    found = stream_depth(focus.trace, focus.stack)
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall", key="stream_left"):
        _grid(focus, found)
    with right.container(gap="xsmall", key="stream_right"):
        show_word(focus)
        _norms(focus, found)
        _added(focus, additions(focus.trace, focus.stack))


def _grid(focus: VectorsFocus, found: Depth) -> None:
    at = focus.place(found.states)
    st.markdown(f"**{say('stream.title')}** · {focus.stack_name}")
    st.caption(f"{state_name(found.states[at])} · {focus.shape(found.states[at].address)}")
    with box("fill tall", "vectors_main"):
        depth_grid(
            "stream_grid", focus, found.states, _cells(found, focus), say("stream.title"),
            say("stream.hover"), stream_columns(found.states),
        )  # fmt: skip
    with box("rows-2 note", "vectors_note"):
        st.caption(say("stream.legend", longest=focus.number(_longest(found))))
    trail_line(focus, found.states[at].address, "stream_trail")


def stream_columns(places: Sequence[StreamState]) -> list[tuple[str, str]]:
    """What stands above each place: its layer, and what the vectors have just passed."""
    layers = ["" if each.layer is None else each.layer + 1 for each in places]
    return [
        (say("stream.layer", layer=layer) if layer else "", say(f"stream.states.{each.part}"))
        for layer, each in zip(layers, places, strict=True)
    ]


def _cells(found: Depth, focus: VectorsFocus) -> Cells:
    """A cell a word and place: an arrow as long as the vector, turned as far as from the end."""
    lengths, cosines = found.lengths.T, found.to_final.T  # (T, N)
    longest = _longest(found) or 1.0
    return Cells(
        colours=signed_colours(cosines, 1.0, focus.look),
        main=[[focus.number(each) for each in row] for row in lengths],
        sub=[[f"cos {cosine_text(each)}" for each in row] for row in cosines],
        arrows=[
            [(_sent(length / longest), _sent(cosine)) for length, cosine in zip(*rows, strict=True)]
            for rows in zip(lengths.tolist(), cosines.tolist(), strict=True)
        ],
    )


def _longest(found: Depth) -> float:
    """The length of the longest vector, of those that have numbers."""
    return float(np.max(found.lengths, where=np.isfinite(found.lengths), initial=0.0))


def _sent(number: float) -> float | None:
    """A number for the browser, where NaN is no JSON: such a vector points nowhere."""
    return round(number, 4) if math.isfinite(number) else None


def cosine_text(number: float) -> str:
    """With as many decimals everywhere: they stand below each other."""
    if math.isnan(number):
        return "NaN"
    return f"{number:.2f}".replace("-0.00", "0.00").replace("-", MINUS)


def _norms(focus: VectorsFocus, found: Depth) -> None:
    labels = [visible(label) for label in focus.words.labels]
    figure = norms_figure(found, labels, focus.position, stream_ticks(found.states), focus.look)

    def clicked(click: Click) -> None:
        if click.custom is not None:
            pick_word(focus, int(click.custom))

    alt = say("stream.alt_norms", token=labels[focus.position])
    show_chart(figure, "stream_norms", alt, clicked=clicked)


def stream_ticks(places: Sequence[StreamState]) -> list[str]:
    """The names below the chart: all of them, or the ends of layers where there are many."""
    if len(places) <= MOST_TICKS:
        return [say(f"stream.short_{each.part}", layer=(each.layer or 0) + 1) for each in places]
    return [
        say("stream.short_layer", layer=each.layer + 1)
        if each.layer is not None and each.part == "feed_forward"
        else ""
        for each in places
    ]


def _added(focus: VectorsFocus, found: Sequence[Addition]) -> None:
    st.markdown(f"**{say('stream.added')}** ${EQUATIONS[focus.trace.config.norm_place]}$")

    def picked(key: int) -> None:
        address = f"{found[key].address}_residual/summed"
        provenance.open_trail(address, focus.cell(address))

    columns = _added_columns(found, focus.position)
    rows = [_added_row(focus, at, each) for at, each in enumerate(found)]
    with box("fill scroll low", "vectors_table"):
        bar_table("stream_added", columns, rows, picked)
    st.caption(say(f"stream.note_{focus.trace.config.norm_place}"))


def _added_columns(found: Sequence[Addition], at: int) -> list[Column]:
    end = max((float(each.added[at]) for each in found), default=0.0) or 1.0
    return [
        Column(say("stream.sublayer"), "auto"),
        Column("‖x‖", "auto", help=say("stream.help_stream")),
        Column("‖f(x)‖", "minmax(5.5rem, 1fr)", end=end, help=say("stream.help_added")),
        Column("f(x) / x", "auto", help=say("stream.help_ratio")),
        Column(say("stream.with_stream"), "auto", help=say("stream.help_cosine")),
        Column(say("stream.with_final"), "auto", help=say("stream.help_final")),
    ]


def _added_row(focus: VectorsFocus, key: int, each: Addition) -> Row:
    at = focus.position
    return Row(
        key=key,
        texts=(
            say(f"stream.short_{each.part}", layer=each.layer + 1),
            focus.number(each.stream[at]),
            focus.number(each.added[at]),
            f"{focus.number(each.ratio[at])}×",
            cosine_text(each.cosine[at]),
            cosine_text(each.to_final[at]),
        ),
        values=(None, None, float(each.added[at]), None, None, None),
        title=say("stream.open", address=f"{each.address}_residual/summed"),
    )
