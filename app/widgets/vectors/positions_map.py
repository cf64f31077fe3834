"""The encoding as a picture: a row a position, a column a feature."""

from __future__ import annotations

import streamlit as st

from app.figures.labels import format_number
from app.figures.position_formulas import column_formula, encoding_formula
from app.figures.position_map import MapTexts, map_figure
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.text import literal
from app.widgets.trail import open_button
from app.widgets.vectors.positions_focus import Focus, pick
from app.words import say
from core.reading.positions import column

CHART = "positions_map"


def picture(focus: Focus) -> None:
    """Draw the heat map; a click chooses a word and a feature."""
    table = focus.table(focus.length)
    st.markdown(f"**{say('positions.map_title')}**")
    shape = say("positions.shape", rows=len(table), columns=focus.width)
    address = f"`{focus.side}/positions` · " if focus.is_own else ""
    st.caption(f"{address}{shape}")
    texts = MapTexts(
        position=say("positions.axis_position"),
        feature=say("positions.axis_feature"),
        end=say("positions.end"),
    )
    figure = map_figure(table, focus.tokens, (focus.place, focus.feature), texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_map", rows=len(table)), fill=True)
    st.caption(say("positions.map_note"))

    def clicked(click: Click) -> None:
        pick(focus, int(click.y), int(click.x) - 1)

    plotly_clicks([CHART], clicked, key="positions")


def says(focus: Focus) -> None:
    """The formula, and the chosen cell by it."""
    place, feature, look = focus.place, focus.feature, focus.look
    st.markdown(say("positions.map_why" if focus.variant else "positions.learned_why"))
    value = float(focus.table(len(focus.tokens))[place, feature])
    if focus.variant:
        st.latex(encoding_formula(focus.variant, look))
    word = literal(focus.word(place))
    where = {"place": place, "feature": feature + 1, "column": feature}
    st.markdown(say("positions.cell", word=word, **where))
    if focus.variant:
        wave = column(focus.width, feature, focus.variant)
        st.latex(column_formula(wave, place, value, look))
        st.markdown(say("positions.wave", length=format_number(wave.wavelength, look.precision)))
    if focus.is_own:
        address = f"{focus.side}/positions"
        recorded = format_number(float(focus.trace[address][place, feature]), look.precision)
        st.markdown(say("positions.recorded", value=recorded))
        open_button(address, (place, feature), "positions_trail")
    else:
        st.markdown(say("positions.not_added"))
