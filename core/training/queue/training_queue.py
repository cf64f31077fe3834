"""Who trains when: a server's users, their runs, and the line they wait in.

A `TrainingQueue` belongs to a server: so many trainings run at once, the others wait. Each user has
a `Workshop`: a folder, with one run at a time. When the user has been gone for a moment and
somebody waits, the run stops, saved, and gives up its place; when for a while, or when the server
ends, processes and folders go.
"""

import atexit
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from glassformer.core.errors import GlassformerError
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import Plan

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "glassformer-trainings-"
GRACE = 180.0  # seconds that a user may be gone: a page is loaded again, a network fails
HANDOVER = 25.0  # seconds after which one who is gone gives up the place if somebody waits
TICK = 1.0  # seconds between two looks at the line
MOST_USERS = 40  # workshops; with one run each, also what bounds the line


def own_folder(parent: Path, prefix: str = PREFIX) -> tuple[Path, IO[str] | None]:
    """A fresh folder, and the lock that says its server lives; those without a server go.

    Args:
        parent: the folder in which it is made.
        prefix: of its name, and of those that go.

    Returns:
        The folder, and the file that is locked while it is open; None for the lock on Windows,
        where nothing is removed either.
    """
    root = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    if fcntl is None:
        return root, None
    for other in parent.glob(f"{prefix}*"):
        if other != root:
            _sweep(other)
    lock = (root / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    if root.exists():
        return root, lock
    lock.close()  # another server swept it between the two lines above
    return own_folder(parent, prefix)


def _sweep(folder: Path) -> None:
    """Removes the folder of a server that was killed: one whose lock nobody holds."""
    # OSError: it lives, is another user's, or is going at this moment.
    with suppress(OSError), (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


MakeRun = Callable[["Workshop", Path, Plan], TrainingRun]


def _run_here(_workshop: "Workshop", folder: Path, plan: Plan) -> TrainingRun:
    return TrainingRun(folder, plan)


class Workshop:
    """What one user has: a run.

    token: names it, in links, too. owner: the session that has it. secret: of the user's browser,
    whose next session has it when that one is gone; "" for none.
    """

    def __init__(
        self, folder: Path, token: str, owner: str, secret: str = "", make_run: MakeRun = _run_here
    ) -> None:
        folder.mkdir()
        self._make_run = make_run
        self.folder, self.token, self.owner, self.secret = folder, token, owner, secret
        self.run: TrainingRun | None = None
        self.seen = 0.0  # when its owner was last there, by the clock of the queue
        self.runs = 0  # so far

    def new_run(self, plan: Plan) -> TrainingRun:
        """The run of a plan, in place of the one before.

        Args:
            plan: what the run shall do.

        Returns:
            The run, which waits.

        Raises:
            OSError: its folder cannot be written.
        """
        self.discard()
        self.runs += 1
        self.run = self._make_run(self, self.folder / f"run-{self.runs}", plan)
        return self.run

    def discard(self) -> None:
        """Ends the run and forgets it."""
        if self.run is not None:
            self.run.close()
            self.run = None

    def close(self, leaves: bool = False) -> None:
        """Ends the run and removes everything.

        Args:
            leaves: the server ends; a run whose process is elsewhere goes on.
        """
        if leaves and self.run is not None:
            self.run.leave()
        self.discard()
        shutil.rmtree(self.folder, ignore_errors=True)


class TrainingQueue:
    """All workshops of a server, and the line of runs that wait.

    slots: trainings that run at once; by default all cores but one, at least one.
    alive: whether an owner (a session) is still there. make_run: the run of a workshop in a
    folder; by default its process is here. Every method may be called on any thread.
    """

    def __init__(
        self,
        alive: Callable[[str], bool],
        slots: int | None = None,
        grace: float = GRACE,
        root: Path | None = None,
        handover: float = HANDOVER,
        make_run: MakeRun = _run_here,
    ) -> None:
        self._make_run = make_run
        self.slots = slots or max(1, (os.cpu_count() or 1) - 1)
        self._alive, self._grace, self._handover = alive, grace, handover
        self._root, self._lock_file = own_folder(root or Path(tempfile.gettempdir()))
        self._workshops: dict[str, Workshop] = {}
        self._line: list[TrainingRun] = []
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None
        atexit.register(self.close)

    @property
    def is_full(self) -> bool:
        """Whether no further user can be taken in."""
        return len(self._workshops) >= MOST_USERS

    def open(self, owner: str, secret: str = "", token: str = "") -> Workshop:
        """A new workshop; look at `is_full` first.

        Args:
            owner: the session that has it.
            secret: of the user's browser; "" for none.
            token: its name, 16 hexadecimal digits that no other has; "" for a new one.

        Returns:
            The workshop.

        Raises:
            GlassformerError: `no_room` for a full disk.
        """
        with self._lock, _room():
            token = token or secrets.token_hex(8)
            workshop = Workshop(self._root / token, token, owner, secret, self._make_run)
            workshop.seen = time.monotonic()
            self._workshops[token] = workshop
            if self._watch is None:
                self._watch = threading.Thread(target=self._look, name="trainings", daemon=True)
                self._watch.start()
            return workshop

    def find(self, token: str, owner: str) -> Workshop | None:
        """The workshop of a token, if it is the owner's.

        Args:
            token: names the workshop.
            owner: the session that asks.

        Returns:
            The workshop; None where there is none, or it is another's.
        """
        with self._lock:
            workshop = self._workshops.get(token)
            return workshop if workshop is not None and workshop.owner == owner else None

    def claim(self, secret: str, owner: str, token: str = "") -> str:
        """The token of a browser's workshop, which this owner now has.

        Only one whose owner is gone, or that is this owner's own, can be claimed.

        Args:
            secret: of the browser; "" has no workshops.
            owner: the session that asks.
            token: of several workshops the one that is asked for.

        Returns:
            The token; "" for none. Where `token` names none of them it is the latest one's.
        """
        with self._lock:
            own = [
                each
                for each in self._workshops.values()
                if secrets.compare_digest(each.secret, secret)
                and (each.owner == owner or not self._alive(each.owner))
            ]
            if not secret or not own:
                return ""
            found = next((each for each in own if each.token == token), own[-1])
            found.owner, found.seen = owner, time.monotonic()
            return found.token

    def begin(self, workshop: Workshop, plan: Plan) -> TrainingRun:
        """Puts a new run in the line, or starts it.

        Args:
            workshop: of this queue.
            plan: what the run shall do.

        Returns:
            The run, in place of the workshop's run before.

        Raises:
            GlassformerError: `no_room` for a full disk.
        """
        with self._lock, _room():
            run = workshop.new_run(plan)
            self._line.append(run)
            self.tick()
            return run

    def resume(self, run: TrainingRun) -> None:
        """Puts a run that has stopped in the line again; one that cannot go on stays as it is.

        Args:
            run: of one of this queue's workshops.
        """
        with self._lock:
            if run.can_resume and run not in self._line:
                run.waits = True
                self._line.append(run)
            self.tick()

    def stop(self, run: TrainingRun) -> None:
        """Asks a run to stop; one that waits leaves the line.

        Args:
            run: of one of this queue's workshops.
        """
        with self._lock:
            run.stop()
            self.tick()

    def discard(self, workshop: Workshop) -> None:
        """Ends the workshop's run and forgets it.

        Args:
            workshop: of this queue.
        """
        with self._lock:
            workshop.discard()
            self.tick()

    def place(self, run: TrainingRun) -> int:
        """How many runs come before it, itself included.

        Args:
            run: of one of this queue's workshops.

        Returns:
            Its place in the line, counted from 1; 0 for one that does not wait.
        """
        with self._lock:
            return self._line.index(run) + 1 if run in self._line else 0

    @property
    def active(self) -> int:
        """How many runs train now."""
        with self._lock:
            runs = [each.run for each in self._workshops.values()]
            return sum(run is not None and run.is_active for run in runs)

    @property
    def waiting(self) -> int:
        """How many runs stand in the line."""
        return len(self._line)

    def tick(self) -> None:
        """Looks at all runs: those that ended make room, those in front of the line start."""
        with self._lock:
            for token, workshop in list(self._workshops.items()):
                if self._gone_for(workshop) > self._grace:
                    del self._workshops[token]
                    workshop.close()
            runs = [w.run for w in self._workshops.values() if w.run is not None]
            for run in runs:
                run.poll()
            self._line = [run for run in self._line if run.waits and run in runs]
            self._move_on([run for run in runs if run.is_active])

    def close(self) -> None:
        """Ends every training and removes every folder."""
        atexit.unregister(self.close)
        self._closed.set()
        with self._lock:
            for workshop in self._workshops.values():
                workshop.close(leaves=True)
            self._workshops.clear()
            self._line.clear()
        shutil.rmtree(self._root, ignore_errors=True)
        if self._lock_file is not None:
            self._lock_file.close()

    def _move_on(self, active: list[TrainingRun]) -> None:
        """Fills the places that are free; takes those of users who left, if others wait."""
        away = {w.run for w in self._workshops.values() if self._gone_for(w) > self._handover}
        ready = [run for run in self._line if run not in away]  # who left waits on
        for run in ready[: self.slots - len(active)]:
            self._line.remove(run)
            run.start()
        waiting = len(ready) - (self.slots - len(active))
        leaving = sum(run.status == "stopping" for run in active)
        left = [run for run in active if run in away and run.status == "running"]
        for run in left[: max(0, waiting - leaving)]:
            run.hand_over()

    def _gone_for(self, workshop: Workshop) -> float:
        """Seconds since the owner was last there; 0 while the owner is."""
        now = time.monotonic()
        if self._alive(workshop.owner):
            workshop.seen = now
        return now - workshop.seen

    def _look(self) -> None:
        while not self._closed.wait(TICK):
            with suppress(OSError, ValueError):  # one broken run: the others are still watched
                self.tick()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GlassformerError("no_room", problem=error.strerror or str(error)) from error
