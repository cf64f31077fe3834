"""The trainings of this session: its workshop at the server's desk, and glimpses of its run.

The session remembers it; when it has gone (a page that is loaded anew), the next one of the same
browser has it, known by its cookie. What a link carries names the workshop and opens nothing.
"""

import hashlib
import re
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import cast

import numpy as np
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from glassformer.app.runs import kept_models
from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.engine.training import Desk, EngineTraining, engine_at, find_training
from glassformer.app.session import store
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.model import Direction
from glassformer.core.training.queue.lessons import held_apart
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import Plan
from glassformer.core.training.queue.training_queue import MOST_USERS, TrainingQueue, Workshop

ASK_AGAIN = 30  # seconds until an engine is asked for a workshop again
WORKSHOP = re.compile("[0-9a-f]{16}")  # what one is called


@dataclass(frozen=True)
class Glimpse:
    """A sentence as the model of one step translates it."""

    text: str
    language: str  # of the translation
    rows: tuple[str, ...]  # the decoder's input
    columns: tuple[str, ...]  # the source
    written: tuple[str, ...]  # the word that each row writes
    weights: np.ndarray  # (L, H, T, S) cross-attention
    unknown: bool  # most words of the source are not in the vocabulary


_glimpses: BoundedCache[Glimpse] = BoundedCache(SERVER, lambda seen: seen.weights.nbytes + 1024)


@st.cache_resource(show_spinner=False)
def training_desk() -> TrainingQueue:
    """The one desk of this server."""
    settings = read_settings()
    if not settings.engine:
        return TrainingQueue(_is_here, settings.trainings)
    slots = settings.trainings or MOST_USERS  # they wait for a processor there
    return TrainingQueue(_is_here, slots, make_run=_run_in_engine)


def _run_in_engine(own: Workshop, folder: Path, plan: Plan, token: str = "") -> TrainingRun:
    return EngineTraining(folder, plan, _engine_desk(own.secret or own.token, own.token), token)


def _engine_desk(secret: str, workshop: str) -> Desk:
    owner = hashlib.sha256(secret.encode()).hexdigest()
    return Desk(engine_at(read_settings().engine), owner, workshop)


@lru_cache(maxsize=1000)
def _find_in_engine(browser: str, token: str, _when: int) -> tuple[str, Plan] | None:
    return find_training(_engine_desk(browser, token))


def _claim_from_engine(browser: str, workshop: str) -> str:
    """The workshop of a front that is gone, with the training that the engine goes on with."""
    if not (read_settings().engine and WORKSHOP.fullmatch(workshop)) or training_desk().is_full:
        return ""
    if (found := _find_in_engine(browser, workshop, int(time.monotonic() // ASK_AGAIN))) is None:
        return ""
    token, plan = found
    own = training_desk().open(_session(), browser, workshop)
    own.run = _run_in_engine(own, own.folder / "run-0", plan, token)
    return workshop


def workshop() -> Workshop | None:
    """This session's workshop; None before its first training."""
    token = store.memory().workshop
    return training_desk().find(token, _session()) if token else None


def claim_workshop() -> None:
    """At the start of a run: this browser's workshop, and the link's name for it.

    A link of earlier days, that somebody else copied, names another workshop and a model by its
    name alone: that is not one of this one's.
    """
    memory, state = store.memory(), store.get_state()
    if not memory.workshop and (browser := kept_models.browser_secret()):
        memory.workshop = training_desk().claim(
            browser, _session(), state.mine
        ) or _claim_from_engine(browser, state.mine)
    found = kept_models.find_model(state.model) if state.model else None
    if found is not None and state.model == found.name and state.mine not in ("", memory.workshop):
        store.drop("model")
    elif found is not None and state.model != found.link:
        store.name_again(model=found.link)
    if memory.workshop and memory.workshop != state.mine:
        store.name_again(mine=memory.workshop)


def current_run() -> TrainingRun | None:
    """This session's run, as it is now."""
    own = workshop()
    if own is None or own.run is None:
        return None
    training_desk().tick()
    return own.run


def start_training(plan: Plan) -> bool:
    """Starts a training, or puts it in the line; False where the server takes in no more."""
    own = _own()
    if own is None:
        return False
    training_desk().begin(own, plan)
    return True


def keep_result(run: TrainingRun) -> str:
    """Keeps the run's model for this browser; returns what a link calls it, "" where it has none.

    Errors: as `kept_models.keep_model`.
    """
    return "" if run.model is None else kept_models.keep_model(run.plan.name, run.model)


def free_run_name() -> str:
    """What the model of the next run is called: mine-1, mine-2, …, as none that is kept."""
    own = workshop()
    taken = {each.name for each in kept_models.own_models()}
    numbers = count(own.runs + 1 if own is not None else 1)
    return next(name for name in map("mine-{}".format, numbers) if name not in taken)


def glimpse(run: TrainingRun, step: int, text: str, direction: str) -> Glimpse:
    """A text as the model of a saved step translates it; GlassformerError as `Translator.trace`."""
    folder = run.at(step)
    return _glimpses.get((str(folder), text, direction), lambda: _look(folder, text, direction))


def held_out_example(run: TrainingRun) -> tuple[str, str] | None:
    """Of one's own pairs, one that is not trained on; None for a run on the grammar."""
    if not run.plan.pairs:
        return None
    return store.once(lambda: _example(run), None, run.folder)


def _example(run: TrainingRun) -> tuple[str, str]:
    kept_apart = held_apart(run.plan.pairs, run.plan.recipe.seed)[1]
    return min(kept_apart, key=lambda pair: abs(len(pair[0]) - 30))


def _own() -> Workshop | None:
    """This session's workshop, opened if need be; None where the server takes in no more."""
    own = workshop()
    if own is None and not training_desk().is_full:
        own = training_desk().open(_session(), kept_models.browser_secret())
        store.memory().workshop = own.token
        store.update(mine=own.token)
    return own


def _look(folder: Path, text: str, direction: str) -> Glimpse:
    translator = load_model(folder)
    text = translator.tokenizer.sentences(text)[0]  # of several, the one that is looked at
    trace = translator.trace(
        text, direction=None if direction == "auto" else cast(Direction, direction)
    )
    layers = range(trace.config.decoder_layers)
    maps = [trace[f"decoder/{i}/cross_attention/weights"][0].numpy(force=True) for i in layers]
    return Glimpse(
        text=trace.output_text,
        language=trace.language,
        rows=trace.target_tokens,
        columns=trace.source_tokens,
        written=trace.output_tokens,
        weights=np.stack(maps).astype(np.float32),
        unknown=2 * len(trace.source_unknown) >= len(trace.source_tokens) - 1,
    )


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _is_here(session: str) -> bool:
    """Whether a session's browser is connected; always in a script without a server."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)
