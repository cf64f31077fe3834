"""The rooms on disk: one SQLite file in WAL mode, so that a killed server finds all of it again.

The folder is this user's alone, a server's file has its port in its name; what was deleted is
overwritten.
"""

import asyncio
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from streamlit import config

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings

BUSY = 5.0  # seconds to wait for another process
Result = TypeVar("Result")
SCHEMA = """
create table if not exists rooms (
    code text primary key, lecture text not null, language text not null,
    scene integer not null default 0, black integer not null default 0,
    revision integer not null default 1, handed integer not null default 0,
    lock blob not null, secret blob not null,
    opened real not null, seen real not null, started real,
    short integer not null default 0, shown integer, played integer
);
create table if not exists asked (
    room text not null references rooms on delete cascade, scene integer not null,
    place integer not null, since real not null, primary key (room, scene)
);
create table if not exists proposals (
    number integer primary key autoincrement,
    room text not null references rooms on delete cascade, voter text not null,
    client text not null, kind text not null, text text not null, sent real not null
);
create table if not exists answers (
    room text not null references rooms on delete cascade, scene integer not null,
    answer text not null, primary key (room, scene)
);
create table if not exists votes (
    room text not null references rooms on delete cascade, scene integer not null,
    voter text not null, value text not null, client text not null default '',
    primary key (room, scene, voter)
) without rowid;
create table if not exists prepared (
    room text not null references rooms on delete cascade, scene integer not null,
    told text not null, primary key (room, scene)
);
create table if not exists pictures (
    room text not null references rooms on delete cascade, scene integer not null,
    version text not null, body blob not null, primary key (room, scene)
);
"""
ADDED = (
    ("votes", "client", "text not null default ''"),
    ("rooms", "short", "integer not null default 0"),
    ("rooms", "shown", "integer"),
    ("rooms", "played", "integer"),
)


class Store:
    """A connection that writes, and one that reads and waits for no writer; for all threads.

    Errors of all that is asked: hall_busy where another process holds the file, hall_disk.
    """

    def __init__(self, path: Path) -> None:
        self._lock, self._reading = threading.RLock(), threading.Lock()
        self._changing = 0  # the thread that is, else 0
        with _told():
            self._db = _opened(path)
            self._reader = _connected(path)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """All that is asked inside happens, or nothing of it; nobody else's changes between."""
        with self._lock, _told():
            self._db.execute("begin immediate")
            self._changing = threading.get_ident()
            try:
                yield
                self._db.commit()
            except BaseException:
                self._db.rollback()
                raise
            finally:
                self._changing = 0

    def ask(self, sql: str, *values: Any) -> list[Any]:
        """The rows of one statement."""
        reads = sql.startswith("select") and self._changing != threading.get_ident()
        lock, db = (self._reading, self._reader) if reads else (self._lock, self._db)
        with lock, _told():
            return db.execute(sql, values).fetchall()

    def close(self) -> None:
        """Let the file go."""
        with self._lock, self._reading:
            self._db.close()
            self._reader.close()


class Line:
    """What waits for the store: some threads of its own, so that the event loop never does.

    The threads of everybody else are not used up while another process holds the file.
    """

    def __init__(self, threads: int, most: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "rooms")
        self._waiting, self._most = 0, most

    async def run(self, act: Callable[..., Result], *values: Any) -> Result:
        """What a function gives, called in one of the threads. Errors: hall_busy, its own."""
        if self._waiting >= self._most:
            raise GlassformerError("hall_busy")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, partial(act, *values))
        finally:
            self._waiting -= 1


READING, WRITING = Line(2, 4000), Line(2, 1000)


@contextmanager
def _told() -> Iterator[None]:
    """What the file's troubles are called."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise GlassformerError("hall_busy") from error
        raise GlassformerError("hall_disk", problem=str(error)) from error


def open_store() -> Store:
    """This server's store, opened when it is first asked for. Errors: hall_folder."""
    port = config.get_option("server.port")
    return _store(read_settings().hall_folder, f"hall-{port}.sqlite3")


@lru_cache(maxsize=4)
def _store(given: str, name: str) -> Store:
    return Store(_folder(given) / name)


def _folder(given: str) -> Path:
    """The folder asked for; this user's own; a temporary one where that cannot be written."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    user = os.getuid() if hasattr(os, "getuid") else "own"
    usual = (Path(state) / "glassformer", Path(tempfile.gettempdir()) / f"glassformer-{user}")
    for folder in (Path(given),) if given else usual:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder):
                return folder
    raise GlassformerError("hall_folder", path=given or usual[0])


def _is_private(folder: Path) -> bool:
    """Whether it can be written, and nobody else has laid it there or looks into it."""
    if not hasattr(os, "getuid"):
        return os.access(folder, os.W_OK)
    about = folder.stat()
    if about.st_uid == os.getuid() and about.st_mode & 0o077:
        folder.chmod(0o700)
    return about.st_uid == os.getuid() and os.access(folder, os.W_OK)


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _connected(path)
    except sqlite3.OperationalError:  # another process holds it
        raise
    except sqlite3.DatabaseError:  # damaged: what it held is of today, and the hall is waiting
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink(missing_ok=True)
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)
    db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
    try:
        # In WAL mode with NORMAL what was committed survives the process; the disk is waited for
        # only now and then.
        for setting in ("journal_mode = wal", "synchronous = normal", "foreign_keys = on",
                        "secure_delete = on"):  # fmt: skip
            db.execute(f"pragma {setting}")
        db.executescript(SCHEMA)
        for table, name, kind in ADDED:  # a file of an earlier version
            if name not in [each[1] for each in db.execute(f"pragma table_info({table})")]:
                db.execute(f"alter table {table} add column {name} {kind}")
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db
