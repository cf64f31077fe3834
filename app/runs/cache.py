"""Bounded caches for values that are large and slow to make, shared by all sessions."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from glassformer.app.session.limits import CACHE_BYTES
from glassformer.core.interruption import StoppedError, idle

Value = TypeVar("Value")
PACE = 0.1  # seconds between two looks of one who waits at whether it is still wanted


class Budget:
    """The bytes that several caches may hold together.

    Above it the values that were used longest ago go, whichever cache they are in, but never the
    newest one. A cache that nobody holds any more counts no longer.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.lock = threading.Lock()  # of all its caches: what they do under it takes no time
        self.moments = count()
        self.caches: WeakSet[BoundedCache[Any]] = WeakSet()

    @property
    def nbytes(self) -> int:
        """Bytes of all values together."""
        return sum(cache.nbytes for cache in self.caches)

    def trim(self) -> None:
        """Drop what is too much; call it with the lock held."""
        while self.nbytes > self.max_bytes:
            filled = [cache for cache in self.caches if len(cache)]
            if sum(map(len, filled)) == 1:
                return
            min(filled, key=BoundedCache.oldest).drop_oldest()


SERVER = Budget(CACHE_BYTES)  # of every cache that the sessions share


@dataclass
class _Kept(Generic[Value]):
    value: Value
    size: int  # bytes; a value never changes, so its size is asked for once
    used: int  # the moment of its last use


class BoundedCache(Generic[Value]):
    """Keeps the values used last, as many as its budget has room for.

    size_of: the bytes of a value, asked for once. name: in metrics; several may share one. Two
    threads that ask for the same key at the same time make it once: the second one waits. A failure
    is not kept: the next call tries again; where whoever made it was stopped, one of those who wait
    makes it.
    """

    def __init__(
        self, budget: Budget, size_of: Callable[[Value], int], name: str = "other"
    ) -> None:
        self._budget = budget
        self._size_of = size_of
        self._values: OrderedDict[Hashable, _Kept[Value]] = OrderedDict()
        self._making: dict[Hashable, Future[Value]] = {}
        self.nbytes = 0  # of all values together; changes under the budget's lock alone
        self.name, self.hits, self.misses = name, 0, 0  # the same
        with budget.lock:
            budget.caches.add(self)
        with _listing:
            _listed.add(self)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of the key, made now if it is not here."""
        while True:
            with self._budget.lock:
                if (kept := self._values.get(key)) is not None:
                    kept.used = next(self._budget.moments)
                    self._values.move_to_end(key)
                    self.hits += 1
                    return kept.value
                mine = key not in self._making
                self.misses += mine
                promise = self._making.setdefault(key, Future())
            if mine:
                self._make(key, make, promise)
                return promise.result()
            error = _failure(promise)
            if isinstance(error, Exception | None) and not isinstance(error, StoppedError):
                return promise.result()
            # Who made it was stopped, or has left (no Exception): now it is made here.

    def known(self, key: Hashable) -> Value | None:
        """The value of the key, None where it is not here: for whoever would not have it made."""
        with self._budget.lock:
            kept = self._values.get(key)
        return None if kept is None else kept.value

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def clear(self) -> None:
        """Drop all values."""
        with self._budget.lock:
            self._values.clear()
            self.nbytes = 0

    def oldest(self) -> int:
        """When the value used longest ago was used. Errors: StopIteration for an empty cache."""
        return next(iter(self._values.values())).used

    def drop_oldest(self) -> None:
        """Drop the value used longest ago; for its budget."""
        self.nbytes -= self._values.popitem(last=False)[1].size

    def _make(self, key: Hashable, make: Callable[[], Value], promise: Future[Value]) -> None:
        try:
            value = make()
            size = self._size_of(value)
        except BaseException as error:
            with self._budget.lock:
                del self._making[key]
            promise.set_exception(error)
            return
        with self._budget.lock:
            del self._making[key]
            self._values[key] = _Kept(value, size, next(self._budget.moments))
            self.nbytes += size
            self._budget.trim()
        promise.set_result(value)


_listing = threading.Lock()
_listed: WeakSet[BoundedCache[Any]] = WeakSet()


@dataclass
class Usage:
    """What the caches of one name hold, and how often a value was there, or had to be made."""

    nbytes: int = 0
    hits: int = 0
    misses: int = 0


def cache_usage() -> dict[str, Usage]:
    """The caches of this process by name, whatever their budget."""
    found: dict[str, Usage] = {}
    with _listing:
        for cache in _listed:
            usage = found.setdefault(cache.name, Usage())
            usage.nbytes += cache.nbytes
            usage.hits += cache.hits
            usage.misses += cache.misses
    return found


def _failure(promise: Future[Value]) -> BaseException | None:
    """Why another thread could not make a value, once it is done; None where it could."""
    while not promise.done():
        idle()
        wait([promise], PACE)
    return promise.exception()
