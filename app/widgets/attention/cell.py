"""Right: what the stage computes, and one cell spelled out."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.figures.attention_formula import cell_formula, stage_formula
from app.figures.attention_shares import SharesTexts, shares_figure
from app.figures.attention_terms import term_rows, terms_figure
from app.figures.labels import format_number, visible
from app.widgets import trail
from app.widgets.attention.focus import Focus, choice
from app.widgets.chart import show_chart
from app.widgets.walk_link import walk_button
from app.words import say
from core.reading.attention_terms import cell_of_heads, terms
from core.reading.attention_views import largest_cell

BARS_HEIGHT = 300
TERMS = ("largest", "dimension")


def show(focus: Focus) -> None:
    """Draw the formula, and the products of the cell or its weight in every head."""
    fill, look = focus.trace.config.mask_fill, focus.look
    with st.container(key="attention_formula", gap="xsmall"):
        st.markdown(say(f"attention.about_{focus.stage}"))
        st.latex(stage_formula(focus.stage, fill, focus.trace.config.d_k, look))
    with st.container(key="attention_cell", gap="xsmall"):
        st.html(pair_html(focus))
        with st.container(key="attention_why"):
            st.caption(why(focus))
        if focus.now.head is None:
            _show_shares(focus)
        else:
            _ways_on(focus, focus.now.head)
            _show_terms(focus)


def _ways_on(focus: Focus, head: int) -> None:
    query, key = focus.cell
    with st.container(key="attention_ways", horizontal=True, gap="small"):
        trail.open_button(focus.address, (0, head, query, key), "attention_trail")
        walk_button(focus.trace, focus.address, "attention_walk", query=query, key=key)


def why(focus: Focus) -> str:
    """Why this cell is spelled out: pinned, the pronoun's, or the largest weight."""
    if focus.pinned:
        return say("attention.pinned")
    if focus.of_pronoun:
        return say("attention.example_pronoun")
    largest = focus.cell == largest_cell(focus.view.weights)
    return say("attention.example" if largest else "attention.example_words")


def pair_html(focus: Focus) -> str:
    """The two words of the cell in the colours of their roles; tokens are escaped."""
    chips = [
        f'<b style="color:{focus.look.colour(role)}">{escape(visible(word))}</b>'
        for role, word in zip(("query", "key"), focus.words, strict=True)
    ]
    return f'<div class="attention-pair">{chips[0]} {say("attention.cell")} {chips[1]}</div>'


def _show_terms(focus: Focus) -> None:
    now, look = focus.now, focus.look
    if now.head is None:
        return
    cell = terms(focus.trace, focus.kind, now.layer, now.head, *focus.cell)
    rows = term_rows(cell, now.terms, say("attention.rest"))
    figure = terms_figure(rows, look, look.px(BARS_HEIGHT), say("attention.dimension"))
    query, key = focus.words
    alt = say("attention.alt_terms", query=query, word=key, score=format_number(cell.score))
    with st.container(key="attention_bars"):
        show_chart(figure, "attention_terms", alt, fill=True)
    choice("terms", TERMS)
    st.latex(cell_formula(cell, focus.stage, focus.trace.config.mask_fill, look))


def _show_shares(focus: Focus) -> None:
    now, look = focus.now, focus.look
    cell = cell_of_heads(focus.trace, focus.kind, now.layer, focus.stage, *focus.cell)
    texts = SharesTexts(
        heads=[say("attention.column", head=head + 1) for head in range(len(cell.values))],
        mean=say("attention.shares_mean", mean=format_number(cell.mean, look.precision)),
        forbidden=say("attention.forbidden"),
    )
    number = say(f"attention.number_{focus.stage}")
    query, key = focus.words
    alt = say("attention.alt_shares", number=number, query=query, word=key)
    figure = shares_figure(cell, focus.stage, texts, look, look.px(BARS_HEIGHT))
    st.markdown(f"**{say(f'attention.each_{focus.stage}')}**")
    with st.container(key="attention_bars"):
        show_chart(figure, "attention_shares", alt, fill=True)
    st.caption(say("attention.shares_title", number=number))
