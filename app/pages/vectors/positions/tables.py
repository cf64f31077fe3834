"""One table of positions: as a picture, as waves, and beside those of other formulas."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.positions.figures.position_formulas import (
    column_formula,
    encoding_formula,
    wavelength_formula,
)
from glassformer.app.pages.vectors.positions.figures.position_map import map_figure, variants_figure
from glassformer.app.pages.vectors.positions.figures.position_waves import Wave, waves_figure
from glassformer.app.pages.vectors.positions.focus import (
    Picture,
    PositionsFocus,
    number_table,
    pair_slider,
    pick_position,
)
from glassformer.app.panels.provenance import open_button
from glassformer.app.ui.chart import Click
from glassformer.app.words import say
from glassformer.core.analysis.positions import (
    VARIANTS,
    Table,
    Variant,
    by_offset,
    compare_with_paper,
    fitted_rotation,
    pair_dimensions,
    position_table,
)

FINEST = 600  # points of a smooth line


def matrix_picture(focus: PositionsFocus) -> Picture:
    """The heat map, a row a position, a column a feature; a click chooses both."""
    table = focus.table(focus.length)
    shape = say("positions.shape", rows=len(table), columns=focus.width)
    return Picture(
        title=say("positions.map_title"),
        legend=f"`{focus.side}/positions` · {shape}" if focus.is_own else shape,
        figure=map_figure(table, focus.tokens, (focus.position, focus.feature), focus.look),
        alt=say("positions.alt_map", rows=len(table)),
        note=say("positions.map_note"),
        clicked=_cell_picked(focus),
    )


def _cell_picked(focus: PositionsFocus) -> Callable[[Click], None]:
    return lambda click: pick_position(focus, int(click.y), int(click.x) - 1)


def say_matrix(focus: PositionsFocus) -> None:
    """The formula, and the chosen cell by it."""
    at, feature = focus.position, focus.feature
    st.markdown(say("positions.map_why" if focus.variant else "positions.learned_why"))
    if focus.variant:
        st.latex(encoding_formula(focus.variant, focus.look))
    where = {"place": at, "feature": feature + 1, "column": feature}
    st.markdown(say("positions.cell", word=focus.word(at), **where))
    for wave in focus.waves([feature]):
        value = float(focus.table(len(focus.tokens))[at, feature])
        st.latex(column_formula(wave, at, value, focus.look))
        st.markdown(say("positions.wave", length=focus.number(wave.wavelength)))
    if focus.is_own:
        address = f"{focus.side}/positions"
        recorded = focus.number(focus.trace[address][at, feature])
        st.markdown(say("positions.recorded", value=recorded))
        open_button(address, (at, feature), "positions_trail")
    else:
        st.markdown(say("positions.not_added"))


def waves_picture(focus: PositionsFocus) -> Picture:
    """The chosen pair large and three others for comparison; a click chooses a word."""
    table = focus.table(focus.length)
    rows = [_wave(focus, at, table) for at in shown_pairs(focus)]
    features = [feature for row in rows for feature in row.features]
    return Picture(
        title=say("positions.waves_title"),
        legend=say("positions.waves_legend"),
        figure=waves_figure(rows, focus.tokens, focus.position, focus.names, focus.look),
        alt=say("positions.alt_waves"),
        note=say("positions.waves_note"),
        clicked=lambda click: pick_position(focus, round(click.x), features[click.curve // 2]),
    )


def shown_pairs(focus: PositionsFocus) -> tuple[int, ...]:
    """The pair in focus, then a fast, a middle and a slow one."""
    last = focus.width // 2 - 1
    others = dict.fromkeys((0, last // 4, last // 2, last))
    return (focus.pair, *[each for each in others if each != focus.pair][:3])


def _wave(focus: PositionsFocus, at: int, table: Table) -> Wave:
    sine, cosine = map(int, focus.pairs[at])
    values, smooth = table[:, [sine, cosine]], None
    title = say("positions.pair_name", pair=at + 1, first=sine + 1, second=cosine + 1)
    if found := focus.waves([sine, cosine]):
        places = np.linspace(-0.4, len(table) - 0.6, FINEST)
        smooth = (places, found[0].at(places), found[1].at(places))
        length = focus.number(found[0].wavelength)
        title = say("positions.pair_title", name=title, length=length)
    return Wave(title, (sine, cosine), smooth, values)


def say_waves(focus: PositionsFocus) -> None:
    """The pair in focus: its picker, its speed, its two numbers at the word in focus."""
    st.markdown(say("positions.waves_why" if focus.variant else "positions.learned_why"))
    pair_slider(focus)
    if found := focus.waves(focus.features):
        st.latex(wavelength_formula(found[0], focus.look))
        sine, cosine = (focus.number(each.wavelength) for each in found)
        if sine == cosine:
            st.markdown(say("positions.pair_wave", length=sine))
        else:
            st.markdown(say("positions.pair_waves", sine=sine, cosine=cosine))
    at = focus.position
    first, second = map(focus.number, focus.table(len(focus.tokens))[at, list(focus.features)])
    word = focus.word(at)
    st.markdown(say("positions.pair_at", word=word, place=at, first=first, second=second))


def other_variant(focus: PositionsFocus) -> Variant:
    """What stands beside the paper's formula: that of the notes, or the half-split one."""
    return "halves" if focus.formula == "halves" else "notes"


def variants_picture(focus: PositionsFocus) -> Picture:
    """Both tables and their difference; a click chooses a word and a feature."""
    chosen = other_variant(focus)
    found = compare_with_paper(focus.length, focus.width, chosen)
    tables = (
        (say("positions.formula_paper"), position_table(focus.length, focus.width)),
        (say(f"positions.formula_{chosen}"), found.table),
        (say("positions.difference"), found.difference),
    )
    cell = (focus.position, focus.feature)
    return Picture(
        title=say(f"positions.variants_title_{chosen}"),
        legend=say("positions.shape", rows=focus.length, columns=focus.width),
        figure=variants_figure(tables, focus.tokens, cell, focus.look),
        alt=say("positions.alt_variants"),
        note=say(f"positions.variants_note_{chosen}", count=len(found.columns)),
        clicked=_cell_picked(focus),
    )


def say_variants(focus: PositionsFocus) -> None:
    """The formula, the numbers of all three, and the consequence."""
    chosen, length = other_variant(focus), focus.length
    found = compare_with_paper(length, focus.width, chosen)
    st.markdown(say(f"positions.variants_why_{chosen}"))
    st.latex(encoding_formula(chosen, focus.look))
    offset = min(focus.now.offset, length - 1)
    rows, residuals = [], {}
    for each in VARIANTS:
        table = position_table(length, focus.width, each)
        turned = fitted_rotation(table, offset, pair_dimensions(focus.width, each))
        residuals[each] = focus.number(turned.residual)
        spread = focus.number(by_offset(table).spread)
        rows.append((say(f"positions.formula_{each}"), (residuals[each], spread)))
    columns = (say("positions.column_residual", offset=offset), say("positions.column_spread"))
    number_table(rows, columns, marked=VARIANTS.index(chosen))
    st.markdown(
        say(
            f"positions.consequence_{chosen}",
            largest=focus.number(found.largest),
            reordered=focus.number(found.reordered),
            residual=residuals[chosen],
            paper=residuals["paper"],
            place=found.at[0],
            feature=found.at[1] + 1,
            offset=offset,
        )
    )
