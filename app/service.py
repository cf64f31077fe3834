"""Models and traces for the pages: loaded once, computed once, kept within bounds.

Nothing here changes a model or a trace: both are shared by all sessions.
"""

from __future__ import annotations

import gc
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st
import torch

from app import state, trainings
from app.cache import BoundedCache
from core.checkpoints import DEFAULT, list_models, load_about, load_history, load_model
from core.errors import GlassformerError
from core.history import History
from core.memory import keep_freed_memory
from core.reading.training_views import Replay
from core.replay import replay
from core.trace.trace import Trace
from core.translator import Direction, Translator

TRACE_BYTES = 256 * 2**20  # about a hundred sentences of the bundled translator
SNAPSHOT_BYTES = 128 * 2**20  # some dozens of steps of the bundled translators' training
REPLAY_BYTES = 32 * 2**20
THREADS = int(os.environ.get("GLASSFORMER_THREADS", "1"))

_frozen = threading.Lock()


@dataclass(frozen=True)
class Outcome:
    """What a page shows: the trace to draw (None before the first good one), and what went wrong.

    With an error, `trace` is the last good one of the session.
    """

    trace: Trace | None
    error: GlassformerError | None = None


def models() -> list[str]:
    """The names of the models that can be chosen, the bundled one first, one's own last."""
    return [*list_models(), *trainings.kept()]


def get_model(name: str = "", step: str = "") -> Translator:
    """The translator of that name, "" for the bundled one; loaded once for all sessions.

    step: of its training, "" for the end.
    Errors: GlassformerError where there is no such checkpoint, or no snapshot of that step, or
    where the files do not fit together.
    """
    place, bundled = _place(name)
    if bundled and not step:
        return _load(place)
    return _snapshots().get((place, step), lambda: load_model(f"{place}@{step}" if step else place))


def get_history(name: str = "") -> History | None:
    """How the model of that name was trained; None where that was not kept.

    Errors: as `get_model`.
    """
    return load_history(_place(name)[0])


def get_taught(name: str = "") -> dict[str, Any]:
    """Its heads that were told where to look, in the form of `core.checkpoints.load_about`.

    Errors: as `get_model`.
    """
    return dict(load_about(_place(name)[0]).get("taught") or {})


def _place(name: str) -> tuple[str, bool]:
    """What is loaded for a name, and whether it is a bundled model; caches go by the first.

    Two sessions may have models of one name: their folders differ. Names come from links: a link
    must not open another folder of the server.
    """
    if not name or name in list_models():
        return name or DEFAULT, True
    own = trainings.kept()
    if name not in own:
        raise GlassformerError("checkpoint_missing", path=name)
    return str(own[name]), False


@st.cache_resource(max_entries=4, show_spinner=False)
def _load(name: str) -> Translator:
    return load_model(name or None)


@st.cache_resource(show_spinner=False)
def _snapshots() -> BoundedCache[Translator]:
    return BoundedCache(SNAPSHOT_BYTES, _weight_bytes)


def _weight_bytes(model: Translator) -> int:
    return sum(weight.nbytes for weight in model.transformer.parameters())


def get_trace(text: str, direction: str = "auto", model: str = "", step: str = "") -> Trace:
    """The recorded translation of a text; direction "auto", "en-zh" or "zh-en".

    step: of the model's training, "" for its end. The trace is shared: never write to its tensors.
    Errors: GlassformerError for a text that cannot be translated, or a model that cannot be loaded.
    """
    asked = None if direction == "auto" else cast(Direction, direction)
    translator = get_model(model, step)
    key = (text, direction, _place(model)[0], step)
    return _traces().get(key, lambda: translator.trace(text, direction=asked))


def get_replay(text: str, direction: str = "auto", model: str = "") -> Replay | None:
    """A text at every step of the model's training; None where the model has no history.

    Errors: as `get_trace`.
    """
    steps = _steps(model)
    if not steps:
        return None

    def name(step: int) -> str:
        return "" if step == steps[-1] else str(step)

    return _replays().get(
        (text, direction, _place(model)[0]),
        lambda: replay(
            steps,
            lambda step: get_model(model, name(step)),
            lambda step: get_trace(text, direction, model, name(step)),
        ),
    )


@st.cache_resource(show_spinner=False)
def _replays() -> BoundedCache[Replay]:
    return BoundedCache(REPLAY_BYTES, lambda found: found.nbytes)


def trace_bytes() -> int:
    """Bytes of all the traces now kept for all sessions."""
    return _traces().nbytes


@st.cache_resource(show_spinner=False)
def _traces() -> BoundedCache[Trace]:
    return BoundedCache(TRACE_BYTES, lambda trace: trace.nbytes)


def current() -> Outcome:
    """The trace of the sentence, direction and model in the session's state.

    A bad input gives its error together with the last good trace of the session, or, where the
    link itself was bad, with that of the first sentence.
    """
    now = state.get_state()
    problem: GlassformerError | None = None
    trace: Trace | None
    try:
        if now.step:
            now = state.settle_step(_steps(now.model))
        trace = get_trace(now.text, now.direction, now.model, now.step)
        made_by = now.model, now.step
    except GlassformerError as error:
        problem, trace, made_by = error, state.kept("trace"), state.kept("made_by", ("", ""))
        if trace is None:
            trace, made_by = _first_trace(), ("", "")
    state.keep("trace", trace)
    state.keep("made_by", made_by)
    return Outcome(trace, problem)


def _steps(model: str) -> tuple[int, ...]:
    history = get_history(model)
    return history.steps if history else ()


def _first_trace() -> Trace | None:
    try:
        return get_trace(state.FIRST_SENTENCE)
    except GlassformerError:
        return None  # the model itself is missing or damaged


def on_screen() -> Trace:
    """The trace that the page draws: the last good one of this session.

    Errors: LookupError before `current` had one (the frame stops the page then).
    """
    trace: Trace | None = state.kept("trace")
    if trace is None:
        raise LookupError("no trace yet: call current() first")
    return trace


def model_on_screen() -> Translator:
    """The model that made the trace on screen: not that of the state, where the input was refused.

    Errors: as `get_model`.
    """
    return get_model(*state.kept("made_by", ("", "")))


def prepare() -> None:
    """Once in a process, after the imports: threads, memory, garbage collection of what is loaded.

    Streamlit runs a full collection after every script run. Without the freeze each walks through
    all of torch's objects, about 190 ms, while every other session waits.
    """
    if not _frozen.acquire(blocking=False):
        return
    torch.set_num_threads(THREADS)
    keep_freed_memory()
    gc.collect()
    gc.freeze()


def warm_up() -> None:
    """Load the bundled translator and translate once, so that the first visitor does not wait."""
    with suppress(GlassformerError):  # the first page shows it, in the visitor's language
        get_trace(state.FIRST_SENTENCE)
    prepare()


def close() -> None:
    """Before the server ends: no training goes on without it, and no folder stays."""
    trainings.desk().close()
