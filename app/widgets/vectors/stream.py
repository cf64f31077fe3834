"""The residual stream: how long each word's vector is along depth, where it points, what is added.

Left all words at every place; right the word in focus, what each sub-layer adds to its vector.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from app.figures.cell_colours import signed_colours
from app.figures.labels import MINUS, format_number, visible
from app.figures.stream_norms import MOST_TICKS, norms_figure
from app.widgets import trail
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.vectors.focus import Focus, pick, show_word, state_name, trail_line
from app.widgets.vectors.parts.bar_table import Column, Row, bar_table
from app.widgets.vectors.parts.depth_grid import Cells, GridTexts, depth_grid
from app.words import say
from core.reading.residual_stream import EQUATIONS, Addition, Depth, State, additions, depth

HEIGHT = 240
CHART = "stream_norms"


def show() -> None:
    """Draw the grid of all words, and the word in focus beside it."""
    focus = Focus.current()
    found = depth(focus.trace, focus.stack)
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall", key="stream_left"):
        _grid(focus, found)
    with right.container(gap="xsmall", key="stream_right"):
        show_word(focus)
        _norms(focus, found)
        _added(focus, additions(focus.trace, focus.stack))


def _grid(focus: Focus, found: Depth) -> None:
    at = focus.place(found.states)
    st.markdown(f"**{say('stream.title')}** · {say(f'vectors.stack_{focus.stack}')}")
    st.caption(f"{state_name(found.states[at])} · {focus.shape(found.states[at].address)}")
    texts = GridTexts(
        label=say("stream.title"),
        rows=say(f"vectors.rows_{focus.stack}"),
        hover=say("stream.hover"),
        columns=columns(found.states),
    )

    def picked(row: int, column: int | None) -> None:
        pick(focus, row, "" if column is None else found.states[column].address)

    with st.container(key="vectors_main"):
        cells = stream_cells(found, focus)
        depth_grid(
            "stream_grid", focus.words, cells, (focus.position, at), texts, focus.look, picked
        )
    longest = format_number(_longest(found), focus.look.precision)
    with st.container(key="vectors_note"):
        st.caption(say("stream.legend", longest=longest))
    trail_line(focus, found.states[at].address, "stream_trail")


def columns(places: Sequence[State]) -> list[tuple[str, str]]:
    """What stands above each place: its layer, and what the vectors have just passed."""
    layers = ["" if each.layer is None else each.layer + 1 for each in places]
    return [
        (say("stream.layer", layer=layer) if layer else "", say(f"stream.states.{each.part}"))
        for layer, each in zip(layers, places, strict=True)
    ]


def stream_cells(found: Depth, focus: Focus) -> Cells:
    """A cell a word and place: an arrow as long as the vector, turned as far as from the end."""
    digits = focus.look.precision
    lengths, cosines = found.lengths.T, found.to_final.T  # (T, N)
    longest = _longest(found) or 1.0
    return Cells(
        colours=signed_colours(cosines, 1.0, focus.look),
        main=[[format_number(float(each), digits) for each in row] for row in lengths],
        sub=[[f"cos {_cosine(float(each))}" for each in row] for row in cosines],
        arrows=[
            [(_sent(float(each) / longest), _sent(float(cosine))) for each, cosine in pair]
            for pair in (zip(*rows, strict=True) for rows in zip(lengths, cosines, strict=True))
        ],
    )


def _longest(found: Depth) -> float:
    """The length of the longest vector, of those that have numbers."""
    known = found.lengths[np.isfinite(found.lengths)]
    return float(known.max()) if len(known) else 0.0


def _sent(number: float) -> float | None:
    """A number for the browser, where NaN is no JSON: such a vector points nowhere."""
    return round(number, 4) if math.isfinite(number) else None


def _cosine(number: float) -> str:
    """With as many decimals everywhere: they stand below each other."""
    if math.isnan(number):
        return "NaN"
    written = f"{number:.2f}".replace("-0.00", "0.00")
    return written.replace("-", MINUS)


def _norms(focus: Focus, found: Depth) -> None:
    labels = [visible(label) for label in focus.words.labels]
    figure = norms_figure(
        found,
        labels,
        focus.position,
        ticks(found.states),
        say("stream.norms"),
        focus.look,
        focus.look.px(HEIGHT),
    )
    show_chart(figure, CHART, say("stream.alt_norms", token=labels[focus.position]))

    def clicked(click: Click) -> None:
        if click.custom is not None:
            pick(focus, int(click.custom))

    plotly_clicks([CHART], clicked, key="stream")


def ticks(places: Sequence[State]) -> list[str]:
    """The names below the chart: all of them, or the ends of layers where there are many."""
    if len(places) <= MOST_TICKS:
        return [say(f"stream.short_{each.part}", layer=(each.layer or 0) + 1) for each in places]
    return [
        say("stream.short_layer", layer=each.layer + 1)
        if each.layer is not None and each.part == "feed_forward"
        else ""
        for each in places
    ]


def _added(focus: Focus, found: Sequence[Addition]) -> None:
    st.markdown(f"**{say('stream.added')}** ${EQUATIONS[focus.trace.config.norm_place]}$")

    def picked(key: int) -> None:
        address = f"{found[key].address}_residual/summed"
        trail.open_trail(address, focus.cell(address))

    with st.container(key="vectors_table"):
        bar_table(
            "stream_added",
            _added_columns(found, focus.position),
            [_added_row(focus, at, each) for at, each in enumerate(found)],
            focus.look,
            picked,
        )
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


def _added_row(focus: Focus, key: int, each: Addition) -> Row:
    at, digits = focus.position, focus.look.precision
    part = say(f"stream.short_{each.part}", layer=each.layer + 1)
    numbers = (float(each.stream[at]), float(each.added[at]))
    length, added = (format_number(number, digits) for number in numbers)
    cosine, final = (_cosine(float(values[at])) for values in (each.cosine, each.to_final))
    share = f"{format_number(float(each.ratio[at]), digits)}×"
    return Row(
        key=key,
        texts=(part, length, added, share, cosine, final),
        values=(None, None, numbers[1], None, None, None),
        title=say("stream.open", address=f"{each.address}_residual/summed"),
    )
