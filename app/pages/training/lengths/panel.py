"""How long the vectors are, and how the weights have grown."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.lengths.figures import ROLES, lengths_figure, sizes_figure
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.training_views import stream_places

HEIGHT = 330


def show(training: Training) -> None:
    """Draw both, each under its title."""
    replay, look = training.replay, training.look
    found = stream_places(training.trace.config)
    gap = next(at for at, place in enumerate(found) if place.stack == "decoder")
    parts = {name: say(f"training_lengths.part_{name}") for name in ROLES}
    stacks = {0: say("frame.focus_encoder"), gap: say("frame.focus_decoder")}
    left, right = st.columns([1.25, 1], gap="medium")
    with left, box("fill", "training_lengths", gap="xsmall"):
        st.markdown(f"**{say('training_lengths.title')}**", help=say("training_lengths.help"))
        lengths = np.array([each.lengths for each in replay.moments], dtype=np.float32)
        names = [
            say(f"training_lengths.place_{place.part}", layer=(place.layer or 0) + 1)
            for place in found
        ]
        figure = lengths_figure(
            names, lengths, training.steps, training.place, stacks,
            say("training_lengths.hover_length"), look, look.px(HEIGHT),
        )  # fmt: skip
        show_chart(figure, "training_lengths_chart", say("training_lengths.alt"), fill=True)
    with right, box("fill", "training_sizes", gap="xsmall"):
        st.markdown(f"**{say('training_lengths.sizes')}**", help=say("training_lengths.sizes_help"))
        sizes = {
            part: [each.sizes[part] for each in replay.moments]
            for part in ROLES
            if part in replay.moments[0].sizes
        }
        figure = sizes_figure(
            sizes, training.steps, training.place, parts, say("training_lengths.hover_size"), look,
            look.px(HEIGHT),
        )  # fmt: skip
        show_chart(figure, "training_sizes_chart", say("training_lengths.alt_sizes"), fill=True)
        st.html(_legend({parts[part]: look.colour(ROLES[part]) for part in sizes}))


def _legend(colours: Mapping[str, str]) -> str:
    names = (
        f'<span><i style="background:{colour}"></i>{escape(name)}</span>'
        for name, colour in colours.items()
    )
    return f'<div class="training-line">{"".join(names)}</div>'
