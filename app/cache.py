"""A bounded cache for values that are large and slow to make, shared by all sessions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the values used last, at most `max_bytes` of them (but always the newest one).

    Two threads that ask for the same key at the same time make it once: the second one waits.
    A failure is not kept: the next call tries again.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Value], int]) -> None:
        self._max_bytes = max_bytes
        self._size_of = size_of
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of the key, made now if it is not here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            mine = key not in self._making
            promise = self._making.setdefault(key, Future())
        if mine:
            self._make(key, make, promise)
        return promise.result()

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
