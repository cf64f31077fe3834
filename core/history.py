"""How a model was trained, as its folder tells: the curve, and what each snapshot can do.

history.json   {"curve": [{"step", "loss", "rate"}, …],
                "snapshots": [{"step", "metrics": {…}}, …]}   the end is the last snapshot
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from core.errors import GlassformerError
from core.stored import UNREADABLE, problem_of, read_json_file

HISTORY = "history.json"
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
    """The steps of a run of so many that are kept; the last is the run's end."""
    return (*(step for step in SNAPSHOT_STEPS if step < steps), steps)


def save_history(folder: Path, history: History) -> None:
    """Writes history.json into a model's folder."""
    curve = [{"step": p.step, "loss": p.loss, "rate": p.rate} for p in history.curve]
    snapshots = [{"step": s.step, "metrics": dict(s.metrics)} for s in history.snapshots]
    parts = f'{{\n "curve": {_one_a_line(curve)},\n "snapshots": {_one_a_line(snapshots)}\n}}\n'
    (folder / HISTORY).write_text(parts, encoding="utf-8")


def _one_a_line(rows: Sequence[object]) -> str:
    return "[\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n ]" if rows else "[]"


def read_history(folder: Path) -> History | None:
    """The history beside a model, None where there is none.

    Raises `GlassformerError("checkpoint_damaged", …)` where it cannot be read.
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
