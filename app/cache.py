"""A bounded cache for values that are large and slow to make, shared by all sessions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from core.interruption import StoppedError, idle

Value = TypeVar("Value")
PACE = 0.1  # seconds between two looks of one who waits at whether it is still wanted


class BoundedCache(Generic[Value]):
    """Keeps the values used last, at most `max_bytes` of them (but always the newest one).

    Two threads that ask for the same key at the same time make it once: the second one waits.
    A failure is not kept: the next call tries again. Neither is it one for those who wait that
    whoever made it was stopped: one of them makes it then.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Value], int]) -> None:
        self._max_bytes = max_bytes
        self._size_of = size_of
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of the key, made now if it is not here."""
        while True:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
                mine = key not in self._making
                promise = self._making.setdefault(key, Future())
            if mine:
                self._make(key, make, promise)
                return promise.result()
            error = _failure(promise)
            if isinstance(error, Exception | None) and not isinstance(error, StoppedError):
                return promise.result()
            # Who made it was stopped, or has left (no Exception): now it is made here.

    @property
    def nbytes(self) -> int:
        """Bytes of all values together."""
        with self._lock:
            return self._held()

    def __len__(self) -> int:
        return len(self._values)

    def _make(self, key: Hashable, make: Callable[[], Value], promise: Future[Value]) -> None:
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            promise.set_exception(error)
            return
        with self._lock:
            del self._making[key]
            self._values[key] = value
            while len(self._values) > 1 and self._held() > self._max_bytes:
                self._values.popitem(last=False)
        promise.set_result(value)

    def _held(self) -> int:
        return sum(self._size_of(value) for value in self._values.values())


def _failure(promise: Future[Value]) -> BaseException | None:
    """Why another thread could not make a value, once it is done; None where it could."""
    while not promise.done():
        idle()
        wait([promise], PACE)
    return promise.exception()
