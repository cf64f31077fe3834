"""How positions are written into the words' vectors: six questions, one picture each (§3.5)."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from glassformer.app.pages.vectors.positions import inside
from glassformer.app.pages.vectors.positions import pairs as of_two
from glassformer.app.pages.vectors.positions import tables as of_all
from glassformer.app.pages.vectors.positions.focus import (
    FIRST_SPAN,
    Picture,
    PositionsFocus,
    span_options,
)
from glassformer.app.pages.vectors.positions.pairs import FARTHEST
from glassformer.app.panels import answers
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import segments
from glassformer.app.words import say
from glassformer.core.analysis.positions import VARIANTS

INSIDE = ("rotary", "relative")  # nothing is added to the words
OTHERS = ("notes", "halves")
VIEWS = {  # the picture of a question, and what is said beside it
    "map": (of_all.matrix_picture, of_all.say_matrix),
    "waves": (of_all.waves_picture, of_all.say_waves),
    "dots": (of_two.dots_picture, of_two.say_dots),
    "rotation": (of_two.turn_picture, of_two.say_turn),
    "same": (of_two.same_word_picture, of_two.say_same),
    "variants": (of_all.variants_picture, of_all.say_variants),
}


def top_line() -> str:
    """What one sees, by how the model has its positions."""
    config = on_screen.trace_on_screen().config
    said = "positions.top" if config.adds_positions else f"positions.top_{config.positions}"
    return escape(say(said))


def show() -> None:
    """Draw the question in view."""
    if on_screen.trace_on_screen().config.positions in INSIDE:
        inside.show()
        return
    focus = PositionsFocus.current()
    view = focus.now.positions
    draw, say_beside = VIEWS[view]
    with st.container(key="positions_page", gap="small"):
        _show_controls(focus, view)
        left, right = st.columns([2.15, 1], gap="medium")
        with left, box("note", "positions_left", gap="xsmall"):
            picture = draw(focus)
            st.markdown(f"**{picture.title}**")
            st.caption(picture.legend)
            with box("fill tall", "positions_picture"):
                _draw_picture(picture, view)
            st.caption(picture.note)
        with right, box("fill scroll tex note", "positions_right", gap="small"):
            say_beside(focus)
            if focus.own == "none":
                st.caption(say("positions.none"))
    answers.show(slider_answers)


def _draw_picture(picture: Picture, view: str) -> None:
    show_chart(picture.figure, f"positions_{view}", picture.alt, fill=True, clicked=picture.clicked)


def slider_answers() -> Answers:
    """The places of the sliders beside the picture, the nearest first."""
    focus = PositionsFocus.current()
    view, pairs = focus.now.positions, focus.pairs[:, 0].tolist()
    draw_view, _ = VIEWS[view]
    moves = [
        Move("widget_positions_pair", "feature", "slide", values=dict(enumerate(pairs, 1))),
        Move("widget_positions_offset", "offset", "slide"),
    ]
    nearby = [{"feature": each} for each in sorted(pairs, key=lambda at: abs(at - focus.feature))]
    nearby += [{"offset": at} for at in range(1, FARTHEST + 1)]

    def draw(there: State) -> None:
        _draw_picture(draw_view(replace(focus, now=there)), view)

    now = replace(focus.now, feature=int(focus.pairs[focus.pair, 0]))
    return Answers(now, (id(focus.trace), focus.look), moves, nearby, draw)


def _show_controls(focus: PositionsFocus, view: str) -> None:
    with st.container(
        key="positions_controls", horizontal=True, horizontal_alignment="distribute", gap="small"
    ):
        _choice(focus, "positions", "positions", tuple(VIEWS), view)
        if view in FIRST_SPAN:
            _choice(focus, "span", "span", span_options(view), focus.span)
        if view == "variants":
            _choice(focus, "formula", "other", OTHERS, of_all.other_variant(focus))
        else:
            learned = (focus.own,) if focus.own in ("learned", "spread") else ()  # of its own
            _choice(focus, "formula", "formula", (*learned, *VARIANTS), focus.formula)


def _choice(
    focus: PositionsFocus, field: str, name: str, options: Sequence[str], value: str
) -> None:
    """A picker whose value is the field of the state; the model's own formula needs no link."""
    labels = {option: say(f"positions.{field}_{option}") for option in options}

    def take(chosen: str) -> None:
        store.update(**{field: "" if field == "formula" and chosen == focus.own else chosen})

    segments(f"positions_{name}", say(f"positions.{name}_help"), labels, value, take)
