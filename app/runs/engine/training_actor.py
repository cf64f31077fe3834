"""A training in the engine: an actor of Ray that outlives the fronts, and its own death.

The actor has the run's process on its machine. Each model that is saved is a checkpoint among the
blobs, and where the last one is the cluster knows: a new actor, on any machine, goes on from there.
"""

import asyncio
import json
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.experimental.internal_kv import (
    _internal_kv_del,
    _internal_kv_get,
    _internal_kv_list,
    _internal_kv_put,
)

from glassformer.app.stores.blobs import open_blobs
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.history import HISTORY
from glassformer.core.training.loop import FACTS
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import LOG, PLAN, Plan
from glassformer.core.training.queue.training_queue import own_folder
from glassformer.core.training.queue.worker import STATE
from glassformer.core.untrusted import read_json

SPACE = "glassformer"  # of names in the cluster
ABOUT = "about/"  # before a token: what another front must know
TOKEN = re.compile("[0-9a-f]{1,64}-[0-9a-f]{8}")
FOLDERS = "glassformer-engine-trainings-"
PACE = 0.25  # seconds between two looks at the process
PATIENCE = 2.0  # seconds that a question to an actor waits
FORGOTTEN = 3600.0  # seconds after which an ended training that nobody asked for goes
STARTS = 3  # of a process that dies, from one checkpoint


class TrainingActor:
    """One training: its process, what its log says, its last checkpoint."""

    def __init__(self, token: str, owner: str, plan: str, checkpoint: str) -> None:
        self._token, self._owner = token, owner
        self._boot = secrets.token_hex(8)
        known = _internal_kv_get(token.encode(), namespace=SPACE.encode())
        self._checkpoint = known.decode() if known else checkpoint
        self._said, self._held, self._read = list[str](), list[str](), 0
        self._asked, self._starts = time.monotonic(), 1
        root, self._lock_file = own_folder(Path(tempfile.gettempdir()), FOLDERS)
        (root / PLAN).write_text(plan, encoding="utf-8")
        self._run = TrainingRun(root / "run", Plan.load(root))
        if self._checkpoint:
            kept = open_blobs().folder_of(self._checkpoint, "run")
            shutil.copytree(kept, self._run.folder, dirs_exist_ok=True)
            _open_log_again(self._run.folder / LOG)
        self._run.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def answer(self, verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a front asks: look, stop or end."""
        if given["owner"] != self._owner:
            return {"gone": True}
        self._asked = time.monotonic()
        if verb == "stop":
            self._run.stop()
        elif verb == "end":
            self._starts = STARTS
            self._run.close()
        start = given.get("seen", 0) if given.get("boot") == self._boot else 0
        lines = self._said[start:]
        return {"boot": self._boot, "seen": start + len(lines), "lines": lines,
                "checkpoint": self._checkpoint}  # fmt: skip

    def _watch(self) -> None:
        while True:
            with suppress(OSError, GlassformerError):  # the blobs are away: it is tried again
                self._run.poll()
                self._take_log()
                if not self._run.is_active and not self._run.log.end and self._starts < STARTS:
                    self._starts += 1
                    self._run.start()
            if not self._run.is_active and time.monotonic() - self._asked > FORGOTTEN:
                end_actor(self._token)
                return
            time.sleep(PACE)

    def _take_log(self) -> None:
        """Tells what the log says; what names a saved model, when there is a checkpoint of it."""
        with suppress(FileNotFoundError), (self._run.folder / LOG).open("rb") as file:
            file.seek(self._read)
            added = file.read()
            whole = added[: added.rfind(b"\n") + 1]
            self._read += len(whole)
            self._held += whole.decode().splitlines()
        if any(json.loads(line)["what"] in ("saved", "end") for line in self._held):
            self._checkpoint = self._keep()
            self._starts = 1
            _internal_kv_put(
                self._token.encode(), self._checkpoint.encode(), namespace=SPACE.encode()
            )
        self._said += self._held
        self._held = []

    def _keep(self) -> str:
        """A checkpoint: the run's folder at a moment when nothing is half written."""
        files = [self._run.folder / STATE / name for name in (FACTS, HISTORY)]
        while True:
            before = [_content(each) for each in files]
            with suppress(FileNotFoundError):
                found = open_blobs().put_folder(self._run.folder)
                if before == [_content(each) for each in files]:
                    return found


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _open_log_again(path: Path) -> None:
    """The log of a run that goes on: without its end."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    going = [each for each in lines if each.endswith("\n") and json.loads(each)["what"] != "end"]
    path.write_text("".join(going), encoding="utf-8")


def end_actor(token: str) -> None:
    """Ends a training's actor, if there is one, for good."""
    for key in (token, f"{ABOUT}{token}"):
        _internal_kv_del(key.encode(), namespace=SPACE.encode())
    with suppress(ValueError):
        ray.kill(ray.get_actor(token, namespace=SPACE))


def _find(workshop: str, owner: str) -> dict[str, Any]:
    """The last training of a workshop, whether its actor is there or about to be."""
    space = SPACE.encode()
    found: dict[str, Any] = {"gone": True}
    for key in _internal_kv_list(f"{ABOUT}{workshop}-".encode(), namespace=space):
        about = json.loads(_internal_kv_get(key, namespace=space) or b"{}")
        if about.get("owner") == owner:
            found = about
    return found


async def answer_front(verb: str, body: bytes) -> bytes:
    """What a front asks of trainings: start, look, stop, find, end; JSON both ways.

    Errors: ValueError, KeyError for anything else.
    """
    given = read_json(body)
    token = given["token"]
    if verb == "find":
        return json.dumps(_find(token, given["owner"])).encode()
    if not TOKEN.fullmatch(token):
        raise ValueError("token")
    if verb == "start":
        options = {"name": token, "namespace": SPACE, "lifetime": "detached", "num_cpus": 1,
                   "max_restarts": -1, "get_if_exists": True}  # fmt: skip
        wanted = token, given["owner"], given["plan"], given["checkpoint"]
        about = json.dumps({"token": token, "owner": given["owner"], "plan": given["plan"]})
        _internal_kv_put(f"{ABOUT}{token}".encode(), about.encode(), namespace=SPACE.encode())
        ray.remote(TrainingActor).options(**options).remote(*wanted)
        return b"{}"
    found: dict[str, Any]
    try:
        actor = ray.get_actor(token, namespace=SPACE)
        found = await asyncio.wait_for(actor.answer.remote(verb, given), PATIENCE)
    except ValueError:
        found = {"gone": True}
    except (TimeoutError, RayError):
        found = {"waits": True}  # for a processor, or until it is there again
    if verb == "end" and "gone" not in found:
        end_actor(token)
    return json.dumps(found).encode()
