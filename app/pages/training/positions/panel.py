"""How alike the positions are, alone and with the words."""

import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.positions.figures import similarity_figure
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.training_views import mean_length, similarity
from glassformer.core.trace.tables import as_numpy

HEIGHT, WIDTH = 352, 480


def show(training: Training) -> None:
    """Draw how alike the positions are, alone and with the words, and say what trains."""
    trace, look = training.trace, training.look
    positions = trace.config.positions
    kind = positions if positions in ("learned", "none") else "fixed"  # a formula
    alone = as_numpy(trace[f"{_side(training)}/positions"])  # (S, D)
    together = as_numpy(trace[f"{_side(training)}/input"][0])  # (S, D)
    tokens = trace.source_tokens if _side(training) == "source" else trace.target_tokens
    columns = st.columns([2, 2, 1.2], gap="medium")
    for place, name, vectors in ((0, "alone", alone), (1, "together", together)):
        with columns[place], box("fill", f"training_{name}", gap="xsmall"):
            st.markdown(f"**{say(f'training_positions.{name}')}**")
            if name == "alone" and kind == "none":
                st.caption(say("training_positions.none"))
                continue
            cosines = similarity(vectors)
            figure = similarity_figure(cosines, tokens, look, WIDTH, HEIGHT)
            alt = say(f"training_positions.alt_{name}")
            show_chart(figure, f"training_positions_{name}", alt, fill=True)
    with columns[2].container(key="training_says", gap="small"):
        st.markdown(say(f"training_positions.{kind}"))
        st.markdown(_lengths(training))
        st.caption(say("training_positions.note"))


def _side(training: Training) -> str:
    """Of what is read: the target of a decoder alone."""
    return "source" if training.trace.config.encoder_layers else "target"


def _lengths(training: Training) -> str:
    """How long the words' vectors are against those of their positions."""
    words = as_numpy(training.trace[f"{_side(training)}/scaled"][0])  # (S, D)
    positions = as_numpy(training.trace[f"{_side(training)}/positions"])  # (S, D)
    number = training.look.number
    lengths = {"words": number(mean_length(words)), "positions": number(mean_length(positions))}
    return say("training_positions.lengths", **lengths)
