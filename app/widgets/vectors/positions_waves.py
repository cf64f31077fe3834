"""Pairs of features as waves: which of them tell neighbours apart, which far places."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import state
from app.figures.labels import format_number
from app.figures.position_formulas import wavelength_formula
from app.figures.position_waves import Pair, WaveTexts, waves_figure
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.text import literal
from app.widgets.vectors.positions_focus import Focus, pick
from app.words import say
from core.reading.positions import Table, column, pairs

CHART = "positions_waves"
FINEST = 600  # points of a smooth line


def picture(focus: Focus) -> None:
    """Draw the chosen pair large and three others for comparison; a click chooses a word."""
    table = focus.table(focus.length)
    rows = [_pair(focus, at, table) for at in shown_pairs(focus)]
    st.markdown(f"**{say('positions.waves_title')}**")
    st.caption(say("positions.waves_legend"))
    texts = WaveTexts(
        position=say("positions.axis_position"),
        feature=say("positions.axis_feature"),
        sine=say("positions.sine" if focus.variant else "positions.first"),
        cosine=say("positions.cosine" if focus.variant else "positions.second"),
    )
    figure = waves_figure(rows, focus.tokens, focus.place, texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_waves"), fill=True)
    st.caption(say("positions.waves_note"))
    features = [feature for row in rows for feature in row.features]

    def clicked(click: Click) -> None:
        pick(focus, round(click.x), features[click.curve // 2])

    plotly_clicks([CHART], clicked, key="positions")


def shown_pairs(focus: Focus) -> tuple[int, ...]:
    """The pair in focus, then a fast, a middle and a slow one."""
    last = focus.width // 2 - 1
    others = dict.fromkeys((0, last // 4, last // 2, last))
    return (focus.pair, *[each for each in others if each != focus.pair][:3])


def says(focus: Focus) -> None:
    """The pair in focus: its picker, its speed, its two numbers at the word in focus."""
    look, place = focus.look, focus.place
    st.markdown(say("positions.waves_why" if focus.variant else "positions.learned_why"))
    show_pair_slider(focus)
    sine, cosine = focus.features
    if focus.variant:
        waves = [column(focus.width, each, focus.variant) for each in (sine, cosine)]
        st.latex(wavelength_formula(waves[0], look))
        written = [format_number(each.wavelength, look.precision) for each in waves]
        if written[0] == written[1]:
            st.markdown(say("positions.pair_wave", length=written[0]))
        else:
            st.markdown(say("positions.pair_waves", sine=written[0], cosine=written[1]))
    row = focus.table(len(focus.tokens))[place]
    values = {"first": float(row[sine]), "second": float(row[cosine])}
    written_values = {name: format_number(each, look.precision) for name, each in values.items()}
    word = literal(focus.word(place))
    st.markdown(say("positions.pair_at", word=word, place=place, **written_values))


def show_pair_slider(focus: Focus) -> None:
    """The picker of a pair; the feature in focus is its sine."""
    places = pairs(focus.width, focus.variant or "paper")

    def take() -> None:
        chosen = int(state.widget_value("positions_pair")) - 1
        state.update(feature=int(places[chosen, 0]))

    sine, cosine = focus.features
    st.slider(
        say("positions.pair_pick", first=sine + 1, second=cosine + 1),
        1,
        len(places),
        key=state.bind("positions_pair", focus.pair + 1),
        on_change=take,
    )


def _pair(focus: Focus, at: int, table: Table) -> Pair:
    sine, cosine = (int(each) for each in pairs(focus.width, focus.variant or "paper")[at])
    features = (sine, cosine)
    values = table[:, [sine, cosine]]
    title = say("positions.pair_name", pair=at + 1, first=sine + 1, second=cosine + 1)
    if focus.variant is None:
        return Pair(title, features, None, values)
    waves = [column(focus.width, each, focus.variant) for each in features]
    places = np.linspace(-0.4, len(table) - 0.6, FINEST)
    smooth = (places, waves[0].at(places), waves[1].at(places))
    length = format_number(waves[0].wavelength, focus.look.precision)
    return Pair(say("positions.pair_title", name=title, length=length), features, smooth, values)
