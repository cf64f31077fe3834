"""Who trains when: the line, whose a workshop is, and that nothing is left behind."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from glassformer.core.training.queue import training_queue
from glassformer.core.training.queue.training_queue import PREFIX, TrainingQueue
from tests.architecture.sources import ROOT
from tests.training.queue.small_runs import WAIT, plan, until

pytestmark = pytest.mark.slow


def test_one_trains_and_the_others_wait(desk: TrainingQueue) -> None:
    first, second, third = (desk.open(name) for name in "abc")
    runs = [desk.begin(workshop, plan(5000)) for workshop in (first, second, third)]
    assert [run.status for run in runs] == ["running", "waiting", "waiting"]
    assert [desk.place(run) for run in runs] == [0, 1, 2]
    desk.stop(runs[1])
    assert runs[1].status == "stopped" and desk.place(runs[2]) == 1 and runs[1].model is None
    desk.discard(first)
    assert runs[2].status == "running" and desk.place(runs[2]) == 0


def test_the_line_moves_on_without_anybody_looking(desk: TrainingQueue) -> None:
    first = desk.begin(desk.open("a"), plan())
    second = desk.begin(desk.open("b"), plan(5000))
    end = time.monotonic() + WAIT
    while second.status == "waiting" and time.monotonic() < end:
        time.sleep(0.1)  # the desk's own thread does all
    assert (first.status, second.status) == ("done", "running")


def test_a_workshop_is_its_owners_until_the_owner_is_gone(tmp_path: Path) -> None:
    here = {"me", "you"}
    desk = TrainingQueue(here.__contains__, slots=1, grace=0.0, root=tmp_path)
    workshop = desk.open("me", "my browser")
    assert desk.find(workshop.token, "me") is workshop
    assert desk.find(workshop.token, "you") is None
    assert desk.find("0" * 16, "me") is None
    assert desk.claim("my browser", "my other tab") == ""
    here.remove("me")
    for browser in ("your browser", ""):  # who has the link alone has nothing
        assert desk.claim(browser, "you", workshop.token) == ""
    assert desk.claim("my browser", "me, again") == workshop.token
    assert desk.find(workshop.token, "me, again") is workshop
    run = desk.begin(workshop, plan(5000))
    here.clear()
    until(lambda: not workshop.folder.exists(), desk)
    assert not run.is_active
    desk.close()


PARENT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from glassformer.core.training.queue.training_queue import TrainingQueue
from tests.architecture.sources import ROOT
from tests.training.queue.small_runs import plan
desk = TrainingQueue(lambda _: True, slots=1, root=Path(sys.argv[1]))
run = desk.begin(desk.open("me"), plan(5000))
while run.log.step < 5:
    time.sleep(0.05)
    desk.tick()
print(run._process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="needs POSIX")
def test_the_process_dies_with_its_parent_and_the_next_server_sweeps(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), str(ROOT)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
    end = time.monotonic() + WAIT
    while _runs(child):
        assert time.monotonic() < end, "an orphan"
        time.sleep(0.05)
    (left,) = tmp_path.glob(f"{PREFIX}*")
    living = TrainingQueue(lambda _: True, root=tmp_path)
    assert not left.exists()
    other = TrainingQueue(lambda _: True, root=tmp_path)  # the folder of a living one is not swept
    assert len(list(tmp_path.glob(f"{PREFIX}*"))) == 2
    living.close()
    other.close()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_folder_that_another_server_sweeps_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock

    def late(file: Any, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        training_queue._sweep(Path(file.name).parent)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    folder, held = training_queue.own_folder(tmp_path)
    assert (folder / "lock").is_file() and [folder] == [*tmp_path.iterdir()]
    held.close()
