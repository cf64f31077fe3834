"""Several sentences of one sampling: which came, how often, from which seeds."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import state
from app.figures.labels import format_number
from app.figures.theme import Look
from app.widgets.decoding import strategies
from app.widgets.decoding.tried import SEEDS, Tried, Written
from app.widgets.vectors.parts.bar_table import Column, Row, bar_table
from app.words import say


def show(tried: Tried, now: state.State, forced: Mapping[int, int], look: Look) -> None:
    """Draw the table for the sampling in focus; a row makes its first seed the one above."""
    name = now.strategy if now.strategy in strategies.SAMPLED else strategies.SAMPLED[0]
    seeds = range(now.seed, now.seed + SEEDS)
    drawn = tried.draws([strategies.how(now, name, seed) for seed in seeds], forced)
    label = say(f"strategies.name_{name}")
    st.markdown(f"**{say('strategies.draws', name=label, count=SEEDS)}**")

    def pick(seed: int) -> None:
        state.update(seed=seed, strategy=name)

    columns = [
        Column(say("beam.sentence_written"), "minmax(0, 1fr)"),
        Column(say("strategies.often"), "9rem", end=float(SEEDS)),
        Column(say("strategies.seeds"), "auto", help=say("strategies.seed_help")),
        Column(say("strategies.ln"), "5rem"),
    ]
    with st.container(key="strategies_draws_place"):
        rows = [_row(each, at, now.seed, look) for each, at in _counted(drawn, seeds)]
        bar_table("strategies_draws", columns, rows, look, pick)


def _counted(drawn: tuple[Written, ...], seeds: range) -> list[tuple[Written, list[int]]]:
    """Every sentence once with its seeds, the most frequent first."""
    found = dict[tuple[int, ...], tuple[Written, list[int]]]()
    for seed, each in zip(seeds, drawn, strict=True):
        found.setdefault(each.words, (each, []))[1].append(seed)
    return sorted(found.values(), key=lambda pair: -len(pair[1]))


def _row(written: Written, seeds: list[int], now: int, look: Look) -> Row:
    texts = [
        written.reading.text or "∅",
        f"{len(seeds)} / {SEEDS}",
        ", ".join(map(str, seeds)),
        format_number(written.log_probability, look.precision),
    ]
    values = [None, float(len(seeds)), None, None]
    return Row(seeds[0], texts, values, title=texts[0], chosen=now in seeds)
