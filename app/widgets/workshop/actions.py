"""Left, below the form: start, stop, go on, keep, take away, make room for another run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from app import state, trainings
from app.widgets.text import literal
from app.widgets.workshop import own
from app.widgets.workshop.form import Form, get_form
from app.words import say
from core.workshop.run import Run

FILES = ("config.json", "vocabulary.json", "model.safetensors", "history.json")


def show(form: Form, run: Run | None) -> None:
    """Draw the buttons that make sense now, and what is to be said about them."""
    if run is None:
        _start(form)
    elif run.status in ("waiting", "running", "stopping"):
        _button("stop", _stop, type="primary", disabled=run.status == "stopping")
        st.caption(say("workshop.stays"))
    else:
        _ended(run)


def obstacle(form: Form) -> str:
    """Why the training cannot start, in the reader's language; "" if it can."""
    if form.source == "chosen" and not form.families:
        return say("workshop.no_family")
    if form.source != "own":
        return ""
    found = own.current()
    if found is None:
        return say("workshop.no_pairs")
    if not found.is_trainable or (found.problems and not form.leave_out):
        return say("workshop.bad_pairs")
    return ""


def pack(folder: Path, name: str) -> bytes:
    """A zip of a model's files; unpacked, `load_model(folder)` reads it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in FILES:
            archive.write(folder / file, f"{name}/{file}")
    return buffer.getvalue()


def _start(form: Form) -> None:
    why_not = obstacle(form)
    _button("start", _begin, type="primary", disabled=bool(why_not))
    full = state.kept("workshop_full", False)
    st.caption(why_not or say("workshop.full" if full else "workshop.time_unknown"))


def _begin() -> None:
    form, found = get_form(), own.current()
    if obstacle(form):  # the data changed in the same moment
        return
    workshop = trainings.workshop()
    name = f"mine-{workshop.runs + 1 if workshop is not None else 1}"
    pairs = found.pairs if found is not None else ()
    state.keep("workshop_full", not trainings.begin(form.plan(name, pairs)))


def _stop() -> None:
    run = trainings.current_run()
    if run is not None:
        trainings.desk().stop(run)


def _ended(run: Run) -> None:
    # Kept as it is now; a run that went on since, or was the oldest of too many, can be kept again.
    is_kept = run.plan.name in trainings.kept() and state.kept("workshop_kept") == _mark(run)
    with st.container(horizontal=True, gap="xsmall"):
        if run.can_resume:
            _button("resume", _resume, type="primary")
        if run.model is not None:
            _button("keep", _keep, disabled=is_kept)
            _download(run.model, run.plan.name)
        _button("discard", _discard)
    name = literal(run.plan.name)
    if run.model is None:
        st.caption(say("workshop.nothing_to_keep"))
    elif state.kept("workshop_no_room") == _mark(run):
        st.caption(say("workshop.no_room"))
    elif is_kept:
        st.caption(say("workshop.is_kept", name=name))
    else:
        st.caption(say("workshop.keep_help", name=name))


def _download(folder: Path, name: str) -> None:
    def data() -> bytes:
        return pack(folder, name)

    st.download_button(
        say("workshop.download"),
        data,
        file_name=f"{name}.zip",
        mime="application/zip",
        key="workshop_download",
        help=say("workshop.download_help"),
        on_click="ignore",
    )


def _mark(run: Run) -> tuple[str, int]:
    return str(run.folder), run.log.step


def _resume() -> None:
    run = trainings.current_run()
    if run is not None:
        trainings.desk().resume(run)


def _keep() -> None:
    workshop, run = trainings.workshop(), trainings.current_run()
    if workshop is None or run is None:
        return
    found = trainings.desk().keep(workshop, run.plan.name)
    state.keep("workshop_no_room", _mark(run) if found is None else None)
    if found is not None:
        state.keep("workshop_kept", _mark(run))


def _discard() -> None:
    workshop = trainings.workshop()
    if workshop is not None:
        trainings.desk().discard(workshop)


def _button(name: str, action: Callable[[], None], **more: Any) -> None:
    st.button(say(f"workshop.{name}"), key=f"workshop_{name}", on_click=action, **more)
