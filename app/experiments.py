"""This session's experiment: what is switched, undone, kept. The state's `edits` is the truth."""

from __future__ import annotations

from functools import lru_cache

from app import state
from app.limits import MOST_EXPERIMENTS
from core.edits import Experiment, History
from core.edits.switch import Switch
from core.errors import GlassformerError
from core.trace.trace import Trace

LONGEST_NAME = 40


def now() -> Experiment:
    """What is switched; nothing where the link cannot be read (`problem` says why)."""
    try:
        return parsed(state.get_state().edits)
    except GlassformerError:
        return Experiment()


def problem() -> GlassformerError | None:
    """Why the experiment of the link cannot be read."""
    try:
        parsed(state.get_state().edits)
    except GlassformerError as error:
        return error
    return None


@lru_cache(maxsize=64)
def parsed(text: str) -> Experiment:
    """`Experiment.from_text`, remembered: it is asked many times a rerun."""
    return Experiment.from_text(text)


def put(experiment: Experiment) -> None:
    """Switch to an experiment: a step that can be undone."""
    _go(_history().having(Experiment(experiment.switches)))


def toggle(switch: Switch) -> None:
    """Switch it on, or off again."""
    put(now().toggled(switch))


def undo() -> None:
    """A step back."""
    _go(_history().undone())


def redo() -> None:
    """The step forward that was undone."""
    _go(_history().redone())


def reset() -> None:
    """Nothing switched; can be undone."""
    _go(_history().reset())


def can_undo() -> bool:
    """Whether there is a step to take back."""
    return bool(_history().past)


def can_redo() -> bool:
    """Whether a step was taken back."""
    return bool(_history().future)


def kept() -> dict[str, Experiment]:
    """The experiments that the reader named and kept, the oldest first."""
    return dict(state.kept("experiments", {}))


def keep(name: str, experiment: Experiment | None = None) -> None:
    """Keep one under a name, the present one unless told; at most 20, the oldest goes.

    A name from a file may be long: it is cut as a typed one is.
    """
    name = " ".join(name.split())[:LONGEST_NAME].strip()
    others = {each: old for each, old in kept().items() if each != name}
    chosen = now() if experiment is None else experiment
    newest = [*others.items(), (name, Experiment(chosen.switches, name))][-MOST_EXPERIMENTS:]
    state.keep("experiments", dict(newest))


def forget(name: str) -> None:
    """Keep it no longer."""
    state.keep("experiments", {each: old for each, old in kept().items() if each != name})


def fitting(asked: Experiment, plain: Trace) -> tuple[Experiment, dict[Switch, GlassformerError]]:
    """An experiment without what does not fit a plain run, and why that does not."""
    left_out = asked.misfits(plain.config, len(plain.source_tokens), len(plain.target_tokens))
    kept = tuple(each for each in asked.switches if each not in left_out)
    return Experiment(kept), left_out


def _history() -> History:
    """The steps of this session; a link or the browser's back button is a step, too."""
    history: History = state.kept("experiment_history", History())
    return history.having(now())


def _go(history: History) -> None:
    state.update(edits=history.now.text)  # first: what is cut off here is a step like a link's
    state.keep("experiment_history", history)
