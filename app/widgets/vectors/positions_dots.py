"""Dot products between positions: only how far apart they are counts."""

from __future__ import annotations

import streamlit as st

from app.figures.labels import format_number
from app.figures.position_dots import DotTexts, dots_figure
from app.figures.position_formulas import dot_formula
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.text import literal
from app.widgets.vectors.positions_focus import Focus, pick_two
from app.widgets.vectors.positions_table import number_table
from app.words import say
from core.reading.position_relations import by_offset, nearness

CHART = "positions_dots"


def picture(focus: Focus) -> None:
    """Draw the matrix and the curve; a click chooses two positions."""
    table = focus.table(focus.length)
    st.markdown(f"**{say('positions.dots_title')}**")
    st.caption(say("positions.dots_legend"))
    texts = DotTexts(
        distance=say("positions.axis_distance"),
        dot=say("positions.axis_dot"),
        position=say("positions.axis_positions"),
        alone=say("positions.dots_alone"),
    )
    dots, lines = nearness(table).dots, by_offset(table)
    figure = dots_figure(dots, lines, focus.tokens, focus.two, texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_dots", rows=len(table)), fill=True)
    st.caption(say("positions.dots_note"))

    def clicked(click: Click) -> None:
        if click.curve == 0:
            pick_two(focus, int(click.y), int(click.x))

    plotly_clicks([CHART], clicked, key="positions")


def says(focus: Focus) -> None:
    """The formula, the pair in focus, and every pair that is as far apart."""
    table, look = focus.table(focus.length), focus.look
    first, second = focus.two
    offset = abs(first - second)
    near, lines = nearness(table), by_offset(table)
    same = focus.variant in ("paper", "halves")
    st.markdown(say("positions.dots_why" if same else "positions.dots_why_not"))
    if same:
        st.latex(dot_formula(look))
    words = {"first": literal(focus.word(first)), "second": literal(focus.word(second))}
    st.markdown(say("positions.two", offset=offset, **words, i=first, j=second))
    written = [
        (say("positions.dot_here"), near.dots[first, second]),
        (say("positions.distance_here"), near.distances[first, second]),
        (say("positions.dot_least"), lines.least[offset]),
        (say("positions.dot_most"), lines.most[offset]),
        (say("positions.dot_self"), lines.mean[0]),
    ]
    number_table([(name, [format_number(float(each), look.precision)]) for name, each in written])
    spread = format_number(lines.spread, look.precision)
    said = say("positions.spread" if same else "positions.spread_not", spread=spread)
    st.markdown(said)
