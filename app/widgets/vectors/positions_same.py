"""One word at two places: the same vector before its position is added, two after."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from app import state
from app.figures.labels import format_number, format_percent, visible
from app.figures.position_formulas import sum_formula
from app.figures.position_same import same_figure
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.text import literal
from app.widgets.trail import open_button
from app.widgets.vectors.positions_focus import Focus, pick, pick_two
from app.widgets.vectors.positions_table import number_table
from app.words import say
from core.reading.placed_words import TwoPlaces, shares, two_places

CHART = "positions_same"
PARTS = ("scaled", "encoding", "input")


def picture(focus: Focus) -> None:
    """Draw word, position and sum of the two places; a click chooses a feature."""
    two = _two(focus)
    names = [name(focus, at) for at in two.positions]
    title = "positions.same_title" if two.same else "positions.other_title"
    st.markdown(f"**{say(title, **_words(focus))}**")
    st.caption(say("positions.same_legend"))
    strips = [
        (say(f"positions.strip_{part}"), getattr(two, part).astype(np.float32), names)
        for part in PARTS
    ]
    texts = (say("positions.axis_feature"), say("positions.value"))
    figure = same_figure(strips, focus.feature, texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_same", **_words(focus, False)), fill=True)
    st.caption(say("positions.same_note"))

    def clicked(click: Click) -> None:
        pick(focus, two.positions[int(click.y)], int(click.x) - 1)

    plotly_clicks([CHART], clicked, key="positions")


def says(focus: Focus) -> None:
    """The two places, how alike their vectors are, and one number of the sum."""
    two, look = _two(focus), focus.look
    _show_places(focus)
    st.markdown(say("positions.same_why" if two.same else "positions.other_why", **_words(focus)))
    rows = [
        (
            say(f"positions.part_{part}"),
            [format_number(each, look.precision) for each in (two.cosines[part], apart)],
        )
        for part, apart in two.distances.items()
    ]
    number_table(rows, (say("positions.cosine_of"), say("positions.distance_of")), marked=2)
    for row, place in enumerate(two.positions):
        _show_sum(focus, two, row, place)
    if focus.is_own:
        index = (0, two.positions[0], focus.feature)
        open_button(f"{focus.side}/input", index, "positions_trail")
        found = shares(focus.trace, focus.stack)
        share = format_percent(float(found.position_share[two.positions[0]]))
        st.markdown(say("positions.share", share=share, **_words(focus)))
    else:
        st.markdown(say("positions.not_added"))


def name(focus: Focus, place: int) -> str:
    """A word with its place, counted from 0 as in the formula."""
    return f"{visible(focus.tokens[place])} · {place}"


def _two(focus: Focus) -> TwoPlaces:
    table = None if focus.is_own else focus.table(len(focus.tokens))
    if focus.own == "none" and not focus.now.formula:
        table = focus.table(len(focus.tokens))
    return two_places(focus.trace, focus.stack, *focus.two, table)


def _words(focus: Focus, markdown: bool = True) -> dict[str, str | int]:
    i, j = focus.two
    write = literal if markdown else str
    return {"first": write(focus.word(i)), "second": write(focus.word(j)), "i": i, "j": j}


def _show_sum(focus: Focus, two: TwoPlaces, row: int, place: int) -> None:
    values = [float(getattr(two, part)[row, focus.feature]) for part in PARTS]
    parts = (values[0], values[1], values[2])
    if all(math.isfinite(each) for each in parts):
        scaled = focus.trace.config.embedding_scale
        st.latex(sum_formula(place, focus.feature, parts, scaled, focus.look))


def _show_places(focus: Focus) -> None:
    """Two pickers of places; words that occur twice on buttons."""
    places = range(len(focus.tokens))
    labels = {at: f"{at} · {literal(focus.word(at))}" for at in places}
    with st.container(key="positions_places", horizontal=True, gap="small"):
        for at, which in enumerate(("first", "second")):
            widget = f"positions_place_{which}"

            def take(at: int = at, widget: str = widget) -> None:
                chosen = int(state.widget_value(widget))
                two = (chosen, focus.two[1]) if at == 0 else (focus.two[0], chosen)
                pick_two(focus, *two)

            st.selectbox(
                say(f"positions.place_{which}"),
                places,
                key=state.bind(widget, focus.two[at]),
                format_func=labels.__getitem__,
                on_change=take,
            )
    found = [each for each in focus.repeated if each.positions[:2] != focus.two]
    for each in found[:1]:
        st.button(
            say("positions.twice", word=literal(visible(each.token))),
            key="positions_twice",
            type="tertiary",
            icon=":material/content_copy:",
            on_click=pick_two,
            args=(focus, *each.positions[:2]),
        )
