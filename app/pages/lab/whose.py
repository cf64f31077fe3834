"""Whose numbers a bench shows: the model on screen, or the bundled translator in its place.

The benches are about the paper's encoder–decoder and our own words: where another's model is on
screen, they go on with the bundled translator and say so.
"""

from typing import Any, cast

import streamlit as st

from glassformer.app.pages.lab.inputs import Field, inputs_of_reader
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import get_model, is_opened
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, kinds_of, layers_of
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_choice, read_whole_number
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


def transformer() -> Transformer:
    """As `on_screen.model_on_screen` has it. Errors: as `made_by`."""
    return bench_model().transformer


def bench_model() -> Model:
    """Of both kinds, with its words. Errors: as `made_by`."""
    return get_model() if _elsewhere() else on_screen.model_on_screen()


def model_name() -> str:
    """What the model is called."""
    return bench_model().name


def bench_trace() -> Trace:
    """The run on screen; the bundled translator's of the same text, or of the first sentence."""
    if not _elsewhere():
        return on_screen.trace_on_screen()
    try:
        return get_trace(store.get_state().own_text)
    except GlassformerError:
        return get_trace(FIRST_SENTENCE)


def attention_fields(trace: Trace) -> list[Field]:
    """Inputs for one attention of a run: its kind and its layer."""
    kinds = kinds_of(trace.config)
    layers = max(layers_of(trace, kind) for kind in kinds)
    return [
        Field("kind", "", kinds[0], "choice", "weights", options=kinds),
        Field("layer", "", 1, "slider", "weights", low=1, high=layers, step=1),
    ]


def kind_in(bench: str, trace: Trace) -> Kind:
    """The attention that is chosen in a bench with `attention_fields`."""
    kinds = kinds_of(trace.config)
    given = inputs_of_reader(bench).get("kind")
    return cast(Kind, given) if given in kinds else kinds[0]


def read_attention(trace: Trace, kind: Any, layer: Any) -> tuple[Kind, int]:
    """What is chosen in `attention_fields`; the layer from 0. Errors: as `core.lab.inputs`."""
    chosen = cast(Kind, read_choice("kind", kind, kinds_of(trace.config)))
    return chosen, read_whole_number("layer", layer, 1, layers_of(trace, chosen)) - 1


def read_up_to(name: str, given: Any, most: int) -> int:
    """A count of a slider from 1 as an index; the last one there is where it is beyond.

    Another sentence, or another attention of it, may have fewer words.
    """
    return min(read_whole_number(name, given, 1, 10**6), most) - 1


def _elsewhere() -> bool:
    try:
        return is_opened(on_screen.made_by()[0])
    except GlassformerError:  # a file's run, whose model is not here
        return False
