"""A training of one's own as a process: started, stopped, resumed, never left behind.

Nothing here waits for the process, except `Run.close`.
"""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Protocol

from glassformer.core.training.loop import FACTS
from glassformer.core.training.queue.run_files import LOG, Plan, RunLog
from glassformer.core.training.queue.worker import AT, FULL, MODEL, STATE, failure

PATIENCE = 3.0  # seconds a process has to go when everything is closed
WORKER = "glassformer.core.training.queue.worker"
SAID = "said.txt"  # what the process wrote to its outputs: nothing, if all is well

Status = Literal["waiting", "running", "stopping", "stopped", "done", "failed"]


class Process(Protocol):
    """What a run asks of its process; `subprocess.Popen` has it."""

    @property
    def stdin(self) -> Any: ...  # takes "stop"

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


class TrainingRun:
    """One training: its folder, its process if it has one, and its log."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        folder.mkdir(parents=True)
        try:
            plan.save(folder)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.folder, self.plan = folder, plan
        self.log = RunLog(folder / LOG)
        self.waits = True
        self.handed_over = False  # stopped, for its owner was gone and somebody waited
        self._process: Process | None = None
        self._asked_to_stop = False

    @property
    def status(self) -> Status:
        """Where the run is; call `poll` first."""
        if self.waits:
            return "waiting"
        if self._process is not None:
            return "stopping" if self._asked_to_stop else "running"
        if self.log.end in ("done", "stopped"):
            return "done" if self.log.end == "done" else "stopped"
        return "failed"

    @property
    def is_active(self) -> bool:
        """Whether a process works on it now."""
        return self._process is not None

    @property
    def model(self) -> Path | None:
        """The folder of the result; None while it runs and before the first one."""
        folder = self.folder / MODEL
        return folder if not self.is_active and folder.is_dir() else None

    @property
    def can_resume(self) -> bool:
        """Whether there is a state to go on from; one handed over may begin anew."""
        if self.status not in ("stopped", "failed"):
            return False
        return self.handed_over or (self.folder / STATE / FACTS).is_file()

    def at(self, step: int) -> Path:
        """The folder of the model at a step that the log calls saved.

        Args:
            step: steps done.

        Returns:
            The folder, whether it is there or not.
        """
        return self.folder / AT / f"{step:06d}"

    @property
    def seconds_left(self) -> float | None:
        """At the speed measured so far; None before there is one."""
        saves = sum(step > self.log.step for step in self.plan.saved_steps)
        return self.log.seconds_left(self.plan.recipe.steps, saves)

    def start(self) -> None:
        """Starts the process, or starts it again where it stopped.

        It waits until the process is there: others may ask for the status at any moment.
        """
        self.log.begin_again()
        self._asked_to_stop = self.handed_over = False
        try:
            self._process = self._open_process()
        except OSError as error:  # no room on the disk, or for one more process
            self.log.end, self.log.reason = "failed", failure(error)
        self.waits = False

    def stop(self) -> None:
        """Asks the process to stop after the step it is in; a waiting run leaves the line."""
        if self.waits:
            self.log.end, self.waits = "stopped", False
        elif self._process is not None and self._process.stdin is not None:
            self._asked_to_stop = True
            with suppress(OSError):
                self._process.stdin.write(b"stop\n")
                self._process.stdin.flush()

    def hand_over(self) -> None:
        """Asks a run whose owner is gone to stop, so that the next one may start."""
        self.handed_over = True
        self.stop()

    def poll(self) -> None:
        """Reads the log; lets go of the process when it has ended."""
        if self._process is None:
            return
        code = self._process.poll()
        self.log.read()
        if code == FULL and not self.log.end:  # there was no room to write it down
            self.log.end, self.log.reason = "failed", "disk"
        if code is not None:
            self._let_go()

    def leave(self) -> None:
        """The server ends: as `close`, but of a process elsewhere, which goes on."""
        self.close()

    def close(self) -> None:
        """Ends the process and removes the folder."""
        process = self._process
        self._let_go()
        if process is not None:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open_process(self) -> "Process":
        path = os.pathsep.join(filter(None, sys.path))  # what this process imports, that one can
        one = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": path}
        with (self.folder / SAID).open("wb") as said:
            return subprocess.Popen(
                [sys.executable, "-m", WORKER, str(self.folder)],
                env={**os.environ, **one},
                stdin=subprocess.PIPE,  # its end tells the process that this one is gone
                stdout=said,
                stderr=said,
                start_new_session=True,  # Ctrl-C in the terminal is for the server
            )

    def _let_go(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self._process = None
