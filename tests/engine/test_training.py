"""A training in an engine, as its front sees it; the engine answers what a test says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassformer.app.runs.engine import training
from glassformer.app.runs.engine.runner import EngineAwayError
from glassformer.app.runs.engine.training import Desk, EngineTraining, find_training
from glassformer.core.training.loop import FACTS
from glassformer.core.training.queue.run_files import PLAN
from glassformer.core.training.queue.training_queue import TrainingQueue, Workshop
from glassformer.core.training.queue.worker import STATE
from tests.training.queue.small_runs import finished, plan, until

BEAT = {"what": "beat", "loss": 1.0, "rate": 1.0, "training": 1.0, "saving": 0.0, "saves": 0}


class Engine:
    """Answers as `training_actor.answer_front` does; `lines` are those of the actor `boot`."""

    def __init__(self) -> None:
        self.asked = list[tuple[str, dict[str, Any]]]()
        self.lines, self.boot, self.checkpoint = list[dict[str, Any]](), "", ""
        self.away = False

    def post(self, path: str, body: bytes) -> bytes:
        verb, given = path.rpartition("/")[2], json.loads(body)
        if self.away:
            raise EngineAwayError
        self.asked.append((verb, given))
        if verb == "start":
            self.boot = self.boot or "first"
        if not self.boot:
            return b'{"gone": true}'
        if verb == "stop":
            self.lines.append({"what": "end", "how": "stopped", "step": 3})
        seen = given.get("seen", 0) if given.get("boot") == self.boot else 0
        told = {"boot": self.boot, "seen": len(self.lines), "checkpoint": self.checkpoint,
                "lines": [json.dumps(each) for each in self.lines[seen:]]}  # fmt: skip
        return json.dumps(told).encode()

    def count(self, verb: str) -> int:
        return sum(each == verb for each, _ in self.asked)


class Blobs:
    """Checkpoints by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def folder_of(self, fingerprint: str, _name: str = "") -> Path:
        place = self.folder / fingerprint
        (place / STATE).mkdir(parents=True, exist_ok=True)
        (place / STATE / FACTS).write_text(fingerprint)
        (place / PLAN).write_text("not this one")
        return place


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def desk(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TrainingQueue]:
    monkeypatch.setattr(training, "PACE", 0.01)
    blobs = Blobs(tmp_path / "blobs")
    monkeypatch.setattr(training, "open_blobs", lambda: blobs)

    def make(workshop: Workshop, folder: Path, given: Any) -> EngineTraining:
        return EngineTraining(folder, given, Desk(engine, "me", workshop.token))  # type: ignore[arg-type]

    found = TrainingQueue(lambda _: True, 4, root=tmp_path, make_run=make)
    yield found
    found.close()


def beat(step: int) -> dict[str, Any]:
    return {**BEAT, "step": step}


def test_it_tells_what_the_engine_tells(engine: Engine, desk: TrainingQueue) -> None:
    run = desk.begin(desk.open("me"), plan())
    until(lambda: engine.count("look") > 1, desk)
    assert run.status == "running" and run.log.step == 0
    engine.lines.append(beat(2))
    until(lambda: run.log.step == 2, desk)
    engine.checkpoint = "c1"
    engine.lines.append({"what": "saved", "step": 3, "metrics": {}})
    until(lambda: run.log.step == 3, desk)
    assert (run.folder / STATE / FACTS).read_text() == "c1" and "recipe" in json.loads(
        (run.folder / PLAN).read_text()
    )
    engine.lines.append({"what": "end", "how": "done", "step": 3})
    until(lambda: finished(run), desk)
    assert run.status == "done" and engine.count("end") == 1 == engine.count("start")


def test_stopped_it_goes_on_from_its_checkpoint(engine: Engine, desk: TrainingQueue) -> None:
    run = desk.begin(desk.open("me"), plan())
    engine.checkpoint = "c1"
    until(lambda: engine.count("look") > 1, desk)
    desk.stop(run)
    until(lambda: finished(run), desk)
    assert run.status == "stopped" and run.can_resume
    engine.boot, engine.lines = "", []
    desk.resume(run)
    until(lambda: engine.count("start") == 2, desk)
    assert engine.asked[-1][0] in ("start", "look") and [
        given["checkpoint"] for verb, given in engine.asked if verb == "start"
    ] == ["", "c1"]


def test_another_actor_takes_back_what_was_not_saved(engine: Engine, desk: TrainingQueue) -> None:
    run = desk.begin(desk.open("me"), plan())
    engine.lines += [beat(2), beat(5)]
    until(lambda: run.log.step == 5, desk)
    engine.boot, engine.lines = "second", [beat(2), {"what": "resumed", "step": 2}, beat(3)]
    until(lambda: run.log.step == 3, desk)


def test_an_engine_without_the_training_gets_it_again(engine: Engine, desk: TrainingQueue) -> None:
    """Its cluster was started anew, and has forgotten everything."""
    run = desk.begin(desk.open("me"), plan())
    engine.checkpoint = "c1"
    until(lambda: engine.count("look") > 1, desk)
    engine.away = True
    desk.tick()
    assert run.status == "running"
    engine.boot, engine.away = "", False
    until(lambda: engine.count("start") == 2, desk)
    assert [given["checkpoint"] for verb, given in engine.asked if verb == "start"] == ["", "c1"]


def test_stopping_does_not_wait_for_an_engine_that_is_away(
    engine: Engine, desk: TrainingQueue
) -> None:
    run = desk.begin(desk.open("me"), plan())
    until(lambda: engine.count("look") > 1, desk)
    engine.away = True
    desk.stop(run)
    until(lambda: finished(run), desk)
    assert run.status == "stopped"


def test_a_server_that_ends_leaves_it(engine: Engine, desk: TrainingQueue) -> None:
    workshop = desk.open("me")
    desk.begin(workshop, plan())
    until(lambda: engine.count("look") > 1, desk)
    desk.close()
    assert engine.count("end") == 0


def test_who_takes_it_away_ends_it(engine: Engine, desk: TrainingQueue) -> None:
    workshop = desk.open("me")
    desk.begin(workshop, plan())
    until(lambda: engine.count("look") > 1, desk)
    desk.discard(workshop)
    assert engine.count("end") == 1


def test_another_front_finds_it(engine: Engine, tmp_path: Path) -> None:
    plan().save(tmp_path)

    class Finding(Engine):
        def post(self, path: str, body: bytes) -> bytes:
            return json.dumps({"token": "ab-12", "plan": (tmp_path / PLAN).read_text()}).encode()

    assert find_training(Desk(Finding(), "me", "ab")) == ("ab-12", plan())  # type: ignore[arg-type]
    assert find_training(Desk(engine, "me", "ab")) is None  # type: ignore[arg-type]
    engine.away = True
    assert find_training(Desk(engine, "me", "ab")) is None  # type: ignore[arg-type]


def test_front_and_cluster_lost_together_it_goes_on_from_its_checkpoint(
    engine: Engine, desk: TrainingQueue, tmp_path: Path
) -> None:
    """The store knows which one it is."""
    run = desk.begin(desk.open("me", token="ab" * 8), plan())
    engine.checkpoint = "e0b1"
    engine.lines.append(beat(1))
    until(lambda: run.log.step == 1, desk)
    assert isinstance(run, EngineTraining)
    run.leave()  # the front is killed, and with it the cluster
    token = engine.asked[0][1]["token"]
    engine.boot, engine.checkpoint, engine.lines, engine.asked = "", "", [], []
    mine, anothers = (Desk(engine, owner, "ab" * 8) for owner in ("me", "another"))  # type: ignore[arg-type]
    assert find_training(mine) == (token, plan()) and find_training(anothers) is None
    again = EngineTraining(tmp_path / "again", plan(), mine, token)
    until(lambda: engine.count("start") == 1, desk)
    assert [given["checkpoint"] for verb, given in engine.asked if verb == "start"] == ["e0b1"]
    engine.checkpoint = "e0b1"
    engine.lines.append({"what": "end", "how": "done", "step": 3})
    until(lambda: again.poll() or finished(again), desk)  # type: ignore[func-returns-value]
    assert (again.folder / STATE / FACTS).read_text() == "e0b1"
    engine.boot = ""  # what has ended is not begun anew
    assert find_training(mine) is None
