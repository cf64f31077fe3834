"""The finished hypotheses of a beam search in their order, with what their score is made of."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.figures.labels import format_number, format_percent
from app.figures.theme import Look
from app.widgets.decoding.tried import Tried
from app.widgets.text import literal
from app.widgets.vectors.parts.bar_table import Column, Row, bar_table
from app.words import say
from core.decoding.beam_tree import Beam, Node, Rule

HELP = ("together", "total", "length", "penalty", "score", "before")


def show(tried: Tried, tree: Beam, focus: int, look: Look, on_pick: Callable[[int], None]) -> None:
    """Draw the line that says who wins, and the table; a row puts its last node in focus."""
    with st.container(key="beam_ranking_line"):
        st.markdown(_winner(tried, tree, look))
    ends = [tree.nodes[place] for place in tree.hypotheses]
    order = tree.places(0.0)
    without = {tree.finished[at].index: place + 1 for place, at in enumerate(order)}
    rows = [
        _row(tried, tree, node, at + 1, without.get(node.index), look, node.index == focus)
        for at, node in enumerate(ends)
    ]
    with st.container(key="beam_ranking_place"):
        bar_table("beam_ranking", _columns(tree.rule), rows, look, on_pick)


def _columns(rule: Rule) -> list[Column]:
    titles = {name: say(f"beam.{name}") for name in HELP}
    helps = {name: say(f"beam.{name}_help") for name in HELP if name != "penalty"}
    helps["penalty"] = say(f"beam.penalty_help_{rule}")
    plain = [
        Column(titles[name], "auto", help=helps[name])
        for name in ("total", "length", "penalty", "score", "before")
    ]
    return [
        Column(say("beam.sentence"), "minmax(0, 1fr)"),
        Column(titles["together"], "8.5rem", end=1.0, help=helps["together"]),
        *plain,
    ]


def _row(
    tried: Tried, tree: Beam, node: Node, place: int, before: int | None, look: Look, chosen: bool
) -> Row:
    digits, done = look.precision, node.fate == "finished"
    sentence = tried.sentence(tree.words(node.index))
    texts = [
        f"{place} · {sentence}" if done else f"{say('beam.still')} · {sentence} …",
        format_percent(node.together),
        format_number(node.total, digits),
        str(node.length),
        format_number(tree.penalty(node.length), digits),
        format_number(node.score, digits),
        "" if before is None else str(before),
    ]
    values = [None, node.together, *[None] * 5]
    return Row(node.index, texts, values, title=sentence, chosen=chosen)


def _winner(tried: Tried, tree: Beam, look: Look) -> str:
    ends = tree.finished
    if not ends:
        return say("beam.nothing", limit=tried.task.limit)
    best, digits = ends[0], look.precision
    wins = say(
        "beam.wins",
        sentence=literal(tried.sentence(tree.words(best.index))),
        total=format_number(best.total, digits),
        penalty=format_number(tree.penalty(best.length), digits),
        score=format_number(best.score, digits),
    )
    other = ends[tree.places(0.0)[0]]
    if other is best:
        return f"{wins} {say('beam.same_winner')}"
    sentence = literal(tried.sentence(tree.words(other.index)))
    return f"{wins} {say('beam.other_winner', sentence=sentence)}"
