"""The Training page: replaying how the model learned, or training one here."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from glassformer.app.pages.training import curves, workshop
from glassformer.app.pages.training.curves import Training
from glassformer.app.panels.compare import pickers
from glassformer.app.panels.opening import on_file
from glassformer.app.panels.panel import Panel, show_picker
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import is_opened
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError

HALVES = ("replay", "workshop")
WITH_A_HEAD = ("attention", "film")
CONTINUED = {"translation": "training_translation.name_continue"}


def show() -> None:
    """Draw the half of the page that the state names."""
    put_sheet(__file__, "training.css")
    with st.container(key="training_page", gap="xsmall"):
        chosen = store.get_state().training
        with side_by_side("training_top", gap="medium", wrap=False):
            draw_choice("training_half", "training.half", HALVES, chosen, set_field("training"))
            headline = st.container()
        if chosen != "replay":
            workshop.show()
        elif on_screen.file_on_screen() is not None:
            on_file.show_instead("training")
        else:
            show_replay(headline)


def show_replay(headline: DeltaGenerator) -> None:
    """Draw the replay and its headline, or say in its place why there is none."""
    training, elsewhere = None, is_opened(store.get_state().model)
    why_not = say("training.no_history_opened" if elsewhere else "training.no_history")
    try:
        training = Training.current()
    except GlassformerError as error:
        why_not = format_error(error)
    if training is None:
        with st.container(key="training_nothing"):
            st.info(why_not)
            if elsewhere:
                back = {"model": "", "step": "", "text": State().text, "direction": "auto"}
                st.button(
                    say("training.to_bundled"), key="training_back", icon=":material/undo:",
                    on_click=store.update, kwargs=back,
                )  # fmt: skip
        return
    with headline:
        show_headline(training)
    curves.show(training)
    panel = _pickers(training)
    with box("fill", "training_panel", gap="xsmall"):
        panel.show(training)


def show_headline(training: Training) -> None:
    """Draw what the step in view makes of the sentence, and what the end or the start does."""
    steps, at = training.steps, training.place
    other = 0 if at == len(steps) - 1 else len(steps) - 1
    parts = []
    for place in dict.fromkeys((at, other)):
        moment = "begins" if steps[place] == 0 else "writes" if place == at else "ends"
        label = escape(say(f"training.headline_{moment}", step=f"{steps[place]:,}"))
        text = escape(training.replay.moments[place].text or say("training.nothing"))
        tag = (
            "b" if training.replay.moments[place].text == training.replay.moments[-1].text else "i"
        )
        shown = f'<{tag} lang="{training.trace.language}" title="{text}">{text}</{tag}>'
        parts.append(f"<span>{label}</span>{shown}")
    st.html(f'<p class="training-headline">{"".join(parts)}</p>')


def _pickers(training: Training) -> Panel:
    with side_by_side("training_pickers", gap="small", horizontal_alignment="distribute"):
        panel = show_picker(
            "training", "training_replay", say("training.panel"),
            titles=CONTINUED if training.trace.task == "continue" else None,
        )  # fmt: skip
        if panel.id in WITH_A_HEAD:
            with box(
                "dense inline", "training_head", horizontal=True, gap="small", width="content"
            ):
                pickers.pick_attention(training.trace, "training")
    return panel


if __name__ == "__main__":
    show()
