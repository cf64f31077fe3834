"""The workshop: train a small translator here and watch it learn."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.training.workshop import data, live
from glassformer.app.pages.training.workshop.form import Form, get_form, show_form, take_form
from glassformer.app.runs import kept_models, trainings
from glassformer.app.session import store
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.opening.models import pack
from glassformer.core.training.queue.run import Status, TrainingRun


def show() -> None:
    """Draw the workshop below the frame of the page."""
    form, run = get_form(), trainings.current_run()
    status = run.status if run is not None else None  # read once: buttons and view say the same
    left, right = st.columns([1, 2.9], gap="medium")
    with left, st.container(key="workshop_form", gap="xsmall"):
        show_form(form, fixed=run is not None)
        _actions(form, run, status)
    with right, box("fill", "workshop_place", gap="xsmall"):
        if status is None:
            data.show(form)
        else:
            live.show(status)


def _actions(form: Form, run: TrainingRun | None, status: Status | None) -> None:
    """Draw the buttons that make sense now, and what is to be said about them."""
    if run is None:
        why_not, full = start_obstacle(form), store.memory().workshop_full
        _button("start", _begin, type="primary", disabled=bool(why_not))
        _refusal()
        st.caption(why_not or say("workshop.full" if full else "workshop.time_unknown"))
    elif status in live.ACTIVE:
        stop, stopping = partial(trainings.training_desk().stop, run), status == "stopping"
        _button("stop", stop, type="primary", disabled=stopping)
        st.caption(say("workshop.stays"))
    else:
        _ended(run)


def start_obstacle(form: Form) -> str:
    """Why the training cannot start, in the reader's language; "" if it can."""
    if form.source == "chosen" and not form.families:
        return say("workshop.no_family")
    if form.source != "own":
        return ""
    found = data.current_pairs()
    if found is None:
        return say("workshop.no_pairs")
    if not found.is_trainable or (found.problems and not form.leave_out):
        return say("workshop.bad_pairs")
    return ""


def _refusal() -> None:
    """Say what the disk refused."""
    refused = store.memory().workshop_refused
    if refused is not None:
        st.warning(format_error(refused))


def _begin() -> None:
    form, found, memory = get_form(), data.current_pairs(), store.memory()
    if start_obstacle(form):  # the data changed in the same moment
        return
    memory.workshop_refused = None
    try:
        memory.workshop_full = not trainings.start_training(
            form.plan(trainings.free_run_name(), found.pairs if found else ())
        )
    except GlassformerError as error:  # a full disk; the form stays
        memory.workshop_refused = error


def _ended(run: TrainingRun) -> None:
    # Kept as it is now; a run that went on since, or was the oldest of too many, can be kept again.
    kept = run.plan.name in [each.name for each in kept_models.own_models()]
    is_kept = kept and store.memory().workshop_kept == _mark(run)
    with st.container(horizontal=True, gap="xsmall"):
        if run.can_resume:
            _button("resume", partial(trainings.training_desk().resume, run), type="primary")
        if run.model is not None:
            _button("keep", _keep, disabled=is_kept)
            st.download_button(
                say("workshop.download"), partial(pack, run.model, run.plan.name),
                file_name=f"{run.plan.name}.zip", mime="application/zip", key="workshop_download",
                help=say("workshop.download_help"), on_click="ignore",
            )  # fmt: skip
        _button("discard", _discard)
    _refusal()
    key = "workshop.is_kept" if is_kept else "workshop.keep_help"
    key = key if run.model is not None else "workshop.nothing_to_keep"
    st.caption(say(key, name=literal(run.plan.name)))


def _mark(run: TrainingRun) -> tuple[str, int]:
    return str(run.folder), run.log.step


def _keep() -> None:
    run, memory = trainings.current_run(), store.memory()
    if run is None:
        return
    memory.workshop_refused = None
    try:
        if trainings.keep_result(run):
            memory.workshop_kept = _mark(run)
    except GlassformerError as error:
        memory.workshop_refused = error


def _discard() -> None:
    workshop, run = trainings.workshop(), trainings.current_run()
    if workshop is None or run is None:
        return
    form, pairs = get_form(), run.plan.pairs
    trainings.training_desk().discard(workshop)
    take_form(form)  # the next run starts from what this one was
    if pairs and data.current_pairs() is None:
        data.paste_text(data.written_pairs(pairs))


def _button(name: str, action: Callable[[], None], **more: Any) -> None:
    st.button(say(f"workshop.{name}"), key=f"workshop_{name}", on_click=action, **more)
