"""Models and traces for the pages: loaded once, computed once, kept within bounds.

Nothing here changes a model or a trace: both are shared by all sessions.
"""

from __future__ import annotations

import gc
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

import streamlit as st
import torch

from app import state
from app.cache import BoundedCache
from core.checkpoints import list_models, load_model
from core.errors import GlassformerError
from core.memory import keep_freed_memory
from core.trace.trace import Trace
from core.translator import Direction, Translator

TRACE_BYTES = 256 * 2**20  # about a hundred sentences of the bundled translator
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
    """The names of the models that can be chosen, the bundled one first."""
    return list(list_models())


def get_model(name: str = "") -> Translator:
    """The translator of that name, "" for the bundled one; loaded once for all sessions.

    Errors: GlassformerError where there is no such checkpoint or its files do not fit together.
    """
    # Names come from links: a link must not open a folder of the server.
    if name and name not in models():
        raise GlassformerError("checkpoint_missing", path=name)
    return _load(name)


@st.cache_resource(max_entries=4, show_spinner=False)
def _load(name: str) -> Translator:
    return load_model(name or None)


def get_trace(text: str, direction: str = "auto", model: str = "") -> Trace:
    """The recorded translation of a text; direction "auto", "en-zh" or "zh-en".

    The trace is shared: never write to its tensors.
    Errors: GlassformerError for a text that cannot be translated, or a model that cannot be loaded.
    """
    asked = None if direction == "auto" else cast(Direction, direction)
    translator = get_model(model)
    return _traces().get((text, direction, model), lambda: translator.trace(text, direction=asked))


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
        trace = get_trace(now.text, now.direction, now.model)
    except GlassformerError as error:
        problem, trace = error, state.kept("trace") or _first_trace()
    state.keep("trace", trace)
    return Outcome(trace, problem)


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
