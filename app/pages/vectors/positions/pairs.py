"""Two positions: their dot product, the turn from one to the other, one word at both."""

import math
from functools import lru_cache

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.positions.figures.position_formulas import (
    dot_formula,
    rotation_formula,
    rotation_symbols,
    sum_formula,
)
from glassformer.app.pages.vectors.positions.figures.position_map import same_figure
from glassformer.app.pages.vectors.positions.figures.position_relations import (
    Turn,
    dots_figure,
    rotation_figure,
)
from glassformer.app.pages.vectors.positions.focus import (
    Picture,
    PositionsFocus,
    number_table,
    pair_slider,
    pick_position,
    pick_two,
    slider,
)
from glassformer.app.panels.provenance import open_button
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.ui.chart import Click
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import menu, set_field
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.placed_words import TwoPlaces, measure_shares, two_places
from glassformer.core.analysis.positions import (
    Rotation,
    Table,
    by_offset,
    fitted_rotation,
    nearness,
    rotation_by_offset,
)

FARTHEST = 24  # the largest offset of the slider
FINEST = 200  # points of the way from t to t + k
WORDS = 0  # the curve of the words; the last one is that of the pairs
PARTS = ("scaled", "encoding", "input")


def dots_picture(focus: PositionsFocus) -> Picture:
    """The dot products of all positions; a click chooses two."""
    table = focus.table(focus.length)
    found, lines = nearness(table).dots, by_offset(table)

    def clicked(click: Click) -> None:
        if click.curve == 0:
            pick_two(focus, int(click.y), int(click.x))

    return Picture(
        title=say("positions.dots_title"),
        legend=say("positions.dots_legend"),
        figure=dots_figure(found, lines, focus.tokens, focus.two, focus.look),
        alt=say("positions.alt_dots", rows=len(table)),
        note=say("positions.dots_note"),
        clicked=clicked,
    )


def say_dots(focus: PositionsFocus) -> None:
    """The formula, the pair in focus, and every pair that is as far apart."""
    table = focus.table(focus.length)
    i, j = focus.two
    offset = abs(i - j)
    near, lines = nearness(table), by_offset(table)
    st.markdown(say("positions.dots_why" if focus.turns else "positions.dots_why_not"))
    if focus.turns:
        st.latex(dot_formula(focus.look))
    st.markdown(say("positions.two", offset=offset, **_two_words(focus)))
    numbers = {
        "dot_here": near.dots[i, j],
        "distance_here": near.distances[i, j],
        "dot_least": lines.least[offset],
        "dot_most": lines.most[offset],
        "dot_self": lines.mean[0],
    }
    number_table([(say(f"positions.{name}"), [focus.number(n)]) for name, n in numbers.items()])
    said = "positions.spread" if focus.turns else "positions.spread_not"
    st.markdown(say(said, spread=focus.number(lines.spread)))


def _two_words(focus: PositionsFocus) -> dict[str, str | int]:
    i, j = focus.two
    return {"first": focus.word(i), "second": focus.word(j), "i": i, "j": j}


def turn_picture(focus: PositionsFocus) -> Picture:
    """PE at t + k as a turn of PE at t: the clock of the pair, and what the turn misses."""
    table, turned = _turn_table(focus), _rotation(focus)
    first, second = (
        f"{say('positions.axis_feature')} {feature + 1} · {name}"
        for feature, name in zip(focus.features, focus.names, strict=True)
    )
    drawn = _turn(focus, table, turned)
    figure = rotation_figure(drawn, focus.tokens, (first, second), focus.look)

    def clicked(click: Click) -> None:
        if click.curve == WORDS and isinstance(click.custom, list):
            pick_position(focus, int(click.custom[0]))
        elif click.curve == len(figure.data) - 1:
            pick_position(focus, feature=int(focus.pairs[int(click.x) - 1, 0]))

    title = "positions.rotation_title" if focus.turns else "positions.rotation_title_not"
    return Picture(
        title=say(title, offset=turned.offset),
        legend=say("positions.rotation_legend"),
        figure=figure,
        alt=say("positions.alt_rotation", offset=turned.offset),
        note=say("positions.rotation_note", rows=len(table)),
        clicked=clicked,
    )


def say_turn(focus: PositionsFocus) -> None:
    """Pickers, the turn in symbols and numbers, and what it misses."""
    start, look = focus.position, focus.look
    table, turned = _turn_table(focus), _rotation(focus)
    st.markdown(say("positions.rotation_why" if focus.turns else "positions.rotation_why_not"))
    last = max(min(FARTHEST, len(table) - 1 - start), 2)
    offset = min(max(turned.offset, 1), last)
    slider("offset", say("positions.offset"), last, offset, set_field("offset"))
    pair_slider(focus)
    st.latex(rotation_symbols(focus.turns, look))
    pair, end = list(focus.features), start + turned.offset
    carried = turned.carry(table[start])[pair]
    st.latex(rotation_formula(turned.blocks[focus.pair], table[start][pair], carried, look))
    goal = ", ".join(map(focus.number, table[end][pair]))
    words = {"first": focus.word(start), "second": focus.word(end)}
    st.markdown(say("positions.goal", start=start, end=end, goal=goal, **words))
    here = focus.number(turned.residuals[start, focus.pair])
    worst = focus.number(turned.residual)
    said = "positions.residual_is" if focus.turns else "positions.residual_is_not"
    st.markdown(say(said, here=here, worst=worst, rows=len(table)))


def _turn_table(focus: PositionsFocus) -> Table:
    """As many positions as the sentence and the turn need, and those of the other pictures."""
    needed = max(focus.length, len(focus.tokens) + FARTHEST)
    return focus.table(min(needed, focus.trace.config.max_length))


def _rotation(focus: PositionsFocus) -> Rotation:
    """The turn by k positions, no further than the table goes."""
    table, limit = _turn_table(focus), focus.trace.config.max_length - 1 - focus.position
    offset = max(min(focus.now.offset, FARTHEST, limit), 0)
    if focus.variant in ("paper", "halves"):
        return _of_formula(len(table), focus.width, offset, focus.variant)
    return fitted_rotation(table, offset, focus.pairs)


_of_formula = lru_cache(maxsize=64)(rotation_by_offset)


def _turn(focus: PositionsFocus, table: Table, turned: Rotation) -> Turn:
    start, end = focus.position, focus.position + turned.offset
    pair = list(focus.features)
    if waves := focus.waves(pair):
        at = np.linspace(start, end, FINEST)
        curve = np.stack([wave.at(at) for wave in waves], axis=1)
    else:
        curve = table[start : end + 1][:, pair].astype(np.float64)
    carried = turned.carry(table[start])[pair]
    return Turn(table[:, pair], curve, start, end, carried, turned.worst, focus.pair)


def same_word_picture(focus: PositionsFocus) -> Picture:
    """One word at two places: word, position and their sum; a click chooses a feature."""
    two = _two_places(focus)
    names = [f"{visible(focus.tokens[at])} · {at}" for at in two.positions]
    strips = [(say(f"positions.strip_{part}"), getattr(two, part)) for part in PARTS]
    title = "positions.same_title" if two.same else "positions.other_title"
    words = _two_words(focus)
    first, second = map(focus.plain_word, focus.two)
    return Picture(
        title=say(title, **words),
        legend=say("positions.same_legend"),
        figure=same_figure(strips, names, focus.feature, focus.look),
        alt=say("positions.alt_same", **words | {"first": first, "second": second}),
        note=say("positions.same_note"),
        clicked=lambda click: pick_position(focus, two.positions[int(click.y)], int(click.x) - 1),
    )


def say_same(focus: PositionsFocus) -> None:
    """The two places, how alike their vectors are, and one number of the sum."""
    two, words = _two_places(focus), _two_words(focus)
    _show_places(focus)
    st.markdown(say("positions.same_why" if two.same else "positions.other_why", **words))
    rows = [
        (say(f"positions.part_{part}"), [focus.number(two.cosines[part]), focus.number(apart)])
        for part, apart in two.distances.items()
    ]
    number_table(rows, (say("positions.cosine_of"), say("positions.distance_of")), marked=2)
    for row, at in enumerate(two.positions):
        _show_sum(focus, two, row, at)
    if not focus.is_own:
        st.markdown(say("positions.not_added"))
        return
    at = two.positions[0]
    open_button(f"{focus.side}/input", (0, at, focus.feature), "positions_trail")
    share = format_percent(float(measure_shares(focus.trace, focus.stack).position_share[at]))
    st.markdown(say("positions.share", share=share, **words))


def _two_places(focus: PositionsFocus) -> TwoPlaces:
    """What was recorded, or by another table: as if the model had added that."""
    table = None if focus.is_own else focus.table(len(focus.tokens))
    return two_places(focus.trace, focus.stack, *focus.two, table)


def _show_sum(focus: PositionsFocus, two: TwoPlaces, row: int, at: int) -> None:
    word, encoding, whole = (float(getattr(two, part)[row, focus.feature]) for part in PARTS)
    if all(map(math.isfinite, (word, encoding, whole))):
        scaled = focus.trace.config.embedding_scale
        parts = (word, encoding, whole)
        st.latex(sum_formula(at, focus.feature, parts, scaled, focus.look))


def _show_places(focus: PositionsFocus) -> None:
    """Two pickers of places; words that occur twice on buttons."""
    i, j = focus.two
    labels = {at: f"{at} · {focus.word(at)}" for at in range(len(focus.tokens))}
    with box("share", "positions_places", horizontal=True, gap="small"):
        menu("positions_place_first", say("positions.place_first"), labels, i,
             lambda chosen: pick_two(focus, chosen, j), bare=False)  # fmt: skip
        menu("positions_place_second", say("positions.place_second"), labels, j,
             lambda chosen: pick_two(focus, i, chosen), bare=False)  # fmt: skip
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
