"""Word vectors in two dimensions, at the step in view."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.figures.labels import format_percent
from app.figures.training_words import PlaneTexts, ends_of, group_colours, words_figure
from app.widgets.chart import show_chart
from app.widgets.training.moving import Training
from app.words import say
from core.reading.word_plane import Word, groups

HEIGHT, WIDTH = 372, 1060  # of the plot in a window of 1440 × 900


def show(training: Training) -> None:
    """Draw the plane, and beside it what the colours and signs mean."""
    replay, look = training.replay, training.look
    paths = np.stack([replay.plane.of(each.vectors) for each in replay.moments])  # (steps, N, 2)
    first, second = (format_percent(share) for share in replay.plane.shares)
    axes = (say("training.axis_first", share=first), say("training.axis_second", share=second))
    texts = PlaneTexts(axes, {name: say(f"training.group_{name}") for name in groups()})
    left, right = st.columns([4.2, 1.1], gap="medium")
    with left.container(key="training_plane"):
        so_far = paths[: training.place + 1]
        figure = words_figure(
            replay.words, so_far, ends_of(paths), texts, look, WIDTH, look.px(HEIGHT)
        )
        show_chart(figure, "training_words_chart", say("training.alt_words"), fill=True)
    with right.container(key="training_says", gap="small"):
        st.html(_legend(training, texts))
        st.caption(say("training.words_note"))


def _legend(training: Training, texts: PlaneTexts) -> str:
    words: tuple[Word, ...] = training.replay.words
    hues = group_colours(words, training.look)
    rows = [
        f'<div><i style="background:{hue}"></i>{escape(texts.groups[name])}</div>'
        for name, hue in hues.items()
        if name
    ]
    rows += [
        f"<div><b>{sign}</b>{escape(say(f'training.sign_{name}'))}</div>"
        for sign, name in (("●", "en"), ("◆", "zh"), ("◎", "spoken"))
    ]
    return f'<div class="training-legend">{"".join(rows)}</div>'
