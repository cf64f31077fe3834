"""Who answers, and what when nobody does: twice, then here; what kills workers, never again."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from glassformer.app.runs import traces
from glassformer.app.runs.engine import runner as runners
from glassformer.app.runs.engine.requests import Ask, ModelAddress, Request, RunKey
from glassformer.app.runs.engine.runner import (
    EngineAwayError,
    EngineRunner,
    LocalRunner,
    QueueFullError,
    WorkerDiedError,
    current_runner,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError, heard_by
from tests.architecture.sources import ROOT
from tests.engine.engines import HereEngine

REQUEST = Request(Ask.MEANS, RunKey("translator"))
TIRED = "The animal didn't cross the street because it was too tired"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(runners, "PAUSE", 0.0)
    traces._traces.clear()
    yield
    traces._traces.clear()


def ask(runner: EngineRunner, request: Request = REQUEST) -> object:
    return runner.ask(request, lambda: "here")


def test_without_a_setting_all_is_computed_here() -> None:
    assert isinstance(current_runner(), LocalRunner)
    assert current_runner().ask(REQUEST, lambda: 3) == 3 and current_runner().trouble is None


def test_a_call_is_tried_twice() -> None:
    engine = HereEngine(WorkerDiedError())
    runner = EngineRunner(engine)
    assert set(ask(runner)) and len(engine.calls) == 2 and runner.trouble is None


def test_then_it_is_computed_here_and_told() -> None:
    now = [0.0]
    engine = HereEngine(*[EngineAwayError("no route")] * 2)
    runner = EngineRunner(engine, lambda: now[0])
    assert ask(runner) == "here"
    assert runner.trouble and "no route" in str(runner.trouble)
    assert ask(runner) == "here" and len(engine.calls) == 2  # it is not asked again at once
    now[0] = runners.AWAY + 1
    assert ask(runner) != "here" and runner.trouble is None


def test_what_kills_two_workers_is_not_tried_again_for_a_while() -> None:
    now = [0.0]
    engine = HereEngine(*[WorkerDiedError()] * 2)
    runner = EngineRunner(engine, lambda: now[0])
    for _ in range(2):
        with pytest.raises(GlassformerError) as raised:
            ask(runner)
        assert raised.value.key == "engine_poison" and raised.value.values == {"minutes": 10}
    assert len(engine.calls) == 2
    assert ask(runner, Request(Ask.WORDS, REQUEST.key)) != "here"  # others are
    now[0] = runners.QUARANTINE + 1
    assert ask(runner) != "here"


def test_the_quarantine_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "MOST_QUARANTINED", 3)
    engine = HereEngine(*[WorkerDiedError()] * 10)
    runner = EngineRunner(engine)
    for number in range(5):
        with pytest.raises(GlassformerError, match="two"):
            ask(runner, Request(Ask.MEANS, REQUEST.key, (number,)))
    assert len(runner._poison) == 3


def test_a_full_queue_is_waited_for_and_then_told() -> None:
    now = iter(range(1000))
    engine = HereEngine(QueueFullError(), QueueFullError())
    assert ask(EngineRunner(engine, lambda: next(now))) != "here" and len(engine.calls) == 3
    engine = HereEngine(*[QueueFullError()] * 100)
    with pytest.raises(GlassformerError) as raised:
        ask(EngineRunner(engine, lambda: next(now)))
    assert raised.value.key == "engine_full"


def test_who_waits_can_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "PAUSE", 60.0)

    class Impatient:
        def step(self) -> None: ...

        def progress(self, done: int, total: int) -> None: ...

        def idle(self) -> None:
            raise StoppedError

    with heard_by(Impatient()), pytest.raises(StoppedError):
        ask(EngineRunner(HereEngine(*[QueueFullError()] * 9)))


@pytest.mark.parametrize("key", ["engine_version", "engine_model", "engine_failed"])
def test_what_only_this_engine_cannot_is_computed_here(key: str) -> None:
    class Refusing:
        def call(self, request: Request, address: ModelAddress) -> tuple[object, ...]:
            values = dict.fromkeys(("front", "engine", "name", "problem"), "x")
            return "error", key, values

    runner = EngineRunner(Refusing())
    assert ask(runner) == "here" and runner.trouble and runner.trouble.key == key


def test_errors_of_the_input_are_those_of_here() -> None:
    text = RunKey("translator", text="Привет")
    with pytest.raises(GlassformerError) as raised:
        ask(EngineRunner(HereEngine()), Request(Ask.RUN, text))
    with pytest.raises(GlassformerError) as here:
        traces.get_trace("Привет")
    assert raised.value.key == here.value.key and str(raised.value) == str(here.value)


def test_a_front_needs_no_ray() -> None:
    """Nor one that asks an engine, nor with trainings there."""
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "from glassformer.app.runs import traces, trainings\n"
        "from glassformer.app.runs.engine.runner import current_runner, EngineRunner\n"
        "assert isinstance(current_runner(), EngineRunner)\n"
        "assert traces.get_trace('I like you').output_text\n"
        "assert current_runner().trouble.key == 'engine_away'"
    )
    environment = {**os.environ, "GLASSFORMER_ENGINE": "ray://127.0.0.1:9"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
