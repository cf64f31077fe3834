"""This session's experiment: what is switched, undone, kept. The state is the truth.

A step that can be undone is another run: sentence, direction, model, second sentence or switches.
Another step of the training is none, but comes back with the others.
"""

import time
from dataclasses import replace
from functools import lru_cache
from typing import Any

from glassformer.app.session import store
from glassformer.app.session.limits import MOST_EXPERIMENTS
from glassformer.app.session.state import Setup, State
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, History
from glassformer.core.interventions.switch import Switch
from glassformer.core.trace.trace import Trace

LONGEST_NAME = 40


def current_experiment() -> Experiment:
    """What is switched; nothing where the link cannot be read (`experiment_problem` says why)."""
    return experiment_of(store.get_state())


def experiment_of(state: State) -> Experiment:
    """What is switched in a state; nothing where that cannot be read."""
    try:
        return parse_experiment(state.edits)
    except GlassformerError:
        return Experiment()


def experiment_problem() -> GlassformerError | None:
    """Why the experiment of the link cannot be read."""
    try:
        parse_experiment(store.get_state().edits)
    except GlassformerError as error:
        return error
    return None


@lru_cache(maxsize=64)
def parse_experiment(text: str) -> Experiment:
    """`Experiment.from_text`, remembered: it is asked many times a rerun."""
    return Experiment.from_text(text)


def switch_to(experiment: Experiment, **others: Any) -> None:
    """Switch to an experiment: a step that can be undone.

    others: fields of the state that come with it, as the sentence of an example or a file does.
    """
    history = history_of_setups()
    store.update(edits=experiment.text, **others)  # first: what is cut off here is a step, too
    store.memory().history = history.having(store.get_state().setup)


def toggle_switch(switch: Switch) -> None:
    """Switch it on, or off again."""
    switch_to(current_experiment().toggled(switch))


def undo_experiment() -> None:
    """A step back."""
    _go(history_of_setups().undone())


def redo_experiment() -> None:
    """The step forward that was undone."""
    _go(history_of_setups().redone())


def reset_experiment() -> None:
    """Nothing switched; can be undone. A sentence that came with an example goes with it."""
    history = history_of_setups()
    _go(history.having(plain_setup(history)))


def plain_setup(history: History[Setup]) -> Setup:
    """The run without switches that the present ones were made on.

    Back to where nothing was switched; but a sentence that the reader changed by itself stays.
    """
    found = history.now
    for before in reversed(history.past):
        typed = before.edits == found.edits and before.plain != found.plain
        if not found.edits or typed:
            break
        found = before
    return found.plain


def can_undo() -> bool:
    """Whether there is a step to take back."""
    return bool(history_of_setups().past)


def can_redo() -> bool:
    """Whether a step was taken back."""
    return bool(history_of_setups().future)


def history_of_setups() -> History[Setup]:
    """The steps of this session; what a link, the stage bar or the browser changed is one, too.

    Called in every run of a page, so that no step is missed.
    """
    setup = store.get_state().setup
    history = store.memory().history or History(setup.plain)
    if replace(history.now, step=setup.step) == setup:
        history = replace(history, now=setup)
    history = history.having(setup)
    store.memory().history = history
    return history


def named_experiments() -> dict[str, Experiment]:
    """The experiments that the reader named and kept, the oldest first."""
    return dict(store.memory().experiments)


def keep_experiment(name: str, experiment: Experiment | None = None) -> None:
    """Keep one under a name, the present one unless told; at most 20, the oldest goes.

    A name from a file may be long: it is cut as a typed one is.
    """
    name = name_in_line(name)
    others = {each: old for each, old in named_experiments().items() if each != name}
    chosen = current_experiment() if experiment is None else experiment
    newest = [*others.items(), (name, Experiment(chosen.switches, name))][-MOST_EXPERIMENTS:]
    store.memory().experiments = dict(newest)
    screen = store.get_state()
    store.memory().sentences[name] = (screen.own_text, screen.direction)
    store.memory().kept_at[name] = time.time()


def name_in_line(name: str) -> str:
    """A name as it is kept: in one line, cut where it is long."""
    return " ".join(name.split())[:LONGEST_NAME].strip()


def sentence_of_experiment(name: str) -> tuple[str, str]:
    """The text that was on screen when one was kept, and its direction."""
    now = store.get_state()
    return store.memory().sentences.get(name, (now.own_text, now.direction))


def forget_experiment(name: str) -> None:
    """Keep it no longer."""
    store.memory().experiments.pop(name, None)


def fit_experiment(
    asked: Experiment, plain: Trace
) -> tuple[Experiment, dict[Switch, GlassformerError]]:
    """An experiment without what does not fit a plain run, and why that does not."""
    left_out = asked.misfits(plain.config, len(plain.source_tokens), len(plain.target_tokens))
    kept = tuple(each for each in asked.switches if each not in left_out)
    return Experiment(kept), left_out


def _go(history: History[Setup]) -> None:
    store.update(**vars(history.now))  # first: what is cut off here is a step like a link's
    store.memory().history = history
