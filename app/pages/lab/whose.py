"""Whose numbers a bench shows: the model on screen, or the bundled translator in its place.

The benches are about the paper's encoder–decoder and our own words: where another's model is on
screen, they go on with the bundled translator and say so.
"""

import streamlit as st

from glassformer.app.runs import on_screen
from glassformer.app.runs.models import get_model, is_opened
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.model import Model
from glassformer.core.trace.trace import Trace


def tell_stand_in() -> None:
    """Say that the bundled translator stands in, where it does."""
    if _elsewhere():
        st.caption(say("lab.bundled"))


def made_by() -> tuple[str, str]:
    """As `on_screen.made_by`: name and step. Errors: likewise."""
    place = on_screen.made_by()
    return ("", "") if is_opened(place[0]) else place


def model() -> Model:
    """As `on_screen.model_on_screen`. Errors: as `made_by`."""
    return get_model() if _elsewhere() else on_screen.model_on_screen()


def transformer() -> Transformer:
    """Its transformer. Errors: likewise."""
    return model().transformer


def model_name() -> str:
    """What the model is called."""
    return model().name


def bench_trace() -> Trace:
    """The run on screen; the bundled translator's of the same text, or of the first sentence."""
    if not _elsewhere():
        return on_screen.trace_on_screen()
    try:
        return get_trace(store.get_state().own_text)
    except GlassformerError:
        return get_trace(FIRST_SENTENCE)


def _elsewhere() -> bool:
    try:
        return is_opened(on_screen.made_by()[0])
    except GlassformerError:  # a file's run, whose model is not here
        return False
