"""The residual streams of two runs: how far apart their words' vectors are."""

import math

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.depth_grid import Cells, depth_grid, shares_colours
from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.pages.vectors.stream.figures import beside_norms
from glassformer.app.pages.vectors.stream.panel import cosine_text, stream_columns, stream_ticks
from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.wording import line_label, titles
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Side
from glassformer.core.analysis.residual_stream import Apart, compare_streams


def show(pair: Pair) -> None:
    """How far apart the vectors of all words are, and beside it how long in the mean."""
    focus = VectorsFocus.current()
    found = compare_streams((pair.first, pair.second), focus.stack, pair.kind == "experiment")
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall"):
        st.markdown(f"**{say('beside.stream_title')}** · {focus.stack_name}")
        _grid(pair, focus, found)
        steps, first = say(f"beside.steps_{pair.kind}"), say(f"beside.base_{pair.kind}")
        st.caption(say("beside.stream_note", steps=steps, first=first))
    with right.container(gap="xsmall"):
        st.markdown(f"**{say('beside.stream_norms')}**")
        figure = beside_norms(found.means, titles(pair), stream_ticks(found.states), focus.look)
        show_chart(figure, "beside_norms", say("beside.stream_alt"))
        st.caption(say("beside.stream_norms_note"))


def _grid(pair: Pair, focus: VectorsFocus, found: Apart) -> None:
    labels = tuple(line_label(found.words, None, at) for at in range(len(found.words)))
    words = Side(labels, frozenset()), found.words.places[triple.anchor_run(pair)].tolist()
    with box("fill tall", "vectors_main"):
        depth_grid(
            "beside_stream_grid", focus, found.states, _cells(found, focus),
            say("beside.stream_title"), say("beside.stream_hover"), stream_columns(found.states),
            words,
        )  # fmt: skip


def _cells(found: Apart, focus: VectorsFocus) -> Cells:
    """A cell a word and place: how far the vector moved against its length, and its turn."""
    ratios, cosines = found.ratio.T, found.cosine.T  # (T, N)
    most = float(np.max(ratios, where=np.isfinite(ratios), initial=0.0)) or 1.0
    none = say("beside.words_none")

    def ratio(number: float) -> str:
        return none if math.isnan(number) else focus.number(number)

    def turn(number: float) -> str:
        return "" if math.isnan(number) else f"cos {cosine_text(number)}"

    return Cells(
        colours=shares_colours(np.nan_to_num(ratios, nan=0.0) / most, "changed", focus.look),
        main=[list(map(ratio, row)) for row in ratios],
        sub=[list(map(turn, row)) for row in cosines],
    )
