"""Lengths of the stream's vectors on their way, and the growth of the weights."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.figures.training_lengths import ROLES, LengthTexts, lengths_figure, sizes_figure
from app.widgets.chart import show_chart
from app.widgets.training.moving import Training
from app.words import say
from core.reading.training_views import Place, places

HEIGHT = 330


def show(training: Training) -> None:
    """Draw both, each under its title."""
    replay, look = training.replay, training.look
    found = places(training.trace.config)
    gap = next(at for at, place in enumerate(found) if place.stack == "decoder")
    parts = {name: say(f"training.part_{name}") for name in ROLES}
    texts = LengthTexts(
        say("training.hover_length"),
        parts,
        say("training.hover_size"),
        (say("frame.focus_encoder"), say("frame.focus_decoder")),
    )
    left, right = st.columns([1.25, 1], gap="medium")
    with left.container(key="training_lengths", gap="xsmall"):
        st.markdown(f"**{say('training.lengths')}**", help=say("training.lengths_help"))
        lengths = np.array([each.lengths for each in replay.moments], dtype=np.float32)
        figure = lengths_figure(
            [_short(place) for place in found],
            lengths, training.steps, training.place, gap, texts, look, look.px(HEIGHT),
        )  # fmt: skip
        show_chart(figure, "training_lengths_chart", say("training.alt_lengths"), fill=True)
    with right.container(key="training_sizes", gap="xsmall"):
        st.markdown(f"**{say('training.sizes')}**", help=say("training.sizes_help"))
        sizes = {
            part: [each.sizes[part] for each in replay.moments]
            for part in ROLES
            if part in replay.moments[0].sizes
        }
        figure = sizes_figure(sizes, training.steps, training.place, texts, look, look.px(HEIGHT))
        show_chart(figure, "training_sizes_chart", say("training.alt_sizes"), fill=True)
        st.html(_legend(training, sizes, parts))


def _short(place: Place) -> str:
    return say(f"training.place_{place.part}", layer=place.layer + 1)


def _legend(training: Training, sizes: dict[str, list[float]], parts: dict[str, str]) -> str:
    names = (
        f'<span><i style="background:{training.look.colour(ROLES[part])}"></i>'
        f"{escape(parts[part])}</span>"
        for part in sizes
    )
    return f'<div class="training-line">{"".join(names)}</div>'
