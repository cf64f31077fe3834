"""One matrix of both runs and their difference, as a panel with its title and what to know."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st

from glassformer.app.panels.compare.figures.triple import triple_figure
from glassformer.app.panels.compare.figures.triple_layout import (
    CELLS,
    Frame,
    TripleLayout,
    has_room,
)
from glassformer.app.panels.compare.wording import (
    cell_in_words,
    change_in_words,
    largest_in_words,
    line_label,
    titles,
)
from glassformer.app.panels.context import numbered_words
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.session.state import State
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.comparison import (
    Beside,
    compare_tensor,
    fit_cells,
    largest_lines,
    pick_lines,
)
from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.trace import Trace

MOST_CELLS = 4800  # with all numbers of the hover the figure stays below 256 KB
MOST_COVERED = 3300  # the same with what lies over cells that are no numbers
LARGEST = 24  # words of the vocabulary


@dataclass(frozen=True)
class Matrix:
    """Which matrix: an address, its axes, where the others are held, or the mean of the heads."""

    address: str
    names: tuple[str, str] | None = None
    pins: Mapping[str, int] = field(default_factory=dict)
    mean: bool = False
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)  # lines of long axes, by name


def anchor_run(pair: Pair) -> Literal[0, 1]:
    """Which of the two the state's places count in: the run that is on screen without the other."""
    return 0 if on_screen.trace_on_screen() is pair.first else 1


def compare_matrix(pair: Pair, asked: Matrix) -> Beside | None:
    """The matrix of both runs, as large as a screen has room for; None where one has none."""
    runs = pair.first, pair.second
    if any(asked.address not in trace for trace in runs):
        return None
    found = compare_tensor(
        runs,
        asked.address,
        asked.names,
        asked.pins,
        anchor_run(pair),
        by_place=pair.kind == "experiment",
        mean=asked.mean,
    )
    if asked.parts:  # of a long axis
        edges = (found.rows, found.columns)
        rows, columns = (asked.parts.get(each.name, np.arange(len(each))) for each in edges)
        found = pick_lines(found, rows, columns)
    if "vocabulary" in (found.rows.name, found.columns.name) and "vocabulary" not in asked.parts:
        found = largest_lines(found, LARGEST)
    plain = all(said.all() for said in found.said) and not found.broken
    return fit_cells(found, MOST_CELLS if plain else MOST_COVERED)


def show(
    pair: Pair, asked: Matrix, key: str, title: str, layout: TripleLayout, plain: bool = False
) -> None:
    """Draw the panel over the height of its place; `plain`: there is no second run yet."""
    if title:
        with st.container(key=f"{key}_title", gap=None):
            st.markdown(f"**{title}**")
            st.caption(shape_line(pair, asked.address))
    found = compare_matrix(pair, asked)
    if found is None:
        st.info(say("beside.missing", address=asked.address))
        return
    placed = replace(layout, pinned=pinned_lines(pair, found, store.get_state()))
    kind = "named" if pair.names is not None else pair.kind
    frame = Frame(found, titles(pair), kind, current_look(), placed, plain)
    if not plain and not layout.in_a_row:
        frame = replace(frame, said=describe_framed_cell(frame))
    if not has_room(frame):
        frame = replace(frame, said=())
    first, second = frame.titles
    alt = say("beside.alt", first=first, second=second, what=title or asked.address)
    name, go = asked.address.replace("/", "_"), partial(pin_clicked, pair, found)
    with box("fill tall", f"{key}_picture"):
        show_chart(triple_figure(frame), key, alt, name, fill=True, clicked=go)
    with box("rows-2 scroll note", f"{key}_notes"):
        st.caption(" ".join(reading_notes(frame)) or " ")


def shape_line(pair: Pair, address: str) -> str:
    """Address, axes and sizes; both sizes where they differ."""
    sizes = [
        " × ".join(map(str, trace[address].shape))
        for trace in (pair.first, pair.second)
        if address in trace
    ]
    named = " × ".join(shape_letters(address))
    more = say("beside.also", sizes=sizes[1]) if sizes[1:] and sizes[1] != sizes[0] else ""
    return say("beside.shape", address=address, letters=named, sizes=sizes[0]) + more


def reading_notes(frame: Frame) -> list[str]:
    """What the reader must know to read the pictures, as markdown.

    The largest difference is said here where it does not stand beside the pictures.
    """
    parts, found, layout = [], frame.found, frame.layout
    if not frame.said and not frame.plain:
        both = describe_framed_cell(frame), largest_in_words(found, frame.look.precision)
        for said in both[: 2 if layout.pinned else 1]:
            head, *rest = map(literal, said)
            parts.append(f"**{head}** {' · '.join(rest)} " if rest else head)
    if any((there & ~free).any() for there, free in zip(found.there, found.allowed, strict=True)):
        parts.append(say("beside.note_hatched"))
    if any(edge.alone(run) for edge in (found.rows, found.columns) for run in (0, 1)):
        parts.append(say("beside.note_grey"))
    if found.broken:
        parts.append(say("beside.note_broken", count=found.broken))
    for edge in (found.rows, found.columns):
        if edge.step > 1:
            axis = say(f"axes.{edge.name}")
            parts.append(say("beside.note_pooled", step=edge.step, axis=axis))
    if layout.in_a_row and layout.pinned is None and not frame.plain:
        parts.append(say("beside.note_pin"))
    if frame.numbered:
        words = numbered_words(
            [line_label(found.columns, None, at) for at in range(len(found.columns))]
        )
        parts.append(say("beside.note_words", axis=frame.axis_words[1], words=words))
    return parts


def describe_framed_cell(frame: Frame) -> list[str]:
    """The framed cell in words and numbers, or the one with the largest difference."""
    found, digits = frame.found, frame.look.precision
    row, column = frame.layout.pinned or (None, None)
    if row is None or column is None or not found.compared[row, column]:
        return largest_in_words(found, digits)
    return [
        say("beside.framed"),
        cell_in_words(found, row, column),
        change_in_words(found, row, column, digits),
    ]


def pinned_lines(pair: Pair, found: Beside, now: State) -> tuple[int | None, int | None] | None:
    """The lines of what is pinned: a cell of an attention map, or a word."""
    own, at = anchor_run(pair), Address.of(found.address)
    row = column = None
    if (found.rows.name, found.columns.name, at.kind) == ("query", "key", now.kind):
        row, column = found.rows.line_of(own, now.query), found.columns.line_of(own, now.key)
        row = row if column is not None else None
    elif found.rows.name == "position" and now.token and now.token[0] == at.side:
        row = found.rows.line_of(own, now.token[1])
    return None if row is None else (row, column)


def pin_clicked(pair: Pair, found: Beside, click: Click) -> None:
    """Pin the cell, or the word of the row; what is pinned is released."""
    row, column, own = int(click.y), int(click.x), anchor_run(pair)
    if click.curve not in CELLS or row >= len(found.rows) or column >= len(found.columns):
        return
    now, at = store.get_state(), int(found.rows.places[own][row])
    if at < 0:
        return  # a word of the other run: no place of the state stands for it
    if found.rows.name == "query" and found.columns.name == "key":
        key = int(found.columns.places[own][column])
        kind = Address.of(found.address).kind
        held = (now.kind, now.query, now.key) == (kind, at, key)
        if key >= 0:
            store.update(kind=kind, query=None if held else at, key=None if held else key)
    elif found.rows.name == "position":
        token = Address.of(found.address).side, at
        store.update(token=None if now.token == token else token)


def plain_pair(trace: Trace) -> Pair:
    """A run beside itself, for a panel that waits for the second one."""
    return Pair("experiment", trace, trace)
