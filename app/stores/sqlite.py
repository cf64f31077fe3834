"""The store as one SQLite file in WAL mode: for the processes of one machine, never a network disk.

A server that was killed finds all of it again; what was deleted is overwritten.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glassformer.app.stores.schema import migrate_store
from glassformer.app.stores.store import Store, boot_seconds
from glassformer.core.errors import GlassformerError

BUSY = 5.0  # seconds to wait for another process
LOOK = 0.1  # seconds between two looks whether another process has changed anything: 4 µs each
BOOT = Path("/proc/sys/kernel/random/boot_id")
ADDED = (  # to tables that a file of before there were versions may have
    ("votes", "client", "text not null default ''"),
    ("rooms", "short", "integer not null default 0"),
    ("rooms", "shown", "integer"),
    ("rooms", "played", "integer"),
)


class SqliteStore(Store):
    """A connection that writes, and one that reads and waits for no writer."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._lock, self._reading = threading.RLock(), threading.Lock()
        self._changing = 0  # the thread that is, else 0
        with _told():
            self._db = _opened(path)
            self._reader = _connected(path)
        try:
            migrate_store(self)
            self._started = self._shared_start()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def changing(self, what: str = "") -> Iterator[None]:  # noqa: ARG002 - of the whole file
        if self._changing == threading.get_ident():
            yield
            return
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
        reads = sql.startswith("select") and self._changing != threading.get_ident()
        lock, db = (self._reading, self._reader) if reads else (self._lock, self._db)
        with lock, _told():
            return db.execute(sql, values).fetchall()

    def tell(self, topic: str) -> None:
        """Nothing: who watches sees that the file has changed, and looks."""

    def _listen(self) -> None:
        known = self._version()
        while not self._closed.wait(LOOK):
            if (found := self._version()) != known:
                known = found
                self._hear("")

    def clock(self) -> float:
        return self._started + boot_seconds()

    def close(self) -> None:
        self._closed.set()
        with self._lock, self._reading:
            self._db.close()
            self._reader.close()

    def _version(self) -> int:
        """What changes when another process changes the file, and not when this one does."""
        with self._lock:
            if self._closed.is_set():
                return 0
            return int(self._db.execute("pragma data_version").fetchone()[0])

    def _shared_start(self) -> float:
        """When the machine was started, as the first process said that opened the file since."""
        own = time.time() - boot_seconds()
        if not BOOT.exists():
            return own
        boot, name = BOOT.read_text("ascii").strip(), "clock"
        with self.changing():
            rows = self.ask("select value from shared where name = ?", name)
            if rows and rows[0][0].startswith(boot):
                return float(rows[0][0].removeprefix(boot))
            self.ask("delete from shared where name = ?", name)
            self.ask("insert into shared values (?, ?, ?)", name, f"{boot} {own!r}", time.time())
        return own


@contextmanager
def _told() -> Iterator[None]:
    """What the file's troubles are called."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise GlassformerError("hall_ended") from error
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise GlassformerError("hall_busy") from error
        raise GlassformerError("hall_disk", problem=str(error)) from error


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


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
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise GlassformerError("hall_folder", path=path) from error
    db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
    try:
        # In WAL mode with NORMAL what was committed survives the process; the disk is waited for
        # only now and then.
        _write_ahead(db)
        for setting in ("synchronous = normal", "foreign_keys = on", "secure_delete = on"):
            db.execute(f"pragma {setting}")
        _add_columns(db)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _add_columns(db: sqlite3.Connection) -> None:
    """Add the columns of `ADDED` that the tables lack; by one of several who come at once."""

    def lacking() -> list[tuple[str, str, str]]:
        named = {table: db.execute(f"pragma table_info({table})").fetchall() for table, *_ in ADDED}
        columns = {table: [each[1] for each in found] for table, found in named.items()}
        return [each for each in ADDED if columns[each[0]] and each[1] not in columns[each[0]]]

    if lacking():
        db.execute("begin immediate")
        for table, name, kind in lacking():
            db.execute(f"alter table {table} add column {name} {kind}")
        db.execute("commit")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Put the file into WAL mode. While another process does so, SQLite itself would not wait."""
    end = time.monotonic() + BUSY
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
