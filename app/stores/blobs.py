"""What is too large for a row: models and runs, each under the SHA-256 of its bytes.

A blob never changes, so every front may keep a copy of its own. Half of one is never read: a folder
gets it under another name first, and whoever reads it holds the digest against the name.
"""

import atexit
import hashlib
import io
import os
import re
import secrets
import shutil
import tarfile
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from glassformer.app.stores.store import place_beside
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.training.queue.training_queue import own_folder

BLOB_BYTES = 192 * 2**20  # of one
UNPACKED_BYTES = 2 * 2**30  # of the folders that a process has at hand
FINGERPRINT = re.compile("[0-9a-f]{64}")
PART = re.compile(r"[\w-][\w.-]{0,99}")  # of a path inside of a packed folder
MOST_FILES = 1000  # of a packed folder
UNFINISHED = ".new-"
A_DAY = 86_400.0
UNPACKED = "glassformer-unpacked-"


class Blobs(ABC):
    """Bytes and folders by their fingerprint, for all threads.

    Errors of all that is asked: blobs_away where the place does not answer or is full.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unpacked = OrderedDict[tuple[str, str], tuple[Path, int]]()
        self._home: Path | None = None
        self._alive: Any = None  # the lock that says that this process needs its copies

    def put(self, data: bytes) -> str:
        """Keep bytes; returns their fingerprint, 64 hexadecimal digits. Errors: blob_large."""
        if len(data) > BLOB_BYTES:
            raise GlassformerError("blob_large", limit=BLOB_BYTES // 2**20)
        fingerprint = hashlib.sha256(data).hexdigest()
        with _told():
            self._write(fingerprint, data)
        return fingerprint

    def get(self, fingerprint: str) -> bytes:
        """The bytes. Errors: blob_missing, blob_damaged for others than those that were put."""
        _check(fingerprint)
        try:
            with _told():
                data = self._read(fingerprint)
        except FileNotFoundError as error:
            raise GlassformerError("blob_missing") from error
        if hashlib.sha256(data).hexdigest() != fingerprint:
            raise GlassformerError("blob_damaged")
        return data

    def put_folder(self, folder: Path) -> str:
        """Keep a folder's files, whatever it is called; returns their fingerprint."""
        return self.put(pack_folder(folder))

    def folder_of(self, fingerprint: str, name: str = "model") -> Path:
        """This process' own copy of a folder that was put, under a name. Never write to it.

        It may go when others need the room: ask anew each time. Errors: as `get`.
        """
        key = fingerprint, name
        if (held := self._unpacked.get(key)) is not None:
            return held[0]
        data = self.get(fingerprint)
        with self._lock:
            if key not in self._unpacked:
                self._unpacked[key] = self._unpack(data, fingerprint, name), len(data)
            place = self._unpacked[key][0]
            while sum(size for _, size in self._unpacked.values()) > UNPACKED_BYTES:
                if len(self._unpacked) == 1:
                    break
                shutil.rmtree(self._unpacked.popitem(last=False)[1][0].parent, ignore_errors=True)
        return place

    def remove(self, fingerprint: str) -> None:
        """Keep it no longer; nothing happens where it is not there."""
        _check(fingerprint)
        with self._lock:
            for key in [each for each in self._unpacked if each[0] == fingerprint]:
                shutil.rmtree(self._unpacked.pop(key)[0].parent, ignore_errors=True)
        with suppress(FileNotFoundError), _told():
            self._delete(fingerprint)

    def has(self, fingerprint: str) -> bool:
        """Whether something lies there under that fingerprint."""
        _check(fingerprint)
        with _told():
            return self._is_there(fingerprint)

    @abstractmethod
    def sweep(self, before: float, needed: set[str]) -> None:
        """Remove what was put before a moment, in seconds since 1970, and is not needed."""

    @abstractmethod
    def _write(self, fingerprint: str, data: bytes) -> None: ...

    @abstractmethod
    def _read(self, fingerprint: str) -> bytes: ...

    @abstractmethod
    def _delete(self, fingerprint: str) -> None: ...

    @abstractmethod
    def _is_there(self, fingerprint: str) -> bool: ...

    def _unpack(self, data: bytes, fingerprint: str, name: str) -> Path:
        with _told():
            if self._home is None:
                self._home, self._alive = own_folder(Path(tempfile.gettempdir()), UNPACKED)
                atexit.register(self.close)
            place = self._home / f"{fingerprint[:16]}-{secrets.token_hex(4)}" / name
            try:
                unpack_folder(data, place)
            except BaseException:
                shutil.rmtree(place.parent, ignore_errors=True)
                raise
        return place

    def close(self) -> None:
        """This process needs its copies no longer."""
        with self._lock:
            self._unpacked.clear()
            if self._home is not None:
                shutil.rmtree(self._home, ignore_errors=True)
            if self._alive is not None:
                self._alive.close()
            self._home = self._alive = None


class FolderBlobs(Blobs):
    """Blobs as files of a folder, which several processes, or machines of one disk, may share."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        with _told():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def sweep(self, before: float, needed: set[str]) -> None:
        """Remove what was put before a moment and is not needed, and what was left half written."""
        with _told(), os.scandir(self._folder) as entries:
            for each in entries:
                half, limit = each.name.startswith(UNFINISHED), time.time() - A_DAY
                if not (half or FINGERPRINT.fullmatch(each.name)) or each.name in needed:
                    continue
                with suppress(FileNotFoundError):  # another front has taken it away
                    if each.stat().st_mtime < (limit if half else before):
                        os.unlink(each.path)

    def _write(self, fingerprint: str, data: bytes) -> None:
        unfinished = self._folder / f"{UNFINISHED}{secrets.token_hex(8)}"
        try:
            with open(unfinished, "xb", opener=_private) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._folder / fingerprint)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _read(self, fingerprint: str) -> bytes:
        with (self._folder / fingerprint).open("rb") as file:
            return file.read(BLOB_BYTES + 1)

    def _delete(self, fingerprint: str) -> None:
        (self._folder / fingerprint).unlink()

    def _is_there(self, fingerprint: str) -> bool:
        return (self._folder / fingerprint).is_file()


class AddressBlobs(Blobs):
    """Blobs where an address of `fsspec` leads, such as s3://bucket/folder or memory://models.

    Errors: setting where no such address is known, or what speaks its protocol is not installed.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        try:
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(address, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            allowed = f"a folder, s3://…, memory://… ({error})"
            raise GlassformerError(
                "setting", name="GLASSFORMER_BLOBS", given=address, allowed=allowed
            ) from error
        with _told():
            self._files.makedirs(self._root, exist_ok=True)

    def sweep(self, before: float, needed: set[str]) -> None:
        """Remove what was put before a moment and is not needed."""
        with _told():
            for path in self._files.ls(self._root, detail=False):
                name = PurePosixPath(path).name
                if not FINGERPRINT.fullmatch(name) or name in needed:
                    continue
                # A place that does not tell times keeps what no row names.
                with suppress(FileNotFoundError, NotImplementedError):
                    if self._files.modified(path).timestamp() < before:
                        self._files.rm_file(path)

    def _path(self, fingerprint: str) -> str:
        return f"{self._root.rstrip('/')}/{fingerprint}"

    def _write(self, fingerprint: str, data: bytes) -> None:
        self._files.pipe_file(self._path(fingerprint), data)

    def _read(self, fingerprint: str) -> bytes:
        found: bytes = self._files.cat_file(self._path(fingerprint), end=BLOB_BYTES + 1)
        return found

    def _delete(self, fingerprint: str) -> None:
        self._files.rm_file(self._path(fingerprint))

    def _is_there(self, fingerprint: str) -> bool:
        return bool(self._files.exists(self._path(fingerprint)))


def open_blobs() -> Blobs:
    """This server's blobs, opened when they are first asked for. Errors: setting, blobs_away."""
    address = read_settings().blobs
    return _open(address or str(place_beside("blobs")))


def close_blobs() -> None:
    """Remove the copies that this process has at hand; when asked it makes new ones."""
    for each in _OPEN:
        each.close()


_OPEN: list[Blobs] = []


@lru_cache(maxsize=4)
def _open(address: str) -> Blobs:
    scheme, mark, path = address.partition("://")
    own = not mark or scheme in ("file", "local")  # a folder of ours is written more carefully
    _OPEN.append(FolderBlobs(Path(path if mark else address)) if own else AddressBlobs(address))
    return _OPEN[-1]


def pack_folder(folder: Path) -> bytes:
    """A folder's files as a tar: of the same files always the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            about = tarfile.TarInfo(path.relative_to(folder).as_posix())
            about.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(about, file)
    return buffer.getvalue()


def unpack_folder(data: bytes, folder: Path) -> None:
    """Write the files of a tar into a new folder: plain files, none of them outside of it.

    Errors: blob_damaged.
    """
    folder.mkdir(parents=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = archive.getmembers()
            for member in members:
                parts = PurePosixPath(member.name).parts
                if not (member.isreg() and parts and all(map(PART.fullmatch, parts))):
                    raise GlassformerError("blob_damaged")
            if len(members) > MOST_FILES:
                raise GlassformerError("blob_damaged")
            for member in members:
                (folder / member.name).parent.mkdir(parents=True, exist_ok=True)
                content: Any = archive.extractfile(member)
                (folder / member.name).write_bytes(content.read())
    except tarfile.TarError as error:
        raise GlassformerError("blob_damaged") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _check(fingerprint: str) -> None:
    if not FINGERPRINT.fullmatch(fingerprint):
        raise GlassformerError("blob_missing")


@contextmanager
def _told() -> Iterator[None]:
    """What the troubles of the place are called; that a file is not there is none."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise GlassformerError("blobs_away", problem=error.strerror or str(error)) from error
