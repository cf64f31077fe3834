"""PE at t + k as a fixed turn of PE at t, and what the turn misses."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

from app import state
from app.figures.labels import format_number
from app.figures.position_formulas import rotation_formula, rotation_symbols
from app.figures.position_rotation import Turn, TurnTexts, rotation_figure
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.text import literal
from app.widgets.vectors.positions_focus import Focus, pick
from app.widgets.vectors.positions_waves import show_pair_slider
from app.words import say
from core.reading.position_relations import Rotation, fitted_rotation, rotation
from core.reading.positions import Table, Variant, column, pairs

CHART = "positions_rotation"
MOST = 24  # the largest offset of the slider
FINEST = 200  # points of the way from t to t + k
MATRIX = 0  # the curve of the words; the last one is that of the pairs


def picture(focus: Focus) -> None:
    """Draw the clock of the pair in focus and the residuals of all pairs."""
    table, turned = _table(focus), _rotation(focus)
    exact = focus.variant in ("paper", "halves")
    title = "positions.rotation_title" if exact else "positions.rotation_title_not"
    st.markdown(f"**{say(title, offset=turned.offset)}**")
    st.caption(say("positions.rotation_legend"))
    first, second = focus.features
    name, wave = say("positions.axis_feature"), focus.variant is not None
    texts = TurnTexts(
        first=f"{name} {first + 1} · " + say("positions.sine" if wave else "positions.first"),
        second=f"{name} {second + 1} · " + say("positions.cosine" if wave else "positions.second"),
        position=say("positions.axis_position"),
        carried=say("positions.carried"),
        pair=say("positions.axis_pair"),
        residual=say("positions.residual"),
        missed=say("positions.missed"),
    )
    figure = rotation_figure(_turn(focus, table, turned), focus.tokens, texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_rotation", offset=turned.offset), fill=True)
    st.caption(say("positions.rotation_note", rows=len(table)))
    last = len(figure.data) - 1
    places = pairs(focus.width, focus.variant or "paper")

    def clicked(click: Click) -> None:
        if click.curve == MATRIX and isinstance(click.custom, list):
            pick(focus, int(click.custom[0]))
        elif click.curve == last:
            pick(focus, feature=int(places[int(click.x) - 1, 0]))

    plotly_clicks([CHART], clicked, key="positions")


def says(focus: Focus) -> None:
    """Pickers, the turn in symbols and numbers, and what it misses."""
    look, place = focus.look, focus.place
    table, turned = _table(focus), _rotation(focus)
    exact = focus.variant in ("paper", "halves")
    st.markdown(say("positions.rotation_why" if exact else "positions.rotation_why_not"))
    _show_offset(turned.offset, len(table) - 1 - place)
    show_pair_slider(focus)
    st.latex(rotation_symbols(exact, look))
    pair = list(focus.features)
    carried = turned.carry(table[place])[pair]
    st.latex(rotation_formula(turned.blocks[focus.pair], table[place][pair], carried, look))
    end = place + turned.offset
    goal = ", ".join(format_number(float(each), look.precision) for each in table[end][pair])
    words = {"first": literal(focus.word(place)), "second": literal(focus.word(end))}
    st.markdown(say("positions.goal", start=place, end=end, goal=goal, **words))
    here = format_number(float(turned.residuals[place, focus.pair]), look.precision)
    worst = format_number(turned.residual, look.precision)
    said = "positions.residual_is" if exact else "positions.residual_is_not"
    st.markdown(say(said, here=here, worst=worst, rows=len(table)))


def _show_offset(offset: int, most: int) -> None:
    def take() -> None:
        state.update(offset=int(state.widget_value("positions_offset")))

    last = max(min(MOST, most), 2)
    st.slider(
        say("positions.offset"),
        1,
        last,
        key=state.bind("positions_offset", min(max(offset, 1), last)),
        on_change=take,
    )


def _offset(focus: Focus) -> int:
    """k, no further than the table goes."""
    limit = focus.trace.config.max_length - 1 - focus.place
    return max(min(focus.now.offset, MOST, limit), 0)


def _table(focus: Focus) -> Table:
    """As many positions as the sentence and the turn need, and those of the other pictures."""
    needed = max(focus.length, len(focus.tokens) + MOST)
    return focus.table(min(needed, focus.trace.config.max_length))


def _rotation(focus: Focus) -> Rotation:
    table = _table(focus)
    if focus.variant in ("paper", "halves"):
        return _of_formula(len(table), focus.width, _offset(focus), focus.variant)
    return fitted_rotation(table, _offset(focus), pairs(focus.width, focus.variant or "paper"))


@lru_cache(maxsize=64)
def _of_formula(length: int, width: int, offset: int, variant: Variant) -> Rotation:
    return rotation(length, width, offset, variant)


def _turn(focus: Focus, table: Table, turned: Rotation) -> Turn:
    start, end = focus.place, focus.place + turned.offset
    pair = list(focus.features)
    if focus.variant is None:
        curve = table[start : end + 1][:, pair].astype(np.float64)
    else:
        at = np.linspace(start, end, FINEST)
        curve = np.stack([column(focus.width, each, focus.variant).at(at) for each in pair], axis=1)
    carried = turned.carry(table[start])[pair]
    return Turn(
        points=table[:, pair],
        curve=curve,
        start=start,
        end=end,
        carried=(float(carried[0]), float(carried[1])),
        worst=turned.worst,
        pair=focus.pair,
    )
