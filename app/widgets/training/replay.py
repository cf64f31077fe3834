"""The replay: curves and slider on top, one panel of the step in view below."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import service, state
from app.widgets.attention.focus import choice
from app.widgets.pick import into, segments
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

    with st.container(
        key="training_pickers", horizontal=True, gap="small", vertical_alignment="center",
        horizontal_alignment="distribute",
    ):  # fmt: skip
        chosen = training.now.replay
        segments("training_replay", say("training.panel"), labels, chosen, into("replay"))
        if chosen in WITH_A_HEAD:
            _head_pickers(training)


def _head_pickers(training: Training) -> None:
    now, config = training.now, training.trace.config
    count = config.encoder_layers if now.kind == "encoder" else config.decoder_layers
    layers = {layer: str(layer + 1) for layer in range(count)}
    heads: dict[int, str] = {-1: say("translate.mean")}
    heads |= {head: str(head + 1) for head in range(config.n_heads)}

    def take(chosen: int) -> None:
        state.update(head=None if chosen < 0 else chosen)

    with st.container(key="training_head", horizontal=True, gap="small", width="content"):
        choice("kind", state.KINDS)
        layer, head = say("translate.layer"), say("translate.head")
        segments("training_layer", layer, layers, now.layer, into("layer"), bare=False)
        value = -1 if now.head is None else now.head
        segments("training_head", head, heads, value, take, bare=False)
