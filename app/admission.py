"""Few reruns at a time, first come first served.

Python computes in one thread at a time: reruns that all run at once only make each other slower,
and everybody waits as long as the last one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from app import state
from app.limits import PATIENCE, PLACES

SLICE = 0.1  # seconds until somebody who waits looks whether it is still wanted

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Gate:
    """Lets `places` runs in at once.

    One that lasts longer than `patience` seconds counts no more: the line behind it moves on.
    """

    def __init__(self, places: int, patience: float) -> None:
        self._places = places
        self._patience = patience
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._inside: dict[threading.Event, float] = {}  # and since when
        self._left = time.monotonic()  # when the last one went
        self._mine = threading.local()

    @contextmanager
    def turn(self, still_wanted: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Wait for a place, and give it back at the end, however that comes.

        still_wanted: called while it waits; what it raises ends the wait. A run that is inside
        already, and asks again, has its place.
        """
        if getattr(self._mine, "inside", False):
            yield
            return
        ticket = threading.Event()
        with self._lock:
            self._line.append(ticket)
            self._admit()
        try:
            while not ticket.wait(SLICE):
                still_wanted()
                with self._lock:
                    self._admit()
            self._mine.inside = True
            yield
        finally:
            self._mine.inside = False
            with self._lock:
                if self._inside.pop(ticket, None) is None:
                    self._line.remove(ticket)
                self._left = time.monotonic()
                self._admit()

    def wait_until_quiet(self, most: float, quiet: float = 0.0) -> None:
        """Wait until nobody has been inside for `quiet` seconds, but not longer than `most`."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            if not self._inside and time.monotonic() - self._left >= quiet:
                return
            time.sleep(SLICE / 4)

    def _admit(self) -> None:
        now = time.monotonic()
        quick = sum(now - since < self._patience for since in self._inside.values())
        for _ in range(min(self._places - quick, len(self._line))):
            ticket = self._line.popleft()
            self._inside[ticket] = now
            ticket.set()


RERUNS = Gate(PLACES, PATIENCE)


def admitted(run: Callable[Given, Result]) -> Callable[Given, Result]:
    """A script, or a fragment of it, that waits for its turn.

    A rerun that is superseded, or whose visitor has left, gives its place in the line up.
    """

    @wraps(run)
    def in_turn(*given: Given.args, **named: Given.kwargs) -> Result:
        with RERUNS.turn(state.still_wanted):
            return run(*given, **named)

    return in_turn
