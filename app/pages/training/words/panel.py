"""Where words lie in a plane, and how they came there."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.words.figures import ends_of, group_colours, words_figure
from glassformer.app.plots.labels import format_percent
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.training_views import word_groups

HEIGHT, WIDTH = 330, 900  # of the plot in a window of 1280 × 720


def show(training: Training) -> None:
    """Draw the plane, and beside it what the colours and signs mean."""
    replay, look = training.replay, training.look
    paths = np.stack([replay.plane.of(each.vectors) for each in replay.moments])  # (steps, N, 2)
    first, second = (format_percent(share) for share in replay.plane.shares)
    axes = (
        say("training_words.axis_first", share=first),
        say("training_words.axis_second", share=second),
    )
    groups_called = {name: say(f"training_words.group_{name}") for name in word_groups()}
    left, right = st.columns([4.2, 1.1], gap="medium")
    with left, box("fill", "training_plane"):
        figure = words_figure(
            replay.words, paths[: training.place + 1], ends_of(paths), axes, groups_called, look,
            (WIDTH, look.px(HEIGHT)),
        )  # fmt: skip
        show_chart(figure, "training_words_chart", say("training_words.alt"), fill=True)
    with right.container(key="training_says", gap="small"):
        st.html(_legend(training, groups_called))
        st.caption(say("training_words.note"))


def _legend(training: Training, groups_called: Mapping[str, str]) -> str:
    hues = group_colours(training.replay.words, training.look)
    rows = [
        f'<div><i style="background:{hue}"></i>{escape(groups_called[name])}</div>'
        for name, hue in hues.items()
        if name
    ]
    rows += [
        f"<div><b>{sign}</b>{escape(say(f'training_words.sign_{name}'))}</div>"
        for sign, name in (("●", "en"), ("◆", "zh"), ("◎", "spoken"))
    ]
    return f'<div class="training-legend">{"".join(rows)}</div>'
