"""The runs of a patching sweep: which two sentences, what was found, kept for the session."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from app import experiments, service, state
from app.limits import MOST_SWEEPS
from core.edits.sweep import Question
from core.edits.tensors import TensorPatch
from core.edits.tracing import Tracing, causal_tracing
from core.errors import GlassformerError
from core.interruption import StoppedError, counted
from core.trace.trace import Trace


@dataclass(frozen=True)
class Suggestion:
    """Two sentences whose sweep tells something; texts under `sweep.pair_<id>`."""

    id: str
    first: str
    second: str


SUGGESTIONS = (
    Suggestion(
        "tired",
        state.FIRST_SENTENCE,
        "The animal didn't cross the street because it was too wide",
    ),
    Suggestion("city", "欢迎来到北京", "欢迎来到上海"),
    Suggestion("measure", "I have a cat", "I have a dog"),
    Suggestion("learning", "I love machine learning", "I love deep learning"),
)


@dataclass(frozen=True)
class Asked:
    """A sweep: the plain runs of both sentences, and the row that is watched."""

    plain: Trace
    other: Trace
    row: int | None
    first: str  # as typed
    second: str
    place: tuple[str, str, str]  # direction, model, step

    @property
    def key(self) -> Hashable:
        """What names the pair in a cache, without the row."""
        direction, model, step = self.place
        return self.first, self.second, direction, service.place_of(model), step


def first_text() -> str:
    """The sentence that is patched: the state's, or where that is refused the one on screen."""
    now = state.get_state()
    try:
        service.get_trace(now.text, now.direction, now.model, now.step)
    except GlassformerError:
        return service.on_screen().source_text
    return now.text


def second_text(first: str) -> str:
    """The sentence that the vectors come from; "" without.

    The second one of the state, that of the experiment's patch, or the one suggested for the first.
    """
    if given := state.get_state().second:
        return given
    for switch in experiments.now().switches:
        if isinstance(switch, TensorPatch) and switch.sentence:
            return switch.sentence
    return next((each.second for each in SUGGESTIONS if each.first == first), "")


def asked(first: str, second: str) -> Asked:
    """What the state asks for. Errors: as `service.get_trace`."""
    now = state.get_state()
    place = (now.direction, *service.made_by())
    plain, other = (service.get_trace(text, *place) for text in (first, second))
    return Asked(plain, other, now.watch, first, second, place)


def watched(wanted: Asked, found: tuple[Question, ...]) -> Question:
    """The question that the state asks, or the first one."""
    return next((each for each in found if each.row == wanted.row), found[0])


def kept(wanted: Asked, row: int) -> Tracing | None:
    """What is known of a sweep, perhaps not all of it."""
    found: Tracing | None = _all().get((wanted.key, row))
    return found


def run(wanted: Asked, row: int) -> Tracing:
    """Sweep, or go on where it was interrupted: what is found until then is kept.

    Errors: `StoppedError` where the reader stopped it before there was anything.
    """
    so_far = kept(wanted, row)
    if so_far is not None and so_far.done == so_far.total:
        return so_far
    model = service.plain_model()
    sweeps = causal_tracing(model, wanted.plain, wanted.other, row, so_far)
    try:
        for found in counted(sweeps, Tracing(model.config).total):
            so_far = found
            _keep(wanted, row, found)
    except StoppedError:
        if so_far is None:
            raise
    assert so_far is not None
    return so_far


def _all() -> dict[Hashable, Tracing]:
    found: dict[Hashable, Tracing] = state.kept("sweeps", {})
    return found


def _keep(wanted: Asked, row: int, found: Tracing) -> None:
    others = {key: old for key, old in _all().items() if key != (wanted.key, row)}
    newest = [*others.items(), ((wanted.key, row), found)][-MOST_SWEEPS:]
    state.keep("sweeps", dict(newest))
