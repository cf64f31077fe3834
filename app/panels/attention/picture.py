"""Middle: the head in focus, large, as a matrix or as lines."""

from functools import partial

import numpy as np
import streamlit as st

from glassformer.app.panels.attention.attention_lines import Line, attention_lines, lines_data
from glassformer.app.panels.attention.attention_map import (
    CELLS,
    MapLayout,
    map_figure,
    numbered_axes,
)
from glassformer.app.panels.attention.focus import (
    WINDOW,
    AttentionFocus,
    head_name,
    piece_starts,
    pin_cell,
)
from glassformer.app.panels.attention.heads import show_title
from glassformer.app.panels.compare.pickers import stage_in_view
from glassformer.app.panels.context import numbered_words
from glassformer.app.plots.colours import head_colour
from glassformer.app.session import store
from glassformer.app.session.state import VIEWS
from glassformer.app.ui.chart import Click, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import (
    LONG,
    HeadMap,
    Side,
    head_map,
    largest_cell,
    part_of,
    stages_of,
    strongest_partner,
)

# What the column has at 1440 × 900, also with larger type; they decide how words are written.
HEIGHT = 530
WIDTH = 640
AXES = ("query", "key")


def show(focus: AttentionFocus) -> None:
    """Draw the switches and the picture."""
    matrix = focus.now.view == "matrix"
    with st.container(
        key="attention_switches", horizontal=True, horizontal_alignment="distribute", gap="small"
    ):
        view, looks = focus.now.view, {"disabled": not matrix}
        stage, offered = stage_in_view(focus.trace, focus.now), stages_of(focus.trace, focus.kind)
        draw_choice(
            "attention_stage", "attention.stage", offered, stage, set_field("stage"), **looks
        )
        draw_choice("attention_view", "attention.view", VIEWS, view, set_field("view"))
    _windows(focus)
    head = None if focus.now.view == "heads" else focus.now.head
    with st.container(key="attention_title", gap=None):
        show_title(focus.kind, focus.now.layer, head, focus.name)
    if matrix:
        _show_matrix(focus)
    else:
        _show_lines(focus)


def _windows(focus: AttentionFocus) -> None:
    """Draw the two lists of pieces of a long text, for the rows and for the columns."""
    if max(len(side.tokens) for side in focus.sides) <= LONG:
        return
    with box("dense inline", "attention_windows", horizontal=True, gap="small"):
        for axis, side, shown in zip(AXES, focus.sides, focus.window, strict=True):
            length = len(side.tokens)
            labels = {at: f"{at + 1}–{min(at + WINDOW, length)}" for at in piece_starts(length)}
            label = say(f"attention.window_{axis}", length=length)
            menu(f"attention_{axis}", label, labels, shown.start, partial(_move, axis), bare=False)


def _move(axis: str, start: int) -> None:
    """Look at another piece of a long text."""
    others = tuple(each for each in store.get_state().part if each[0] != axis)
    store.update(part=(*others, (axis, start)))


def map_on_screen(
    focus: AttentionFocus,
) -> tuple[HeadMap, tuple[Side, Side], tuple[int, int] | None]:
    """What is drawn of a map: its numbers, its words, and where its cell in focus is there."""
    (rows, columns), (query, key) = focus.window, focus.cell
    down, across = focus.sides
    both = down.part(rows), across.part(columns)
    inside = query in rows and key in columns
    cell = (query - rows.start, key - columns.start) if inside else None
    return part_of(focus.view, rows, columns), both, cell


def draw_map(focus: AttentionFocus) -> None:
    """Draw the matrix alone."""
    view, sides, cell = map_on_screen(focus)
    show_chart(
        map_figure(view, sides, focus.stage, focus.look, _map_layout(focus, cell)),
        "attention_large",
        head_in_words(focus),
        focus.address.replace("/", "_"),
        fill=True,
        clicked=partial(pin_clicked_cell, rows=sides[0].first, columns=sides[1].first),
    )


def _map_layout(focus: AttentionFocus, cell: tuple[int, int] | None) -> MapLayout:
    return MapLayout(cell, focus.now.sinks == "apart", WIDTH, HEIGHT)


def _show_matrix(focus: AttentionFocus) -> None:
    _, sides, cell = map_on_screen(focus)
    with box("fill tall", "attention_picture"):
        draw_map(focus)

    def take() -> None:
        store.update(sinks="apart" if store.widget_value("attention_sinks") else "counted")

    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.caption(mask_note(focus), width="content")
        st.toggle(
            say("attention.sinks"),
            **store.bind("attention_sinks", focus.now.sinks == "apart"),
            help=say("attention.sinks_help"),
            on_change=take,
        )
    with box("rows-2 scroll", "attention_words"):
        numbered = numbered_axes(sides, focus.look, _map_layout(focus, cell))[1]
        words, first = sides[1].tokens, sides[1].first + 1
        note = numbered_words(words, first) if numbered else say("attention.spread_note")
        st.caption(f"{focus.shape(focus.address)}  \n{note}")


def mask_note(focus: AttentionFocus) -> str:
    """What the mask does to this picture, in a sentence."""
    allowed = focus.view.allowed
    if allowed.all():
        return say("attention.open")
    if focus.stage in ("masked", "weights"):
        return say("attention.hatched")
    return say("attention.later", count=int((~allowed).sum()), all=allowed.size)


def pin_clicked_cell(click: Click, rows: int = 0, columns: int = 0) -> None:
    """Pin the cell that was clicked; the bars beside the cells are no cells.

    rows, columns: where the part of the map that is drawn begins.
    """
    if click.curve in CELLS:
        pin_cell(rows + int(click.y), columns + int(click.x))


def _show_lines(focus: AttentionFocus) -> None:
    with box("fill tall", "attention_picture"):
        draw_lines(focus)
    st.caption(f"{focus.shape(focus.address)} · {say('attention.lines_note')}")


def draw_lines(focus: AttentionFocus) -> None:
    """Draw the lines alone, of the head in focus or of every head."""
    now, look = focus.now, focus.look
    if now.view == "heads":
        lines: dict[int | None, Line] = {
            at: Line(head_name(now.layer, at), head_colour(at, look.dark))
            for at in range(focus.config.n_heads)
        }
    else:
        lines = {now.head: Line(focus.name, look.colour("weights"))}
    (rows, columns), (_, sides, cell) = focus.window, map_on_screen(focus)
    weights = [
        head_map(focus.trace, focus.kind, now.layer, at, "weights").weights[
            rows.start : rows.stop, columns.start : columns.stop
        ]
        for at in lines
    ]

    titles, heads = (say("attention.query"), say("attention.key")), [*lines.values()]
    pinned = cell if focus.pinned else None
    data = lines_data(np.stack(weights), sides, heads, pinned, titles, look)
    attention_lines(data, partial(pin_word, focus))


def pin_word(focus: AttentionFocus, side: str, place: int) -> None:
    """Pin a word: a query with the key it looks at most; then a click on a key chooses that."""
    weights = focus.view.weights
    place += focus.window[0 if side == "query" else 1].start
    if side == "query" and focus.now.query == place:
        store.update(query=None, key=None)
    elif side == "query":
        store.update(query=place, key=strongest_partner(weights, query=place))
    elif focus.pinned:
        store.update(key=place)
    else:
        store.update(query=strongest_partner(weights, key=place), key=place)


def head_in_words(focus: AttentionFocus) -> str:
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
