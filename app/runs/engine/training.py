"""A training in the engine, as a front holds it: like one of its own, but its process is elsewhere.

A thread writes what the engine tells into the run's folder, so that pages read the same files. The
store has its last checkpoint, too: it goes on, at another front, though the front that began it and
the engine's cluster are both lost.
"""

import json
import secrets
import shutil
import subprocess
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from glassformer.app.runs.engine.client import HttpEngine
from glassformer.app.runs.engine.runner import EngineAwayError, QueueFullError, WorkerDiedError
from glassformer.app.stores.blobs import open_blobs
from glassformer.app.stores.store import open_store
from glassformer.core.errors import GlassformerError
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import LOG, PLAN, Plan, RunLog
from glassformer.core.untrusted import read_json

PACE = 0.5  # seconds between two questions
KEPT = 24 * 3600.0  # seconds after its last news that a training in the store is gone on with
AWAY = (EngineAwayError, WorkerDiedError, QueueFullError)


@dataclass(frozen=True)
class Desk:
    """Where trainings are asked for, and by whom: the owner is a digest of the browser's cookie."""

    engine: HttpEngine
    owner: str
    workshop: str

    def ask(self, verb: str, token: str, **given: Any) -> dict[str, Any]:
        """The engine's answer. Errors: those of `AWAY`, ValueError."""
        body = json.dumps({"token": token, "owner": self.owner, **given}).encode()
        return read_json(self.engine.post(f"/trainings/{verb}", body))

    def note(self, token: str, plan: str, checkpoint: str) -> None:
        """Tell the store of the training. A store that is away learns it with the next news."""
        with suppress(GlassformerError):
            held = open_store()
            held.ask("delete from trainings where noted <= ?", held.clock() - KEPT)
            held.ask(
                "insert into trainings values (?, ?, ?, ?, ?, ?) on conflict (owner, workshop) "
                "do update set token = excluded.token, plan = excluded.plan, "
                "checkpoint = excluded.checkpoint, noted = excluded.noted",
                self.owner, self.workshop, token, plan, checkpoint, held.clock(),
            )  # fmt: skip

    def noted(self) -> tuple[str, str, str] | None:
        """Token, plan and last checkpoint of what the store knows. Errors: those of the store."""
        held = open_store()
        sql = "select token, plan, checkpoint from trainings where owner = ? and workshop = ? "
        asked = self.owner, self.workshop, held.clock() - KEPT
        return next(map(tuple, held.ask(f"{sql} and noted > ?", *asked)), None)

    def forget(self, token: str) -> None:
        """It has ended: nobody goes on with it."""
        sql = "delete from trainings where owner = ? and workshop = ? and token = ?"
        with suppress(GlassformerError):
            open_store().ask(sql, self.owner, self.workshop, token)


class RemoteProcess:
    """What a front sees of the process: as `subprocess.Popen`, and its own standard input."""

    def __init__(self, desk: Desk, token: str, folder: Path, checkpoint: str, *, there: bool):
        self.stdin, self.checkpoint = self, checkpoint
        self._desk, self._token, self._folder = desk, token, folder
        self._there = there  # whether the engine has it already
        self._boot, self._seen, self._code = "", 0, -1
        self._stop, self._left = threading.Event(), threading.Event()
        self._ended, self.lock, self.log_is_new = threading.Event(), threading.Lock(), False
        self._thread = threading.Thread(target=self._follow, name="engine training", daemon=True)
        self._thread.start()

    def poll(self) -> int | None:
        """0 when it has ended; None while it runs."""
        return 0 if self._ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended. Errors: TimeoutExpired."""
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise subprocess.TimeoutExpired(self._token, timeout or 0.0)
        return 0

    def kill(self) -> None:
        """The engine forgets it when it can be reached, or after an hour."""

    def write(self, said: bytes) -> None:
        """Takes "stop"."""
        if b"stop" in said:
            self._stop.set()

    def flush(self) -> None:
        """As of a file."""

    def close(self) -> None:
        """Nobody wants it any more."""
        self.leave(ends=True)

    def leave(self, ends: bool = False) -> None:
        """This front looks at it no longer; it goes on, unless it `ends`."""
        self._left.set()
        if ends:
            self._desk.forget(self._token)
            with suppress(*AWAY, ValueError):
                self._desk.ask("end", self._token)

    def _follow(self) -> None:
        asked_to_stop = False
        while not self._left.is_set():
            try:
                if not self._there:
                    self._start()
                    asked_to_stop = False
                if self._stop.is_set() and not asked_to_stop:
                    if "waits" in self._desk.ask("stop", self._token):
                        self._desk.ask("end", self._token)
                        raise EngineAwayError
                    asked_to_stop = True
                news = self._desk.ask("look", self._token, boot=self._boot, seen=self._seen)
                self._there = "gone" not in news  # with its cluster: it begins again there
                if "boot" in news and self._take(news):
                    self._desk.forget(self._token)
                    break
            except (*AWAY, ValueError, GlassformerError):
                if self._stop.is_set():  # it cannot be told; what is saved is here
                    self._write(['{"what": "end", "how": "stopped", "step": 0, "reason": ""}'])
                    break
            except OSError:
                break  # the folder has gone
            self._left.wait(PACE)
        self._ended.set()

    def _start(self) -> None:
        plan, checkpoint = (self._folder / PLAN).read_text("utf-8"), self.checkpoint
        noted = None if checkpoint else self._desk.noted()
        if noted is not None and noted[0] == self._token:
            checkpoint = noted[2]  # of the front before this one
        self._desk.ask("start", self._token, plan=plan, checkpoint=checkpoint)
        self._there = True
        self._desk.note(self._token, plan, checkpoint)

    def _take(self, news: dict[str, Any]) -> bool:
        """Writes what is new; whether the run has ended."""
        if news["checkpoint"] != self.checkpoint:
            kept = open_blobs().folder_of(news["checkpoint"], "run")
            shutil.copytree(
                kept, self._folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(LOG, PLAN)
            )
            self.checkpoint = news["checkpoint"]
            plan = (self._folder / PLAN).read_text("utf-8")
            self._desk.note(self._token, plan, self.checkpoint)
        with self.lock:
            if news["boot"] != self._boot:  # another actor: what the one before told may be void
                (self._folder / LOG).unlink(missing_ok=True)
                self.log_is_new = True
            self._write(news["lines"])
        self._boot, self._seen = news["boot"], news["seen"]
        return any(read_json(line)["what"] == "end" for line in news["lines"])

    def _write(self, lines: list[str]) -> None:
        with (self._folder / LOG).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


class EngineTraining(TrainingRun):
    """A training whose process is in the engine."""

    def __init__(self, folder: Path, plan: Plan, desk: Desk, token: str = "") -> None:
        super().__init__(folder, plan)
        self._desk = desk
        self._checkpoint = ""
        if token:  # the engine has it already
            self._process, self.waits = self._open(token, there=True), False

    def leave(self) -> None:
        """The server ends; the training goes on."""
        if isinstance(self._process, RemoteProcess):
            self._process.leave()
            self._process = None
        self.close()

    def poll(self) -> None:
        """As of a process here."""
        if isinstance(process := self._process, RemoteProcess):
            with process.lock:
                if process.log_is_new:
                    self.log, process.log_is_new = RunLog(self.folder / LOG), False
                self.log.read()
        super().poll()

    def _open_process(self) -> RemoteProcess:
        return self._open(f"{self._desk.workshop}-{secrets.token_hex(4)}", there=False)

    def _open(self, token: str, *, there: bool) -> RemoteProcess:
        return RemoteProcess(self._desk, token, self.folder, self._checkpoint, there=there)

    def _let_go(self) -> None:
        if isinstance(self._process, RemoteProcess):
            self._checkpoint = self._process.checkpoint
        super()._let_go()


def find_training(desk: Desk) -> tuple[str, Plan] | None:
    """The training of a workshop that the engine goes on with, though its front is gone.

    One that the engine has lost, with its cluster, is that of the store. None where there is none,
    or the engine does not answer.
    """
    try:
        found = desk.ask("find", desk.workshop)
        if "gone" in found and (noted := desk.noted()) is not None:
            found = {"token": noted[0], "plan": noted[1]}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / PLAN).write_text(found["plan"], encoding="utf-8")
            return found["token"], Plan.load(Path(folder))
    except (*AWAY, ValueError, KeyError, GlassformerError):
        return None


@lru_cache(maxsize=2)
def engine_at(address: str) -> HttpEngine:
    """Where trainings are asked for; one for all of them."""
    return HttpEngine(address)
