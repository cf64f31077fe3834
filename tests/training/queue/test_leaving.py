"""A place is handed on when its owner has gone; and what is told when the disk is full."""

import errno
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError

from glassformer.core.errors import GlassformerError
from glassformer.core.training.queue import run as run_module
from glassformer.core.training.queue import training_queue as desk_module
from glassformer.core.training.queue import worker as work_module
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import Plan
from glassformer.core.training.queue.training_queue import GRACE, HANDOVER, TrainingQueue
from glassformer.core.training.queue.worker import FULL, Worker
from tests.training.queue.small_runs import plan

FULL_DISK = OSError(errno.ENOSPC, "No space left on device")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


class Process:
    """A training that goes on until it is told to stop."""

    def __init__(self, command: list[str], **_: Any) -> None:
        self.folder = Path(command[-1])
        self.code: int | None = None
        self.stdin = self

    def poll(self) -> int | None:
        return self.code

    def write(self, said: bytes) -> None:
        if said == b"stop\n":
            end = '{"what": "end", "how": "stopped", "step": 3}\n'
            (self.folder / "log.jsonl").write_text(end)
            self.code = 0

    def flush(self) -> None: ...
    def close(self) -> None: ...
    def wait(self, _: float | None = None) -> int:
        return 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Turns the desk's clock on; trainings are pretended."""
    now = [1000.0]
    monkeypatch.setattr(run_module.subprocess, "Popen", Process)
    monkeypatch.setattr(desk_module.time, "monotonic", lambda: now[0])

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    return pass_by


@pytest.fixture
def here(tmp_path: Path, clock: Callable[[float], None]) -> Any:
    present = {"a", "b", "c"}
    desk = TrainingQueue(present.__contains__, slots=1, root=tmp_path)
    desk._closed.set()  # the test looks at the line itself
    yield desk, present
    desk.close()


def test_who_left_gives_up_the_place_to_who_waits(here: Any, clock: Callable[..., None]) -> None:
    desk, present = here
    first, second = (desk.begin(desk.open(name), plan()) for name in "ab")
    present.remove("a")
    clock(HANDOVER - 1)  # a page that is loaded again
    desk.tick()
    assert (first.status, second.status) == ("running", "waiting")
    clock(2)
    desk.tick()
    assert first.status == "stopping" and first.handed_over
    desk.tick()
    assert (first.status, second.status) == ("stopped", "running") and first.can_resume
    assert HANDOVER <= 30 < GRACE


def test_nobody_waits_so_who_left_goes_on(here: Any, clock: Callable[..., None]) -> None:
    desk, present = here
    run = desk.begin(desk.open("a"), plan())
    present.clear()
    clock(GRACE - 1)
    desk.tick()
    assert run.status == "running" and not run.handed_over


def test_who_left_the_line_is_passed_by_and_finds_the_place_again(
    here: Any, clock: Callable[..., None]
) -> None:
    desk, present = here
    first, second, third = (desk.begin(desk.open(name), plan()) for name in "abc")
    present.remove("b")
    clock(HANDOVER + 1)
    desk.stop(first)
    desk.tick()
    assert (second.status, third.status) == ("waiting", "running")
    present.add("b")
    desk.stop(third)
    desk.tick()
    assert second.status == "running" and desk.place(second) == 0


def test_the_status_is_never_failed_while_a_run_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A busy machine takes long to start a process, and others look at the status meanwhile.
    seen: list[str] = []

    def slow(command: list[str], **_: Any) -> Process:
        seen.append(run.status)
        return Process(command)

    monkeypatch.setattr(subprocess, "Popen", slow)
    run = TrainingRun(tmp_path / "run", plan())
    run.start()
    assert seen == ["waiting"] and run.status == "running"
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: (_ for _ in ()).throw(FULL_DISK))
    run = TrainingRun(tmp_path / "other", plan())
    run.start()
    assert (run.status, run.log.reason) == ("failed", "disk")


SERIALIZER = SafetensorError("I/O error: No space left on device (os error 28)")


@pytest.mark.parametrize("error", [FULL_DISK, SERIALIZER], ids=["system", "safetensors"])
def test_a_training_on_a_full_disk_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def no_room(*_: Any, **__: Any) -> None:
        raise error

    plan().save(tmp_path)
    monkeypatch.setattr(work_module, "save_model", no_room)
    work = Worker(tmp_path, lambda: False)
    work.run()
    assert '"how": "failed"' in (tmp_path / "log.jsonl").read_text()
    assert '"reason": "disk"' in (tmp_path / "log.jsonl").read_text() and work.code == 0


@needs_full
def test_a_training_whose_log_has_no_room_ends_with_a_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan().save(tmp_path)
    work = Worker(tmp_path, lambda: False)
    with Path("/dev/full").open("w", buffering=1) as full, suppress(OSError):
        work.log.close()
        monkeypatch.setattr(work, "log", full)
        work.run()
    assert work.code == FULL
    monkeypatch.setattr(subprocess, "Popen", Process)
    run = TrainingRun(tmp_path / "run", plan())
    run.start()
    run._process.code = FULL  # type: ignore[union-attr]
    run.poll()
    assert (run.status, run.log.reason) == ("failed", "disk")


def test_a_line_that_the_disk_cut_is_passed_over(tmp_path: Path) -> None:
    run = TrainingRun(tmp_path / "run", plan())
    beat = '{"what": "phase", "phase": "training"}\n'
    (run.folder / "log.jsonl").write_text('{"what": "be\n' + beat)
    run.log.read()
    assert run.log.phase == "training"


@pytest.mark.parametrize("what", ["open", "begin"])
def test_the_desk_refuses_in_a_sentence(
    what: str, here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _ = here
    workshop = desk.open("a")
    run = desk.begin(workshop, plan())
    run.stop()
    run.poll()
    (run.folder / "model").mkdir()

    def full(*_: Any, **__: Any) -> None:
        raise FULL_DISK

    monkeypatch.setattr(Plan, "save", full)
    monkeypatch.setattr(Path, "mkdir", full if what == "open" else Path.mkdir)
    monkeypatch.setattr(desk_module.shutil, "copytree", full)
    acts = {"open": lambda: desk.open("b"), "begin": lambda: desk.begin(workshop, plan())}
    with pytest.raises(GlassformerError, match="no room"):
        acts[what]()
    assert os.listdir(workshop.folder) == ([] if what == "begin" else ["run-1"])
