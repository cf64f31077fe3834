"""Positions: their own vectors, and the sentence's vectors with them added."""

from __future__ import annotations

import streamlit as st

from app.figures.labels import format_number
from app.figures.training_positions import similarity_figure
from app.widgets.chart import show_chart
from app.widgets.training.moving import Training
from app.words import say
from core.reading.training_views import mean_length, similarity
from core.trace.tables import as_numpy

HEIGHT, WIDTH = 352, 480
# What a line of text says of each convention; the others are fixed formulas.
NOTES = {"learned": "learned", "none": "none"}


def show(training: Training) -> None:
    """Draw how alike the positions are, alone and with the words, and say what trains."""
    trace, look = training.trace, training.look
    kind = NOTES.get(trace.config.positions, "fixed")
    alone = as_numpy(trace["source/positions"])  # (S, D)
    together = as_numpy(trace["source/input"][0])  # (S, D)
    columns = st.columns([2, 2, 1.2], gap="medium")
    for place, name, vectors in ((0, "alone", alone), (1, "together", together)):
        with columns[place].container(key=f"training_{name}", gap="xsmall"):
            st.markdown(f"**{say(f'training.positions_{name}')}**")
            if name == "alone" and kind == "none":
                st.caption(say("training.positions_none"))
                continue
            cosines = similarity(vectors)
            figure = similarity_figure(cosines, trace.source_tokens, look, WIDTH, HEIGHT)
            alt = say(f"training.alt_{name}")
            show_chart(figure, f"training_positions_{name}", alt, fill=True)
    with columns[2].container(key="training_says", gap="small"):
        st.markdown(say(f"training.positions_{kind}"))
        st.markdown(_lengths(training))
        st.caption(say("training.positions_note"))


def _lengths(training: Training) -> str:
    """How long the words' vectors are against those of their positions."""
    words = as_numpy(training.trace["source/scaled"][0])  # (S, D)
    positions = as_numpy(training.trace["source/positions"])  # (S, D)
    written = {
        name: format_number(mean_length(vectors), training.look.precision)
        for name, vectors in (("words", words), ("positions", positions))
    }
    return say("training.positions_lengths", **written)
