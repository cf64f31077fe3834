"""Who keeps which model or run: a row of the store each, with its bytes among the blobs.

Who has the fingerprint may read it, the owner alone renames and removes it. What nobody has looked
at for a week goes.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from glassformer.app.stores.blobs import Blobs, open_blobs, pack_folder
from glassformer.app.stores.store import Store, open_store
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings

KEPT_FOR = 7 * 86_400.0  # seconds since it was last looked at
TOUCHED = 3600.0  # seconds between two notes that it was
BYTES_OF_ONE, BYTES_OF_ALL = 256 * 2**20, 2 * 2**30  # of an owner, of all of them
MOST_OF_ONE = {"model": 10, "run": 5}
DIGITS, FEWEST = 16, 8  # of the fingerprint in a link: written, read at least
HEX = frozenset("0123456789abcdef")
MOST_LISTS = 2000  # that are remembered
TOPIC = "models"
Kind = Literal["model", "run"]
COLUMNS = "fingerprint, owner, kind, name, bytes, since, last_seen"


@dataclass(frozen=True)
class KeptBlob:
    """A row: whose blob it is and what it is called there; times in seconds since 1970."""

    fingerprint: str
    owner: str
    kind: Kind
    name: str
    nbytes: int
    since: float
    last_seen: float

    @property
    def link(self) -> str:
        """What a link names it by: "mine-1~0123456789abcdef"."""
        return f"{self.name}~{self.fingerprint[:DIGITS]}"


class KeptBlobs:
    """All rows, remembered until one changes, here or on another front; for all threads.

    Errors of all that is asked: those of the store, and blobs_away.
    """

    def __init__(self, store: Store, blobs: Blobs) -> None:
        self._store, self._blobs = store, blobs
        self._lists: dict[tuple[str, str], tuple[KeptBlob, ...]] = {}
        self._swept = 0.0
        store.watch(self._hear)

    def of_owner(self, owner: str) -> tuple[KeptBlob, ...]:
        """What one keeps, the oldest first."""
        return self._listed("owner = ?", owner)

    def find(self, link: str, kind: Kind, owner: str = "") -> KeptBlob | None:
        """What a link names, whoever keeps it; None where nobody does.

        Of several that keep it first the one who asks, then one who calls it so.
        """
        name, _, mark = link.rpartition("~")
        if not FEWEST <= len(mark) <= 64 or not HEX.issuperset(mark):
            return None
        found = [e for e in self._listed("fingerprint like ?", f"{mark}%") if e.kind == kind]
        return min(found, key=lambda e: (e.owner != owner, e.name != name), default=None)

    def keep(self, owner: str, kind: Kind, name: str, what: bytes | Path) -> KeptBlob:
        """Keep bytes or a folder under a name, in place of what has it; of runs the oldest goes.

        What this owner keeps already stays as it is called.
        Errors: kept_full where this owner may keep no more, too_many_kept where all together may
        not, blob_large.
        """
        if self._store.clock() - self._swept > TOUCHED:
            self.sweep()
        data = what if isinstance(what, bytes) else pack_folder(what)
        self._require_room(owner, kind, name, len(data))
        fingerprint = self._blobs.put(data)
        with self._changing():
            self._require_room(owner, kind, name, len(data))
            if not self._blobs.has(fingerprint):  # its last row has gone in this moment
                self._blobs.put(data)
            now, own = self._store.clock(), self._read("owner = ? and kind = ?", owner, kind)
            if same := [each for each in own if each.fingerprint == fingerprint]:
                return same[0]
            gone = [each for each in own if name == each.name]
            if kind == "run":
                gone += [each for each in own if each not in gone][: 1 - MOST_OF_ONE["run"]]
            self._delete(gone)
            kept = KeptBlob(fingerprint, owner, kind, name, len(data), now, now)
            sql = f"insert into models ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)"
            self._store.ask(sql, *vars(kept).values())
            self._remove_unneeded(gone)
        return kept

    def folder(self, kept: KeptBlob) -> Path:
        """A copy of its folder on this machine; never write to it. Errors: as `Blobs.get`."""
        self._touch(kept)
        return self._blobs.folder_of(kept.fingerprint, kept.name)

    def content(self, kept: KeptBlob) -> bytes:
        """Its bytes. Errors: as `Blobs.get`."""
        self._touch(kept)
        return self._blobs.get(kept.fingerprint)

    def rename(self, owner: str, kept: KeptBlob, name: str) -> None:
        """Another name for one's own. Errors: kept_foreign, kept_name where another has it."""
        with self._changing():
            own = self._own(owner, kept)
            if name in [each.name for each in own if each.kind == kept.kind]:
                raise GlassformerError("kept_name", name=name)
            sql = "update models set name = ? where fingerprint = ? and owner = ?"
            self._store.ask(sql, name, kept.fingerprint, owner)

    def remove(self, owner: str, kept: KeptBlob) -> None:
        """Keep one's own no longer; another owner's row of it stays. Errors: kept_foreign."""
        with self._changing():
            mine = [e for e in self._own(owner, kept) if e.fingerprint == kept.fingerprint]
            self._delete(mine)
            self._remove_unneeded(mine)

    def sweep(self) -> None:
        """Remove what nobody has looked at for a week, and blobs of that age without a row."""
        self._swept = self._store.clock()
        with self._changing():
            old = self._read("last_seen < ?", self._swept - KEPT_FOR)
            self._delete(old)
            self._remove_unneeded(old)
            needed = {each.fingerprint for each in self._read("1 = 1")}
            self._blobs.sweep(time.time() - KEPT_FOR, needed)

    def _own(self, owner: str, kept: KeptBlob) -> list[KeptBlob]:
        own = self._read("owner = ?", owner)
        if kept.fingerprint not in [each.fingerprint for each in own]:
            raise GlassformerError("kept_foreign", name=kept.name)
        return own

    def _delete(self, rows: Iterable[KeptBlob]) -> None:
        sql = "delete from models where fingerprint = ? and owner = ?"
        for each in rows:
            self._store.ask(sql, each.fingerprint, each.owner)

    def _remove_unneeded(self, rows: Iterable[KeptBlob]) -> None:
        """Last in a change: what no row names any more cannot come back."""
        for each in rows:
            if not self._read("fingerprint = ?", each.fingerprint):
                self._blobs.remove(each.fingerprint)

    def _require_room(self, owner: str, kind: Kind, name: str, size: int) -> None:
        rows = self._read("1 = 1")
        if sum({each.fingerprint: each.nbytes for each in rows}.values()) + size > BYTES_OF_ALL:
            raise GlassformerError("too_many_kept")
        own = [e for e in rows if e.owner == owner and (e.kind, e.name) != (kind, name)]
        models = sum(each.kind == "model" for each in own)
        full = kind == "model" and models >= MOST_OF_ONE["model"]
        if full or sum(each.nbytes for each in own) + size > BYTES_OF_ONE:
            most, limit = MOST_OF_ONE["model"], BYTES_OF_ONE // 2**20
            raise GlassformerError("kept_full", most=most, limit=limit)

    def _touch(self, kept: KeptBlob) -> None:
        if (now := self._store.clock()) - kept.last_seen < TOUCHED:
            return
        with suppress(GlassformerError), self._changing():  # it can be read all the same
            sql = "update models set last_seen = ? where fingerprint = ?"
            self._store.ask(sql, now, kept.fingerprint)

    def _listed(self, where: str, value: str) -> tuple[KeptBlob, ...]:
        lists = self._lists  # those of before a change that comes meanwhile are let go
        if (held := lists.get((where, value))) is None:
            held = tuple(self._read(where, value))
            if len(lists) < MOST_LISTS:
                lists[where, value] = held
        before = self._store.clock() - KEPT_FOR
        return tuple(each for each in held if each.last_seen >= before)

    def _read(self, where: str, *values: object) -> list[KeptBlob]:
        sql = f"select {COLUMNS} from models where {where} order by since"
        return [KeptBlob(*row) for row in self._store.ask(sql, *values)]

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._store.changing(TOPIC):
            yield
            self._store.tell(TOPIC)
        self._hear(TOPIC)  # now that others see it: a list read before is of before

    def _hear(self, topic: str) -> None:
        if topic in ("", TOPIC):
            self._lists = {}


def open_kept_blobs() -> KeptBlobs:
    """Those of this server, opened when they are first asked for. Errors: of store and blobs."""
    return _kept_blobs(open_store(), read_settings().blobs)


@lru_cache(maxsize=4)  # each rerun asks; where blobs lie that have no address, the store says
def _kept_blobs(store: Store, _address: str) -> KeptBlobs:
    return KeptBlobs(store, open_blobs())
