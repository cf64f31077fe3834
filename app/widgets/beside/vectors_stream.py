"""The residual stream of two runs: how far apart their vectors are, and how long."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from app.figures.beside_norms import beside_norms
from app.figures.cell_colours import shares_colours
from app.figures.labels import MINUS, format_number
from app.figures.triple_layout import label
from app.service import Pair
from app.widgets.beside.triple import anchor
from app.widgets.beside.wording import titles
from app.widgets.chart import show_chart
from app.widgets.vectors.focus import Focus, pick
from app.widgets.vectors.parts.depth_grid import Cells, GridTexts, depth_grid
from app.widgets.vectors.stream import columns, ticks
from app.words import say
from core.reading.attention_views import Side
from core.reading.beside_stream import Apart, apart

HEIGHT = 440


def show(pair: Pair) -> None:
    """Draw the grid of all words, and the mean lengths beside it."""
    focus = Focus.current()
    found = apart((pair.first, pair.second), focus.stack, pair.kind == "experiment")
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall"):
        st.markdown(f"**{say('beside.stream_title')}** · {say(f'vectors.stack_{focus.stack}')}")
        _grid(pair, focus, found)
        steps, first = say(f"beside.steps_{pair.kind}"), say(f"beside.base_{pair.kind}")
        st.caption(say("beside.stream_note", steps=steps, first=first))
    with right.container(gap="xsmall"):
        st.markdown(f"**{say('beside.stream_norms')}**")
        figure = beside_norms(
            found.means, titles(pair), ticks(found.states), focus.look, focus.look.px(HEIGHT)
        )
        show_chart(figure, "beside_norms", say("beside.stream_alt"))
        st.caption(say("beside.stream_norms_note"))


def _grid(pair: Pair, focus: Focus, found: Apart) -> None:
    own = anchor(pair)
    texts = GridTexts(
        label=say("beside.stream_title"),
        rows=say(f"vectors.rows_{focus.stack}"),
        hover=say("beside.stream_hover"),
        columns=columns(found.states),
    )

    def picked(row: int, column: int | None) -> None:
        at = int(found.words.places[own][row])
        if at >= 0:
            pick(focus, at, "" if column is None else found.states[column].address)

    line = found.words.line_of(own, focus.position) or 0
    with st.container(key="vectors_main"):
        depth_grid(
            "beside_stream_grid",
            Side(
                tuple(label(found.words, None, at) for at in range(len(found.words))), frozenset()
            ),
            cells(found, focus),
            (line, focus.place(found.states)),
            texts,
            focus.look,
            picked,
        )


def cells(found: Apart, focus: Focus) -> Cells:
    """A cell a word and place: how far the vector moved against its length, and its turn."""
    ratios, cosines = found.ratio.T, found.cosine.T  # (T, N)
    finite = ratios[np.isfinite(ratios)]
    most = float(finite.max()) if len(finite) else 0.0
    digits = focus.look.precision
    return Cells(
        colours=shares_colours(
            np.nan_to_num(ratios, nan=0.0) / (most or 1.0), "changed", focus.look
        ),
        main=[[_number(float(each), digits) for each in row] for row in ratios],
        sub=[[_cosine(float(each)) for each in row] for row in cosines],
    )


def _number(ratio: float, digits: int) -> str:
    return say("beside.words_none") if math.isnan(ratio) else format_number(ratio, digits)


def _cosine(number: float) -> str:
    if math.isnan(number):
        return ""
    return "cos " + f"{number:.2f}".replace("-0.00", "0.00").replace("-", MINUS)
