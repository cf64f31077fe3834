"""The store that all fronts (processes that serve pages) share: rows, changes heard, one clock.

One SQL for SQLite and Postgres, with `?` for values: what differs is translated in `postgres.py`.
"""

import os
import secrets
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import POSTGRES, read_settings

FILE = "store.sqlite3"
UNUSED = 24 * 3600.0  # seconds without a front after which keys are drawn anew
TOUCHED = 3600.0  # seconds between two notes that there is one

Heard = Callable[[str], None]


class Store(ABC):
    """Rows that several processes share; for all threads.

    Errors of all that is asked: hall_busy where another holds it, hall_disk, hall_ended for what
    belongs to a row that has gone, store_away where it cannot be reached.
    """

    def __init__(self) -> None:
        self.front = secrets.token_hex(4)  # of this process among those that share it
        self._heard = list[Heard]()
        self._closed = threading.Event()

    @abstractmethod
    def ask(self, sql: str, *values: Any) -> list[Any]:
        """The rows of one statement."""

    @abstractmethod
    def changing(self, what: str = "") -> AbstractContextManager[None]:
        """All that is asked inside happens, or nothing of it; nobody changes `what` meanwhile.

        In a thread that is changing already it is a part of that change.
        """

    @abstractmethod
    def tell(self, topic: str) -> None:
        """The other fronts hear of a topic: of a change with it, once it has happened."""

    def watch(self, heard: Heard) -> None:
        """From now on call this, in a thread, with what other fronts tell; "" for anything."""
        self._heard.append(heard)
        if len(self._heard) == 1:
            threading.Thread(target=self._listen, name="store", daemon=True).start()

    @abstractmethod
    def _listen(self) -> None:
        """Call `_hear` until the store is closed."""

    def _hear(self, topic: str) -> None:
        for heard in self._heard:
            heard(topic)

    @abstractmethod
    def clock(self) -> float:
        """Seconds since 1970 on the clock that all fronts share; no jump of theirs moves it."""

    @abstractmethod
    def close(self) -> None:
        """Let it go; nothing is heard any more."""


def boot_seconds() -> float:
    """Seconds that nobody sets; where the system tells, those asleep count."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def open_store() -> Store:
    """The store of this process's settings, opened when it is first asked for.

    Errors: hall_folder, store_driver, store_newer, store_start.
    """
    given = read_settings()
    port = "" if given.store else _port(given.hall_folder)
    with _OPENING:  # a cache alone lets two threads open one each
        return _store(given.store, given.hall_folder, port)


def close_stores() -> None:
    """Let go what `open_store` has opened; it opens again when it is asked for."""
    for held in _OPEN:
        held.close()
    _OPEN.clear()
    _store.cache_clear()


def shared_value(name: str, draw: Callable[[], str]) -> str:
    """A secret of all fronts: the first one draws it; kept while there are fronts, and a day.

    Errors: those of the store.
    """
    held = open_store()
    sql = "select value from shared where name = ? and seen > ?"
    if not (rows := held.ask(sql, name, held.clock() - UNUSED)):
        with held.changing("shared"):
            held.ask("delete from shared where name = ? and seen <= ?", name, held.clock() - UNUSED)
            sql = "insert into shared values (?, ?, ?) on conflict do nothing"
            held.ask(sql, name, draw(), held.clock())
            rows = held.ask("select value from shared where name = ?", name)
    return str(rows[0][0])


def keep_shared_values() -> None:
    """There is a front still; ask for it now and then."""
    held = open_store()
    sql = "update shared set seen = ? where seen < ?"
    held.ask(sql, held.clock(), held.clock() - TOUCHED)


_OPEN: list[Store] = []
_OPENING = threading.Lock()


@lru_cache(maxsize=4)
def _store(given: str, folder: str, port: str) -> Store:
    held = _opened(given, folder, port)
    _OPEN.append(held)
    return held


def _opened(given: str, folder: str, port: str) -> Store:
    if given.startswith(POSTGRES):
        try:
            from glassformer.app.stores.postgres import PostgresStore
        except ImportError as error:
            raise GlassformerError("store_driver") from error
        return PostgresStore(given)
    from glassformer.app.stores.sqlite import SqliteStore

    if given and _is_file(given):
        return SqliteStore(Path(given))
    return SqliteStore(_folder(given or folder) / (f"hall-{port}.sqlite3" if port else FILE))


def _port(folder: str) -> str:
    if not folder:
        return ""
    from streamlit import config  # late: other processes than a front have none

    return str(config.get_option("server.port"))


def place_beside(name: str) -> Path:
    """A folder beside this server's store, for those who share it. Errors: hall_folder."""
    given = read_settings()
    if given.store and not given.store.startswith(POSTGRES):
        place = Path(given.store)
        return (place.parent if _is_file(given.store) else place) / name
    port = "" if given.store else _port(given.hall_folder)
    return _folder(given.hall_folder) / (f"{name}-{port}" if port else name)


def _is_file(given: str) -> bool:
    return bool(Path(given).suffix) and not Path(given).is_dir()


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
