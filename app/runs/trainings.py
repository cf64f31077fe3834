"""The trainings of this session: its workshop at the server's desk, and glimpses of its run.

The session remembers it; when it has gone (a page that is loaded anew), the next one of the same
browser has it, known by its cookie. What a link carries names the workshop and opens nothing.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.session import store
from glassformer.app.session.limits import OWNER, OWNERS
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.model import Direction
from glassformer.core.training.queue.lessons import held_apart
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import Plan
from glassformer.core.training.queue.training_queue import TrainingQueue, Workshop


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
    return TrainingQueue(_is_here, read_settings().trainings)


def workshop() -> Workshop | None:
    """This session's workshop; None before its first training."""
    token = store.memory().workshop
    return training_desk().find(token, _session()) if token else None


def claim_workshop() -> None:
    """At the start of a run: this browser's workshop, and the link's name for it.

    A link that somebody else copied names another workshop: a model of that one is not this one's.
    """
    memory, state = store.memory(), store.get_state()
    if not memory.workshop and (browser := _browser()):
        memory.workshop = training_desk().claim(browser, _session(), state.mine)
    if not memory.workshop or memory.workshop == state.mine:
        return
    if state.mine and state.model in kept_models():
        store.drop("model")
    store.name_reader(memory.workshop)


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


def take_in(name: str, folder: Path) -> bool:
    """Keeps a copy of a model's folder for this session; False where there is no room."""
    own = _own()
    if own is None:
        return False
    training_desk().take_in(own, name, folder)
    return True


def kept_models() -> dict[str, Path]:
    """Folders of the models that this session has kept, by name."""
    own = workshop()
    return dict(own.kept) if own is not None else {}


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
        own = training_desk().open(_session(), _browser())
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


def _browser() -> str:
    """What only this browser knows; "" where it takes no cookies, and in a script without one."""
    found: str = st.context.cookies.to_dict().get(OWNER, "")
    return found if OWNERS.fullmatch(found) else ""


def _is_here(session: str) -> bool:
    """Whether a session's browser is connected; always in a script without a server."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)
