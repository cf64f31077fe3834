"""The run of a file that this session has opened: shown as it is until something else is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from app import state
from app.cache import SERVER, BoundedCache
from app.models import get_model, models
from core.checkpoints import DEFAULT
from core.errors import GlassformerError
from core.opening.runs import is_made_by
from core.trace.trace import Trace

LONGEST_NAME = 60
OPENED, LET_GO = "opened_run", "opened_run_let_go"
# What a run is asked for by; while it stays as the file set it, the file is on screen.
ASKED = ("text", "direction", "model", "step", "edits", "second")


@dataclass(frozen=True)
class RunFile:
    """A file's run as the session knows it; its tensors are in a cache that all sessions share.

    model: name and step of its model, None where that is not here. plain: nothing was switched, so
    that the model computes such a run. asked: the state's fields when it was opened. before: the
    same before that, which leaving it brings back.
    """

    mark: str  # of the file's content
    name: str
    model_name: str
    model: tuple[str, str] | None
    plain: bool
    asked: tuple[Any, ...]
    before: tuple[Any, ...]


def hold(name: str, data: bytes, trace: Trace) -> RunFile:
    """Put a run on screen; its sentence and model become those of the state."""
    mark, before, model = hashlib.sha256(data).hexdigest(), _asked(), _model_of(trace)
    if model is not None:
        device = get_model(*model).device
        tensors = {address: tensor.to(device) for address, tensor in trace.tensors.items()}
        trace = replace(trace, tensors=tensors)
    now = state.get_state()
    chosen = model or (now.model, now.step)
    state.update(
        text=trace.source_text, direction=trace.direction, model=chosen[0], step=chosen[1],
        edits="", second="", run="",
    )  # fmt: skip
    plain = not trace.edits and (model is None or trace.config == get_model(*model).config)
    shown = " ".join(name.split())[:LONGEST_NAME]
    held = RunFile(mark, shown, trace.model_name, model, plain, _asked(), before)
    _runs().get(mark, lambda: trace)
    state.keep(OPENED, held)
    return held


def current(shown: tuple[RunFile | None, Trace] | None) -> tuple[RunFile, Trace] | None:
    """The file on screen and its run; None where something else is asked for.

    shown: what was on screen last: its run comes back where the cache has let it go.
    """
    held: RunFile | None = state.kept(OPENED)
    if held is None or held.asked != _asked():
        return None
    try:
        return held, _runs().get(held.mark, lambda: _again(held, shown))
    except LookupError:
        state.keep(OPENED, None)
        state.keep(LET_GO, held.name)
        return None


def close() -> None:
    """Leave the file: what was on screen before it comes back."""
    held: RunFile | None = state.kept(OPENED)
    state.keep(OPENED, None)
    if held is not None:
        state.update(**dict(zip(ASKED, held.before, strict=True)))


def leave() -> None:
    """Leave the file and keep its sentence, for a run of the model here."""
    state.keep(OPENED, None)


def let_go() -> str:
    """The name of a file whose run the cache no longer has, told once; "" for none."""
    name: str = state.kept(LET_GO, "")
    state.keep(LET_GO, "")
    return name


def _asked() -> tuple[Any, ...]:
    now = state.get_state()
    return tuple(getattr(now, name) for name in ASKED)


def _again(held: RunFile, shown: tuple[RunFile | None, Trace] | None) -> Trace:
    if shown is None or shown[0] != held:
        raise LookupError("let go")
    return shown[1]


def _model_of(trace: Trace) -> tuple[str, str] | None:
    """The model here that made it, by name and step: its words and its vectors must be the same."""
    name, _, step = trace.model_name.rpartition("@")
    for found in ((trace.model_name, ""), (name, step)):
        if found[0] not in models():
            continue
        try:
            if is_made_by(trace, get_model(*found)):
                return ("" if found[0] == DEFAULT else found[0]), found[1]
        except GlassformerError:
            continue
    return None


@st.cache_resource(show_spinner=False)
def _runs() -> BoundedCache[Trace]:
    return BoundedCache(SERVER, lambda trace: trace.nbytes)
