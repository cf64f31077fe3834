"""The paper's formula, that of the notes and the half-split one: what differs, and what follows."""

from __future__ import annotations

import streamlit as st

from app.figures.labels import format_number
from app.figures.position_formulas import encoding_formula
from app.figures.position_variants import variants_figure
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.vectors.positions_focus import Focus, pick
from app.widgets.vectors.positions_table import number_table
from app.words import say
from core.reading.position_relations import by_offset, fitted_rotation
from core.reading.positions import VARIANTS, Variant, compare, pairs, position_table

CHART = "positions_variants"


def other(focus: Focus) -> Variant:
    """What stands beside the paper's formula."""
    return "halves" if focus.formula == "halves" else "notes"


def picture(focus: Focus) -> None:
    """Draw both tables and their difference; a click chooses a word and a feature."""
    chosen = other(focus)
    found = compare(focus.length, focus.width, chosen)
    paper = position_table(focus.length, focus.width)
    st.markdown(f"**{say(f'positions.variants_title_{chosen}')}**")
    st.caption(say("positions.shape", rows=focus.length, columns=focus.width))
    tables = (
        (say("positions.formula_paper"), paper),
        (say(f"positions.formula_{chosen}"), found.table),
        (say("positions.difference"), found.difference),
    )
    texts = (say("positions.axis_position"), say("positions.axis_feature"))
    cell = (focus.place, focus.feature)
    figure = variants_figure(tables, focus.tokens, cell, texts, focus.look)
    with st.container(key="positions_picture"):
        show_chart(figure, CHART, say("positions.alt_variants"), fill=True)
    st.caption(say(f"positions.variants_note_{chosen}", count=len(found.columns)))

    def clicked(click: Click) -> None:
        pick(focus, int(click.y), int(click.x) - 1)

    plotly_clicks([CHART], clicked, key="positions")


def says(focus: Focus) -> None:
    """The formula, the numbers of all three, and the consequence."""
    chosen, look, length = other(focus), focus.look, focus.length
    found = compare(length, focus.width, chosen)
    st.markdown(say(f"positions.variants_why_{chosen}"))
    st.latex(encoding_formula(chosen, look))
    offset = min(focus.now.offset, length - 1)
    tables = {each: position_table(length, focus.width, each) for each in VARIANTS}
    turns = {
        each: fitted_rotation(table, offset, pairs(focus.width, each))
        for each, table in tables.items()
    }
    spreads = {each: by_offset(table) for each, table in tables.items()}
    rows = [
        (
            say(f"positions.formula_{each}"),
            [
                format_number(turns[each].residual, look.precision),
                format_number(spreads[each].spread, look.precision),
            ],
        )
        for each in VARIANTS
    ]
    columns = (say("positions.column_residual", offset=offset), say("positions.column_spread"))
    number_table(rows, columns, marked=VARIANTS.index(chosen))
    numbers = {
        "largest": found.largest,
        "reordered": found.reordered,
        "residual": turns[chosen].residual,
        "paper": turns["paper"].residual,
    }
    written = {name: format_number(each, look.precision) for name, each in numbers.items()}
    place = {"place": found.at[0], "feature": found.at[1] + 1, "offset": offset}
    st.markdown(say(f"positions.consequence_{chosen}", **written, **place))
