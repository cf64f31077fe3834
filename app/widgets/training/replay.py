"""The replay: curves and slider on top, one panel of the step in view below."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import service, state
from app.widgets.attention.focus import choice
from app.widgets.text import told
from app.widgets.training import attention as attention_panel
from app.widgets.training import curves, film, lengths, positions, translation, word_map
from app.widgets.training.moving import Training
from app.words import say
from core.errors import GlassformerError

PANELS = {
    "translation": translation.show,
    "attention": attention_panel.show,
    "film": film.show,
    "positions": positions.show,
    "words": word_map.show,
    "lengths": lengths.show,
}
WITH_A_HEAD = ("attention", "film")


def show() -> None:
    """Draw the replay, or say in its place why there is none."""
    try:
        training = Training.current()
    except GlassformerError as error:
        _say_instead(told(error))
        return
    if training is None:
        _say_instead(say("training.no_history"))
        return
    curves.show(training)
    _pickers(training)
    with st.container(key="training_panel", gap="xsmall"):
        PANELS[training.now.replay](training)


def show_headline() -> None:
    """Draw the translation of the step in view, on one line."""
    trace, step = service.on_screen(), state.get_state().step
    label = say("training.at_step", step=step) if step else say("training.at_end")
    text = escape(trace.output_text or say("training.nothing"))
    language = trace.direction.rpartition("-")[2]
    st.html(
        f'<p class="training-headline"><span>{escape(label)}</span>'
        f'<b lang="{language}" title="{text}">{text}</b></p>'
    )


def _say_instead(text: str) -> None:
    with st.container(key="training_nothing"):
        st.info(text)


def _pickers(training: Training) -> None:
    labels = {name: say(f"training.panel_{name}") for name in PANELS}

    def take() -> None:
        state.update(replay=state.widget_value("training_replay"))

    with st.container(
        key="training_pickers", horizontal=True, gap="small", vertical_alignment="center",
        horizontal_alignment="distribute",
    ):  # fmt: skip
        st.segmented_control(
            say("training.panel"),
            tuple(PANELS),
            key=state.bind("training_replay", training.now.replay),
            format_func=labels.__getitem__,
            required=True,
            label_visibility="collapsed",
            width="content",
            on_change=take,
        )
        if training.now.replay in WITH_A_HEAD:
            _head_pickers(training)


def _head_pickers(training: Training) -> None:
    now, config = training.now, training.trace.config
    layers = config.encoder_layers if now.kind == "encoder" else config.decoder_layers
    heads: dict[int, str] = {-1: say("translate.mean")}
    heads |= {head: str(head + 1) for head in range(config.n_heads)}

    def take_layer() -> None:
        state.update(layer=state.widget_value("training_layer"))

    def take_head() -> None:
        chosen = state.widget_value("training_head")
        state.update(head=None if chosen < 0 else chosen)

    with st.container(key="training_head", horizontal=True, gap="small", width="content"):
        st.segmented_control(**choice("kind", state.KINDS), required=True, width="content")
        st.segmented_control(
            say("translate.layer"),
            tuple(range(layers)),
            key=state.bind("training_layer", now.layer),
            format_func={layer: str(layer + 1) for layer in range(layers)}.__getitem__,
            required=True,
            width="content",
            on_change=take_layer,
        )
        st.segmented_control(
            say("translate.head"),
            tuple(heads),
            key=state.bind("training_head", -1 if now.head is None else now.head),
            format_func=heads.__getitem__,
            required=True,
            width="content",
            on_change=take_head,
        )
