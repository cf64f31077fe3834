"""The Attention page for two runs: all heads of each and of the difference, one of them large."""

from typing import cast

import streamlit as st

from glassformer.app.panels.attention.focus import AttentionFocus, head_name
from glassformer.app.panels.attention.heads import focus_on_head, grid_texts, map_title, thumbnails
from glassformer.app.panels.compare import largest, pickers, triple
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.panels.compare.triple import Matrix
from glassformer.app.plots.labels import format_number
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.components.head_grid import Thumbnail, grid_data, head_grid
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import (
    Kind,
    Overview,
    attention_at,
    attention_overview,
)
from glassformer.core.analysis.comparison import differences
from glassformer.core.trace.trace import Trace

LAYOUT = TripleLayout(width=1040, height=540)
KEY = "beside_attention"
SHARE = 0.7  # of the size that thumbnails have where there is one grid


def show(pair: Pair) -> None:
    """Draw the three grids on the left, the triple of the head in focus on the right."""
    now = store.get_state()
    largest.show(pair, "beside", largest.jump_to_difference)
    left, right = st.columns([1, 3.2], gap="medium")
    with left, box("fill scroll note", "beside_grids", gap="xsmall"):
        _grids(pair, cast(Kind, now.kind))
    with right, st.container(gap="xsmall"):
        with pickers.picker_row("attention"):
            pickers.pick_attention(pair.first, KEY)
            pickers.pick_stage(pair.first, KEY)
        stage = pickers.stage_in_view(pair.first, now)
        asked = Matrix(
            f"{attention_at(cast(Kind, now.kind), now.layer)}/{stage}",
            pins={"head": now.head or 0},
            mean=now.head is None,
        )
        title = f"{head_name(now.layer, now.head)} · {map_title(cast(Kind, now.kind))}"
        triple.show(pair, asked, KEY, title, LAYOUT)


def _grids(pair: Pair, kind: Kind) -> None:
    runs = (pair.first, pair.second)
    for run, trace in enumerate(runs):
        st.markdown(f"**{say(f'beside.grid_{pair.kind}_{run}')}**")
        _grid(trace, attention_overview(trace, kind), f"beside_grid_{run}")
    steps, most = differences(runs, kind, pair.kind == "experiment")
    largest = format_number(most, store.get_state().precision)
    title, legend = say("beside.difference"), say("beside.grid_difference", largest=largest)
    st.markdown(f"**{title}** · :small[{legend}]")
    _grid(pair.first, steps, "beside_grid_difference", signed=True)


def _grid(trace: Trace, view: Overview, key: str, signed: bool = False) -> None:
    now = store.get_state()
    focus = AttentionFocus(now.changed(order="place"), trace, current_look())
    items = thumbnails(focus)
    if signed:  # without what the head does in one of the runs
        items = [Thumbnail(e.layer, e.head, e.name, e.short, title=e.name) for e in items]
    place, texts, look = (now.layer, now.head), grid_texts(focus), focus.look
    head_grid(grid_data(view, items, place, texts, look, signed, SHARE), look, focus_on_head, key)
