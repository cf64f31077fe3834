"""Middle: the head in focus, large, as a matrix or as lines."""

from functools import partial

import numpy as np
import streamlit as st

from app.panels.attention.attention_lines import Line, attention_lines, lines_data
from app.panels.attention.attention_map import CELLS, MapLayout, map_figure, numbered_axes
from app.panels.attention.focus import AttentionFocus, head_name, pin
from app.panels.attention.heads import show_title
from app.panels.context import counted
from app.plots.colours import head_colour
from app.session import store
from app.session.state import STAGES, VIEWS
from app.ui.chart import Click, show_chart
from app.ui.layout import box
from app.ui.pick import choice, into
from app.words import say
from core.analysis.attention_views import head_map, largest_cell, partner

# What the column has at 1440 × 900, also with larger type; they decide how words are written.
HEIGHT = 530
WIDTH = 640


def show(focus: AttentionFocus) -> None:
    """Draw the switches and the picture."""
    matrix = focus.now.view == "matrix"
    with st.container(
        key="attention_switches", horizontal=True, horizontal_alignment="distribute", gap="small"
    ):
        stage, view = focus.now.stage, focus.now.view
        looks = {"disabled": not matrix}
        choice("attention_stage", "attention.stage", STAGES, stage, into("stage"), **looks)
        choice("attention_view", "attention.view", VIEWS, view, into("view"))
    head = None if focus.now.view == "heads" else focus.now.head
    with st.container(key="attention_title", gap=None):
        show_title(focus.kind, focus.now.layer, head, focus.name)
    if matrix:
        _show_matrix(focus)
    else:
        _show_lines(focus)


def _show_matrix(focus: AttentionFocus) -> None:
    look, apart = focus.look, focus.now.sinks == "apart"
    layout = MapLayout(focus.cell, apart, WIDTH, HEIGHT)
    figure = map_figure(focus.view, focus.sides, focus.stage, look, layout)
    name = focus.address.replace("/", "_")
    with box("fill tall", "attention_picture"):
        show_chart(figure, "attention_large", alt(focus), name, fill=True, clicked=clicked)

    def take() -> None:
        store.update(sinks="apart" if store.widget_value("attention_sinks") else "counted")

    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.caption(mask_note(focus), width="content")
        st.toggle(
            say("attention.sinks"),
            key=store.bind("attention_sinks", apart),
            help=say("attention.sinks_help"),
            on_change=take,
        )
    with box("rows-2 scroll", "attention_words"):
        numbered = numbered_axes(focus.sides, look, layout)[1]
        words = focus.sides[1].tokens
        note = counted(words) if numbered else say("attention.spread_note")
        st.caption(f"{focus.shape(focus.address)}  \n{note}")


def mask_note(focus: AttentionFocus) -> str:
    """What the mask does to this picture, in a sentence."""
    allowed = focus.view.allowed
    if allowed.all():
        return say("attention.open")
    if focus.stage in ("masked", "weights"):
        return say("attention.hatched")
    return say("attention.later", count=int((~allowed).sum()), all=allowed.size)


def clicked(click: Click) -> None:
    """Pin the cell that was clicked; the bars beside the cells are no cells."""
    if click.curve in CELLS:
        pin(int(click.y), int(click.x))


def _show_lines(focus: AttentionFocus) -> None:
    now, look = focus.now, focus.look
    if now.view == "heads":
        lines: dict[int | None, Line] = {
            at: Line(head_name(now.layer, at), head_colour(at, look.dark))
            for at in range(focus.trace.config.n_heads)
        }
    else:
        lines = {now.head: Line(focus.name, look.colour("weights"))}
    weights = [head_map(focus.trace, focus.kind, now.layer, at, "weights").weights for at in lines]

    titles, heads = (say("attention.query"), say("attention.key")), [*lines.values()]
    data = lines_data(np.stack(weights), focus.sides, heads, focus.pinned, titles, look)
    with box("fill tall", "attention_picture"):
        attention_lines(data, partial(pin_word, focus))
    st.caption(f"{focus.shape(focus.address)} · {say('attention.lines_note')}")


def pin_word(focus: AttentionFocus, side: str, place: int) -> None:
    """Pin a word: a query with the key it looks at most; then a click on a key chooses that."""
    weights = focus.view.weights
    if side == "query" and focus.now.query == place:
        store.update(query=None, key=None)
    elif side == "query":
        store.update(query=place, key=partner(weights, query=place))
    elif focus.pinned:
        store.update(key=place)
    else:
        store.update(query=partner(weights, key=place), key=place)


def alt(focus: AttentionFocus) -> str:
    """The picture of one head in a sentence, for screen readers."""
    query, key = largest_cell(focus.view.weights)
    return say(
        "attention.alt",
        name=focus.name,
        stage=say(f"attention.stage_{focus.stage}"),
        rows=len(focus.sides[0].tokens),
        columns=len(focus.sides[1].tokens),
        query=focus.row_in_words(query),
        word=focus.sides[1].labels[key],
    )
