"""The attention page: all heads, one large, one cell spelled out."""

from functools import partial
from html import escape

import streamlit as st

from glassformer.app.pages.attention import writers
from glassformer.app.pages.attention.figures import (
    Scored,
    cell_formula,
    roles_figure,
    shares_figure,
    stage_formula,
    term_rows,
    terms_figure,
)
from glassformer.app.pages.attention.motion import board
from glassformer.app.pages.attention.nearby import DOES, OFF, attention_answers
from glassformer.app.panels import answers, provenance
from glassformer.app.panels.attention import picture
from glassformer.app.panels.attention.focus import AttentionFocus, head_name, measured_heads
from glassformer.app.panels.attention.heads import (
    KIND_NAMES,
    SIGN,
    head_role_sentence,
    off_button,
    role_word,
    show_heads,
    taught_as,
    what_it_did,
)
from glassformer.app.panels.compare import pickers
from glassformer.app.panels.context import walk_button
from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.session import store
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.ui.text import on_top
from glassformer.app.words import say
from glassformer.core.analysis.attention_cell import Terms, cell_of_heads, cell_terms
from glassformer.core.analysis.attention_views import Kind, asks_with, largest_cell
from glassformer.core.analysis.head_roles import (
    CLEAR,
    ROLES,
    MeasuredHead,
    best_by_role,
    describe,
    heads_of,
    rank_heads,
)

ROOM = 200  # pixels of a button
MANY = 8  # heads; of more the thumbnails need more room
WIDTHS = ((0.9, 2.25, 1.2), (1.35, 1.95, 1.05))  # of the three columns: heads, one head, one cell
TERMS = ("largest", "dimension", "writers")


def show() -> None:
    """Draw the three columns of the page."""
    focus = AttentionFocus.current()
    if focus.now.view == "motion":
        board.show(focus)
        return
    _headline(focus)
    many = focus.config.n_heads > MANY
    left, middle, right = st.columns(WIDTHS[many], gap="medium")
    with left, box("fill scroll", "attention_left", gap="small"):
        _heads(focus)
    with middle, st.container(gap="xsmall"):
        picture.show(focus)
    with right, box("fill scroll", "attention_right", gap="small"):
        show_cell(focus)
    answers.show(lambda: attention_answers(draw))


def draw(focus: AttentionFocus) -> None:
    """Draw what clicks change at once."""
    (picture.draw_map if focus.now.view == "matrix" else picture.draw_lines)(focus)
    draw_roles(focus)
    if focus.now.head is not None and focus.now.terms != "writers":
        draw_terms(focus, focus.now.head)


def _headline(focus: AttentionFocus) -> None:
    """Draw what the head in focus does here, in a sentence, and what it does at all below."""
    chosen = describe(focus.trace, focus.kind, focus.now.layer, focus.now.head)
    found = what_it_did() or head_habit(focus) or head_role_sentence(focus.kind, chosen)
    row = {"horizontal": True, "vertical_alignment": "center", "gap": "small", "wrap": False}
    with st.container(key="attention_top", gap=None):
        on_top(head_sentence(focus))
        with box("dense", DOES, **row):
            st.markdown(found, help=say("attention.does_help"), width="stretch")
            off_button(OFF)


def head_sentence(focus: AttentionFocus) -> str:
    """Which words the head in focus joins, and how strongly, as HTML."""
    now, (query, key) = focus.now, focus.cell
    row = focus.sides[0]
    words = {"query": row.tokens[query], "key": focus.sides[1].tokens[key]}
    words |= {"written": row.writes[query]} if row.writes else {}
    ink = {"query": "query", "written": "query", "key": "key"}
    ways = ("head_writing", "mean_writing") if row.writes else ("head", "mean")
    return say(
        f"attention.said_{ways[now.head is None]}",
        stack=say(f"attention.stack_{focus.kind}"),
        layer=now.layer + 1,
        head=(now.head or 0) + 1,
        percent=format_percent(float(focus.view.weights[query, key])),
        **{
            name: f'<b style="color:{focus.look.colour(ink[name])}">{escape(visible(word))}</b>'
            for name, word in words.items()
        },
    )


def _heads(focus: AttentionFocus) -> None:
    """Draw the pickers, the thumbnails and the roles of the head in focus."""
    now, trace = focus.now, focus.trace
    show_worth(focus)
    pickers.pick_kind(trace, "attention", width="stretch")
    orders = _orders(focus.kind)
    menu("attention_order", say("attention.order"), orders, now.order, set_field("order"))
    if now.order != "place":
        st.caption(first_of_role(focus))
    _shared(focus)
    show_heads(focus)
    with box("fill low", "attention_habits"):
        draw_roles(focus)


def first_of_role(focus: AttentionFocus) -> str:
    """Which head plays the role that heads are sorted by most, and what their mean has of it."""
    role = focus.now.order
    head, *_ = rank_heads(heads_of(focus.trace, focus.kind), role)
    mean = describe(focus.trace, focus.kind, head.layer, None)
    shares = {"share": format_percent(head.shares[role]), "mean": format_percent(mean.shares[role])}
    return say("attention.role_in_mean", name=head_name(head.layer, head.head), **shares)


def _orders(kind: Kind) -> dict[str, str]:
    """What the heads are sorted by, in words."""
    words = {"place": "place"} | {role: role_word(kind, role) for role in ROLES}
    return {order: say(f"attention.order_{word}") for order, word in words.items()}


def draw_roles(focus: AttentionFocus) -> None:
    """Draw how much the head in focus plays each role, alone."""
    now, labels = focus.now, _orders(focus.kind)
    chosen = describe(focus.trace, focus.kind, now.layer, now.head)
    figure = roles_figure({labels[role]: chosen.shares[role] for role in ROLES[:5]}, focus.look)
    alt = say("attention.alt_roles", name=head_name(now.layer, now.head))
    show_chart(figure, "attention_roles", alt, fill=True)


def _shared(focus: AttentionFocus) -> None:
    """Say which heads of queries meet the same keys and values, where they share them."""
    config, group = focus.config, focus.group
    if len(group) == 1 or focus.kind == "cross":
        return
    first, last = group[0] + 1, group[-1] + 1
    values = {"heads": config.n_heads, "keys": config.key_heads, "shared": len(group)}
    key = "shared" if focus.now.head is None else "shared_head"
    st.caption(say(f"attention.{key}", first=first, last=last, **values))


def head_habit(focus: AttentionFocus) -> str:
    """What the head in focus was measured to do over many sentences; "" where that is nothing."""
    if focus.role is None:
        return ""
    (role, head), direction = focus.role, focus.trace.direction
    said = [
        say(
            "attention.measured_weight" if head.by_weight else "attention.measured",
            role=say(f"attention.role_{role}"),
            share=format_percent(head.roles[direction][role]),
        )
    ]
    if wrong := head.wrong(direction):
        said.append(say("attention.measured_wrong", **_rates(wrong)))
    return say("language.gap").join(said)


def _rates(wrong: tuple[float, float]) -> dict[str, str]:
    """How many translations are wrong without a head and with it."""
    return dict(zip(("without", "before"), map(format_percent, wrong), strict=True))


def show_worth(focus: AttentionFocus) -> None:
    """Draw the button and the list that it opens; nothing for a model without measures."""
    direction = focus.trace.direction
    best = best_by_role(measured_heads(), direction)
    if not best:
        return
    taught = [taught_as(head.kind, head.layer, head.head) for head in best.values()]
    shown = (store.get_state().language, *taught, *best.items())
    keep("worth", partial(_draw_worth, best, direction), *shown)


def _draw_worth(best: dict[str, MeasuredHead], direction: str) -> None:
    with st.popover(
        say("attention.worth"), icon=":material/star:", key="attention_worth", width="stretch"
    ):
        by_weight = any(head.by_weight for head in best.values())
        st.caption(say("attention.worth_about_weight" if by_weight else "attention.worth_about"))
        for role, head in best.items():
            _row(role, head, direction)
        taught = "" if by_weight else f" {SIGN}: {say('attention.worth_taught')}."
        st.caption(
            say("attention.worth_claim_weight" if by_weight else "attention.worth_claim") + taught
        )


def _row(role: str, head: MeasuredHead, direction: str) -> None:
    share, wrong = head.roles[direction][role], head.wrong(direction)
    sign = SIGN if taught_as(head.kind, head.layer, head.head) == role else ""
    place = {"kind": head.kind, "layer": head.layer, "head": head.head}
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", wrap=False):
        st.button(
            f"{say(f'attention.role_{role}')} {sign}".strip(),
            key=f"widget_worth_{role}",
            width=ROOM,
            on_click=store.update,
            kwargs=place,
        )
        name = f"{say(KIND_NAMES[head.kind])} · {head_name(head.layer, head.head)}"
        clear = "attention.worth_clear" if share >= CLEAR else "attention.worth_faint"
        clear = "attention.worth_weight" if head.by_weight else clear
        told = [say(clear, share=format_percent(share))]
        if wrong:
            told.append(say("attention.worth_wrong", **_rates(wrong)))
        st.markdown(f"{name}  \n{' · '.join(told)}", width="stretch")


def show_cell(focus: AttentionFocus) -> None:
    """Draw the formula, and the products of the cell or its weight in every head."""
    config, look = focus.config, focus.look
    apart = focus.now.terms == "writers" and focus.now.head is not None
    if not apart:  # which says where the score is from, not what becomes of it
        with box("tex rows-5", "attention_formula", gap="xsmall"):
            st.markdown(describe_stage(focus))
            made = Scored.of(config, focus.kind)
            st.latex(stage_formula(focus.stage, config.mask_fill, config.d_k, look, made))
    with box("tex", "attention_cell", gap="xsmall"):
        st.html(pair_html(focus))
        with box("rows-2", "attention_why"):
            st.caption(cell_reason(focus))
        if focus.now.head is None:
            _show_shares(focus)
            return
        query, key = focus.cell
        with box("dense", "attention_ways", horizontal=True, gap="small"):
            place = (0, focus.now.head, query, key)
            provenance.open_button(focus.address, place, "attention_trail")
            walk_button(focus.trace, focus.address, "attention_walk", query=query, key=key)
        _show_terms(focus, focus.now.head)


def describe_stage(focus: AttentionFocus) -> str:
    """What the stage in view does, and what of it is this family's own."""
    config, stage = focus.trace.config, focus.stage
    if stage == "scaled" and not config.score_scale:
        return say("attention.about_undivided")
    said = [say(f"attention.about_{stage}")]
    if stage == "scores" and asks_with(config, focus.kind)[0] != "q":
        said.append(say(f"attention.about_{asks_with(config, focus.kind)[0]}"))
    return say("language.gap").join(said)


def cell_reason(focus: AttentionFocus) -> str:
    """Why this cell is spelled out: pinned, the pronoun's, or the largest weight."""
    if focus.pinned:
        return say("attention.pinned")
    if focus.of_pronoun:
        return say("attention.example_pronoun")
    largest = focus.cell == largest_cell(focus.view.weights)
    return say("attention.example" if largest else "attention.example_words")


def pair_html(focus: AttentionFocus) -> str:
    """The two words of the cell in the colours of their roles; tokens are escaped."""
    chips = [
        f'<b style="color:{focus.look.colour(role)}">{escape(word)}</b>'
        for role, word in zip(("query", "key"), focus.words, strict=True)
    ]
    return f'<div class="attention-pair">{chips[0]} {say("attention.cell")} {chips[1]}</div>'


def _show_terms(focus: AttentionFocus, head: int) -> None:
    now, config = focus.now, focus.trace.config
    draw_choice("attention_terms", "attention.terms", TERMS, now.terms, set_field("terms"))
    if now.terms == "writers":
        writers.show(focus, head)
    else:
        cell, made = _cell_terms(focus, head), Scored.of(config, focus.kind)
        st.latex(cell_formula(cell, focus.stage, config.mask_fill, focus.look, made.divides))
        with box("fill", "attention_bars"):
            draw_terms(focus, head)


def _cell_terms(focus: AttentionFocus, head: int) -> Terms:
    return cell_terms(focus.trace, focus.kind, focus.now.layer, head, *focus.cell)


def draw_terms(focus: AttentionFocus, head: int) -> None:
    """Draw q, k and their products in the cell, alone."""
    cell = _cell_terms(focus, head)
    figure = terms_figure(term_rows(cell, focus.now.terms), focus.look)
    _draw_bars(focus, "terms", figure, score=format_number(cell.score))


def _show_shares(focus: AttentionFocus) -> None:
    now, look = focus.now, focus.look
    cell = cell_of_heads(focus.trace, focus.kind, now.layer, focus.stage, *focus.cell)
    number = say(f"attention.number_{focus.stage}")
    figure = shares_figure(cell, focus.stage, look)
    st.markdown(f"**{say(f'attention.each_{focus.stage}')}**")
    with box("fill", "attention_bars"):
        _draw_bars(focus, "shares", figure, number=number)
    st.caption(say("attention.shares_title", number=number))


def _draw_bars(focus: AttentionFocus, name: str, figure: Figure, **values: str) -> None:
    query, key = focus.words
    alt = say(f"attention.alt_{name}", query=query, word=key, **values)
    show_chart(figure, f"attention_{name}", alt, fill=True)


if __name__ == "__main__":
    show()
