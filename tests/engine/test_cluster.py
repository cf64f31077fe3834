"""The engine on Ray: bits, faults, trainings. GLASSFORMER_CLUSTER_TESTS=1: a missing Ray fails."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from glassformer.app.runs import traces
from glassformer.app.runs.engine.client import HttpEngine
from glassformer.app.runs.engine.model_files import address_of
from glassformer.app.runs.engine.requests import Ask, Request, RunKey
from glassformer.app.runs.engine.runner import EngineRunner
from glassformer.app.runs.engine.training import Desk, EngineTraining, find_training
from glassformer.core.interruption import StoppedError, heard_by
from glassformer.core.training.queue.run_files import Plan
from glassformer.core.training.queue.training_queue import TrainingQueue, Workshop
from tests.architecture.sources import ROOT
from tests.engine.test_answers import ASKED, same
from tests.training.queue.small_runs import finished, plan

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(
        not find_spec("ray") and os.environ.get("GLASSFORMER_CLUSTER_TESTS") != "1",
        reason="Ray is not installed",
    ),
]
WAIT = 180.0  # seconds that a busy machine may take
TRACES = 1_000
WORDS = (
    "I you we they cats dogs students teachers friends children".split(),
    "like love see know want hear need help read find".split(),
    "music cats dogs books students teachers water tea friends children".split(),
)


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blobs")


@pytest.fixture(scope="module")
def address(blobs: Path) -> Iterator[str]:
    """An engine of its own, on two processors."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "GLASSFORMER_BLOBS": str(blobs), "GLASSFORMER_NICE": "0",
                   "GLASSFORMER_ENGINE_WORKERS": "1", "PYTHONPATH": str(ROOT)}  # fmt: skip
    command = [sys.executable, "-m", "glassformer", "engine", "--processors", "2"]
    with subprocess.Popen(
        [*command, "--port", str(port)], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and b"ray://127.0.0.1:%d" % port in process.stdout.readline()
        yield f"ray://127.0.0.1:{port}"
        process.terminate()
        assert process.wait(60) == 0


@pytest.fixture
def engine(address: str, blobs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpEngine]:
    monkeypatch.setenv("GLASSFORMER_BLOBS", str(blobs))
    found = HttpEngine(address)
    yield found
    found.close()


@pytest.fixture
def runner(engine: HttpEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[EngineRunner]:
    found = EngineRunner(engine)
    traces._traces.clear()
    monkeypatch.setattr(traces, "current_runner", lambda: found)
    yield found
    traces._traces.clear()


def kill(name: str, blobs: Path) -> int:
    """Kills what is called so among the processes of this engine; how many there were."""
    found = subprocess.run(["pgrep", "-f", name], capture_output=True, text=True, check=False)
    own = [
        pid
        for pid in map(int, found.stdout.split())
        if f"GLASSFORMER_BLOBS={blobs}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    ]
    for pid in own:
        os.kill(pid, signal.SIGKILL)
    return len(own)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


@pytest.mark.parametrize("name", ASKED)
def test_bits(name: str, engine: HttpEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    traces._traces.clear()
    wanted = ASKED[name]()
    for each in (traces._traces, traces._ablated_heads, traces._batches, traces._replays):
        each.clear()
    traces._means.clear()
    found = EngineRunner(engine)
    monkeypatch.setattr(traces, "current_runner", lambda: found)
    assert same(ASKED[name](), wanted) and found.trouble is None


def test_a_worker_is_killed_among_a_thousand_traces(runner: EngineRunner, blobs: Path) -> None:
    texts = list(map(" ".join, product(*WORDS)))[:TRACES]
    done = list[str]()

    def trace(text: str) -> None:
        assert traces.get_trace(text).source_text == text
        done.append(text)

    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(trace, text) for text in texts]
        for share in (0.2, 0.6):
            until(lambda share=share: len(done) > share * len(texts))  # type: ignore[misc]
            assert kill("ray::ServeReplica:glassformer:Tracer", blobs)
    for each in waiting:
        each.result()
    assert len(done) == len(texts) == TRACES and runner.trouble is None


def test_equal_requests_at_once_are_answered_alike(runner: EngineRunner) -> None:
    with ThreadPoolExecutor(8) as threads:
        key = RunKey("translator", text="We like water")
        asked = [threads.submit(runner.ask, Request(Ask.RUN, key), dict) for _ in range(16)]
        first, *others = [each.result() for each in asked]
    assert all(same(each, first) for each in others)


def test_stop_is_heard_by_the_worker(engine: HttpEngine) -> None:
    """What nobody waits for does not keep the next one waiting until its end."""

    class Impatient:
        def step(self) -> None: ...

        def progress(self, done: int, total: int) -> None: ...

        def idle(self) -> None:
            raise StoppedError

    text = "The animal didn't cross the street because it was too tired"
    place = address_of("translator")
    long = Request(Ask.REPLAY, RunKey("translator", text=text), (0, 50, 100, 200, 400, 1000))
    with heard_by(Impatient()), pytest.raises(StoppedError):
        engine.call(long, place)
    assert engine.call(Request(Ask.RUN, RunKey("translator", text=text)), place)[0] == "value"


def test_a_training_survives_its_process_its_worker_and_its_front(
    engine: HttpEngine, blobs: Path, tmp_path: Path
) -> None:
    """The weights are those of a training that nothing happened to."""
    wanted = plan(200)

    def make(workshop: Workshop, folder: Path, given: Plan) -> EngineTraining:
        return EngineTraining(folder, given, Desk(engine, "me", workshop.token))

    front = TrainingQueue(lambda _: True, 4, root=tmp_path, make_run=make)
    run = front.begin(front.open("me", token="ab" * 8), wanted)
    for share, process in ((0.2, "training.queue.worker"), (0.5, "ray::TrainingActor")):
        until(lambda share=share: front.tick() or run.log.step > share * 200)  # type: ignore[misc, func-returns-value]
        assert kill(process, blobs)
    run.leave()  # the front is gone
    found = find_training(Desk(engine, "me", "ab" * 8))
    assert found is not None and find_training(Desk(engine, "another", "ab" * 8)) is None
    again = EngineTraining(tmp_path / "again", found[1], Desk(engine, "me", "ab" * 8), found[0])
    until(lambda: again.poll() or finished(again))  # type: ignore[func-returns-value]
    assert again.status == "done"
    assert tuple(each.step for each in again.log.saved) == wanted.saved_steps
    here = TrainingQueue(lambda _: True, 1, root=tmp_path)
    alone = here.begin(here.open("me"), wanted)
    until(lambda: here.tick() or finished(alone))  # type: ignore[func-returns-value]
    assert again.model and alone.model
    one, other = (load_file(each.model / "model.safetensors") for each in (again, alone))
    assert all(torch.equal(one[name], other[name]) for name in other)
    assert [point.loss for point in again.log.curve] == [point.loss for point in alone.log.curve]
    front.close()
    here.close()
