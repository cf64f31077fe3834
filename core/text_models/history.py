"""How a model was trained, as its folder tells, and the training played again for one sentence.

history.json   {"curve": [{"step", "loss", "rate"}, …],
                "snapshots": [{"step", "metrics": {…}}, …]}   the end is the last snapshot
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from glassformer.core.analysis.training_views import Replay, keep_moment, plane, words_to_draw
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import count_parts
from glassformer.core.text_models.model import Direction, Model
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file

HISTORY = "history.json"
SPACE = "␣"  # as people are shown the space that a piece begins with
SNAPSHOT_STEPS = (0, 50, 100, 200, 400, 1000, 1500, 2500, 4000, 7000)
CURVE_EVERY = 50  # steps that one point of the curve is the mean of


@dataclass(frozen=True)
class CurvePoint:
    """The run so far: the mean loss of the steps since the last point."""

    step: int  # steps done
    loss: float  # nats a word on training sentences, with label smoothing
    rate: float  # learning rate of the last of them


@dataclass(frozen=True)
class SnapshotMetrics:
    """What the model of one step can do on held-out sentences; what was not measured is absent.

    `loss` is in nats a word; `exact_en_zh`, `exact_zh_en`, `coreference`, `alignment`,
    `antecedent` and `antecedent_zh` are shares, 0..1.
    """

    step: int
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """The course of one training run; both parts are sorted by step."""

    curve: tuple[CurvePoint, ...] = ()
    snapshots: tuple[SnapshotMetrics, ...] = ()

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that have a snapshot, the end included."""
        return tuple(snapshot.step for snapshot in self.snapshots)


def snapshot_steps(steps: int) -> tuple[int, ...]:
    """The steps of a run of so many that are kept.

    Args:
        steps: of the whole training.

    Returns:
        Those of `SNAPSHOT_STEPS` before the end, ascending, and last the run's end.
    """
    return (*(step for step in SNAPSHOT_STEPS if step < steps), steps)


def save_history(folder: Path, history: History) -> None:
    """Writes history.json into a model's folder.

    Args:
        folder: of the model; it must exist.
        history: the course of its training.
    """
    curve = [{"step": p.step, "loss": p.loss, "rate": p.rate} for p in history.curve]
    snapshots = [{"step": s.step, "metrics": dict(s.metrics)} for s in history.snapshots]
    parts = f'{{\n "curve": {_one_a_line(curve)},\n "snapshots": {_one_a_line(snapshots)}\n}}\n'
    (folder / HISTORY).write_text(parts, encoding="utf-8")


def _one_a_line(rows: Sequence[object]) -> str:
    return "[\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n ]" if rows else "[]"


def read_history(folder: Path) -> History | None:
    """The history beside a model.

    Args:
        folder: of the model.

    Returns:
        Both parts sorted by step; None where the folder has no history.json.

    Raises:
        GlassformerError: `checkpoint_damaged` for a file that cannot be read or does not hold a
            history.
    """
    path = folder / HISTORY
    if not path.is_file():
        return None
    try:
        found = read_json_file(path)
        curve = tuple(
            CurvePoint(int(row["step"]), _number(row["loss"]), _number(row["rate"]))
            for row in found["curve"]
        )
        snapshots = tuple(
            SnapshotMetrics(int(row["step"]), {k: _number(v) for k, v in row["metrics"].items()})
            for row in found["snapshots"]
        )
    except UNREADABLE as error:
        said = problem_of(error)
        problem = said if said.startswith(HISTORY) else f"{HISTORY}: {said}"
        raise GlassformerError("checkpoint_damaged", path=folder.name, problem=problem) from error
    by_step = attrgetter("step")
    return History(tuple(sorted(curve, key=by_step)), tuple(sorted(snapshots, key=by_step)))


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not a number")
    return number


def replay(
    steps: Sequence[int], model_at: Callable[[int], Model], trace_at: Callable[[int], Trace]
) -> Replay:
    """The sentence at each step of a training.

    Args:
        steps: of the snapshots, ascending, the end last; at least one.
        model_at: the translator as it was at a step.
        trace_at: what the translator of a step made of the sentence.

    Returns:
        A moment for each step (translation, attention weights, sizes of the parameters, word
        vectors), the words that are drawn, and the plane they are drawn in.

    Raises:
        Exception: what `model_at` and `trace_at` raise.
    """
    end = trace_at(steps[-1])
    last = model_at(steps[-1])
    pieces = _pieces_by_word(last.vocabulary, end)
    spoken = {*end.source_pieces, *end.output_pieces}
    words = words_to_draw(tuple(pieces), {word for word, each in pieces.items() if each in spoken})
    rows = last.ids([pieces[word.piece] for word in words])
    moments = []
    for step in count_parts(steps, len(steps)):
        model, trace = model_at(step), trace_at(step)
        named = model.transformer.named_parameters()
        weights = {name: as_numpy(weight) for name, weight in named}
        moments.append(keep_moment(step, trace, _reading(model, end) or trace, weights, rows))
    vectors = moments[-1].vectors
    grouped = [place for place, word in enumerate(words) if word.group]
    return Replay(tuple(moments), words, plane(vectors[grouped] if grouped else vectors))


def _pieces_by_word(vocabulary: Sequence[str], trace: Trace) -> dict[str, str]:
    """A vocabulary by the words it spells: of " cat" and "cat" the one that stands in a text."""
    found: dict[str, str] = {}
    for piece in vocabulary:
        shown = trace.surfaces.get(piece, piece)
        if (word := shown.removeprefix(SPACE)) and (word != shown or word not in found):
            found[word] = piece
    return found


def _reading(model: Model, end: Trace) -> Trace | None:
    """The model reading what that of the end wrote; None where that cannot be read again."""
    try:
        direction, text = cast(Direction, end.direction), end.output_text
        if end.task == "continue":  # what follows the given text, with what ended it
            last = end.output_pieces[-1]
            spoken = text.endswith(end.surfaces.get(last, last).replace(SPACE, " "))
            text = text.removeprefix(end.source_text) + ("" if spoken else last)
        return model.trace(end.source_text, target=text, direction=direction)
    except GlassformerError:
        return None
