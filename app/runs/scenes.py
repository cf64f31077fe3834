"""The run that a scene of a lecture shows, without a session: for truths, and beforehand."""

import threading
from contextlib import suppress

from glassformer.app.runs.traces import get_run, get_trace
from glassformer.app.session.experiments import fit_experiment, parse_experiment
from glassformer.app.session.state import State
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.trace.trace import Trace


def trace_of(scene: Scene, language: str, trained: bool = False) -> Trace:
    """The run that the scene's page draws; of two the one that its link names, else the switched.

    trained: of the model as it is, whatever the link switches and before whichever step it looks.
    Errors: as `get_run`; link for an experiment that cannot be read.
    """
    _, query = scene.link(language)
    state, _ = State.from_query(query)
    own = state.direction, state.model, "" if trained else state.version
    text = state.own_second if state.second and state.run == "second" else state.own_text
    plain = get_trace(text, *own)
    if trained or not state.edits or (not state.second and state.run == "first"):
        return plain
    return get_run(fit_experiment(parse_experiment(state.edits), plain)[0], text, *own)


def warm_scenes(lecture: Lecture, language: str) -> threading.Thread:
    """Compute the runs of all scenes in a thread, one after the other; the caches bound them.

    A run that fails says so on screen.
    """

    def work() -> None:
        for scene in lecture.scenes:
            with suppress(GlassformerError):
                trace_of(scene, language)

    thread = threading.Thread(target=work, name="scenes", daemon=True)
    thread.start()
    return thread
