"""The Training page: replaying how the model learned, or training one here."""

from html import escape

import streamlit as st

from app.pages.training import curves, panels, workshop
from app.pages.training.curves import Training
from app.panels.compare import pickers
from app.panels.opening import on_file
from app.runs import on_screen
from app.session import store
from app.ui.layout import box, side_by_side
from app.ui.pick import choice, into
from app.ui.style import put_sheet
from app.ui.text import told
from app.words import say
from core.errors import GlassformerError

HALVES = ("replay", "workshop")
PANELS = {
    "translation": panels.show_translation,
    "attention": panels.show_attention,
    "film": panels.show_film,
    "positions": panels.show_positions,
    "words": panels.show_word_map,
    "lengths": panels.show_lengths,
}
WITH_A_HEAD = ("attention", "film")


def show() -> None:
    """Draw the half of the page that the state names."""
    put_sheet(__file__, "training.css")
    with st.container(key="training_page", gap="xsmall"):
        chosen = store.get_state().training
        with side_by_side("training_top", gap="medium", wrap=False):
            choice("training_half", "training.half", HALVES, chosen, into("training"))
            if chosen == "replay":
                show_headline()
        if chosen != "replay":
            workshop.show()
        elif on_screen.file() is not None:
            on_file.show_instead("training")
        else:
            show_replay()


def show_replay() -> None:
    """Draw the replay, or say in its place why there is none."""
    training, why_not = None, say("training.no_history")
    try:
        training = Training.current()
    except GlassformerError as error:
        why_not = told(error)
    if training is None:
        with st.container(key="training_nothing"):
            st.info(why_not)
        return
    curves.show(training)
    _pickers(training)
    with box("fill", "training_panel", gap="xsmall"):
        PANELS[training.now.replay](training)


def show_headline() -> None:
    """Draw the translation of the step in view, on one line."""
    trace, step = on_screen.trace(), store.get_state().step
    label = say("training.at_step", step=step) if step else say("training.at_end")
    text = escape(trace.output_text or say("training.nothing"))
    language = trace.language
    st.html(
        f'<p class="training-headline"><span>{escape(label)}</span>'
        f'<b lang="{language}" title="{text}">{text}</b></p>'
    )


def _pickers(training: Training) -> None:
    with side_by_side("training_pickers", gap="small", horizontal_alignment="distribute"):
        chosen = training.now.replay
        choice("training_replay", "training.panel", PANELS, chosen, into("replay"))
        if chosen in WITH_A_HEAD:
            with box(
                "dense inline", "training_head", horizontal=True, gap="small", width="content"
            ):
                pickers.focused(training.trace, "training")


if __name__ == "__main__":
    show()
