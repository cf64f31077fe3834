"""Whose turn it is: few reruns at a time, and long work that waits in a line between two steps.

Python computes in one thread at a time: reruns that all run at once only make each other slower,
and everybody waits as long as the last one.

Long work of the visitors: in slices, few at a time, in turn; it can be stopped, and says so.

A page computes in the thread of its session. What may take long tells at every step of its own
that it goes on (`core.interruption`), and here is who listens. After `FREE_WORK` seconds of
processor time it needs a place in the line; whoever has one works for a `WORK_SLICE` and lets the
next one in. Meanwhile the page says how far it is, with a button that stops it. It also ends where
the visitor has left, or has asked for something else: then Streamlit raises as soon as the session
is looked at.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from glassformer.app.runs.histogram import Histogram
from glassformer.app.session import limits, store
from glassformer.app.session.limits import PATIENCE, PLACES
from glassformer.app.words import say
from glassformer.core import interruption

SLICE = 0.1  # seconds until somebody who waits looks whether it is still wanted

Given = ParamSpec("Given")
Result = TypeVar("Result")
PACE = 0.2  # seconds between two looks at the line, and between two reports
LOOKS = ("language", "size", "precision")  # of the state: they ask for no other work


class Gate:
    """Lets `places` runs in at once.

    One that lasts longer than `patience` seconds counts no more: the line behind it moves on.
    """

    def __init__(self, places: int, patience: float) -> None:
        self._places = places
        self._patience = patience
        self.lock = threading.Lock()  # of its line, and of its histograms
        self._line: deque[threading.Event] = deque()
        self._inside: dict[threading.Event, float] = {}  # and since when
        self._left = time.monotonic()  # when the last one went
        self._mine = threading.local()
        self.wall, self.processor = Histogram(), Histogram()  # of those that had a place

    @property
    def waiting(self) -> int:
        """How many stand in the line."""
        return len(self._line)

    @contextmanager
    def turn(self, still_wanted: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Wait for a place, and give it back at the end, however that comes.

        still_wanted: called while it waits; what it raises ends the wait. A run that is inside
        already, and asks again, has its place.
        """
        if getattr(self._mine, "inside", False):
            yield
            return
        ticket, asked, worked = threading.Event(), time.monotonic(), -1.0
        with self.lock:
            self._line.append(ticket)
            self._admit()
        try:
            while not ticket.wait(SLICE):
                still_wanted()
                with self.lock:
                    self._admit()
            self._mine.inside, worked = True, time.thread_time()
            yield
        finally:
            with self.lock:
                self._left = time.monotonic()
                if self._inside.pop(ticket, None) is None:
                    self._line.remove(ticket)
                elif worked >= 0:  # else its visitor left as it came in
                    self.processor.add(time.thread_time() - worked)
                    self.wall.add(self._left - asked)
                self._admit()
            self._mine.inside = False

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


def wait_for_turn(run: Callable[Given, Result]) -> Callable[Given, Result]:
    """A script, or a fragment of it, that waits for its turn.

    A rerun that is superseded, or whose visitor has left, gives its place in the line up.
    """

    @wraps(run)
    def in_turn(*given: Given.args, **named: Given.kwargs) -> Result:
        with RERUNS.turn(store.still_wanted), store.referring_to_recent_messages():
            return run(*given, **named)

    return in_turn


class Queue:
    """Whose turn it is: the first `places` of those who wait; each is named by any object."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._waiting: list[object] = []
        self._moved = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting)

    def join(self, who: object) -> None:
        """To its end; one that has worked lets the others in first."""
        with self._moved:
            if who not in self._waiting:
                self._waiting.append(who)
            elif len(self._waiting) > self._places:
                self._waiting.remove(who)
                self._waiting.append(who)
            self._moved.notify_all()

    def leave(self, who: object) -> None:
        """Out of it, from wherever it stands."""
        with self._moved:
            if who in self._waiting:
                self._waiting.remove(who)
                self._moved.notify_all()

    def ahead(self, who: object) -> int:
        """How many come before it gets a turn; 0: it is its turn."""
        with self._moved:
            return max(0, self._waiting.index(who) - self._places + 1)

    def wait(self, seconds: float) -> None:
        """Until somebody moves, at most so long."""
        with self._moved:
            self._moved.wait(seconds)


LINE = Queue(limits.LONG_AT_ONCE)


class Work:
    """What one rerun computes: a listener of `core.interruption`, in the thread of its session."""

    def __init__(self, place: DeltaGenerator) -> None:
        self._place = place
        self._text: DeltaGenerator | None = None  # of the report, once there is one
        self._done = self._total = 0
        self._told = self._began = time.monotonic()
        self._until = time.thread_time() + limits.FREE_WORK
        self.stopped = False

    def step(self) -> None:
        """Goes on, waits for its turn, or raises: `StoppedError`, or what ends a script."""
        if time.thread_time() < self._until:
            return
        if store.memory().stopped == _asked():  # looking at the session may end the script
            self._say_stopped()
            raise interruption.StoppedError
        LINE.join(self)
        while ahead := LINE.ahead(self):
            self._report(say("work.waiting", place=ahead))
            LINE.wait(PACE)
            store.still_wanted()
        self._report(self._how_far())
        self._until = time.thread_time() + limits.WORK_SLICE

    def progress(self, done: int, total: int) -> None:
        """Takes in how far it is, for the next report; a step."""
        self._done, self._total = done, total
        self.step()

    def idle(self) -> None:
        """Lets others work while it waits for one of them."""
        LINE.leave(self)
        self._until = min(self._until, time.thread_time())
        store.still_wanted()

    def end(self) -> None:
        """Takes the report away."""
        if self._text is not None and not self.stopped:
            self._place.empty()

    def _how_far(self) -> str:
        if self._total:
            return say("work.progress", done=self._done, total=self._total)
        return say("work.seconds", seconds=round(time.monotonic() - self._began))

    def _report(self, text: str) -> None:
        now = time.monotonic()
        if self._text is None:
            with self._place.container(key="work_report--afloat", horizontal=True, gap="small"):
                self._text = st.empty()
                st.button(say("work.stop"), key="work_stop", on_click=_stop, args=(_asked(),))
        elif now - self._told < PACE:
            return
        self._told = now
        self._text.markdown(f":material/hourglass_top: {text}")

    def _say_stopped(self) -> None:
        """Once in a rerun; what follows has its free time again, so that the rest is drawn."""
        self._until = time.thread_time() + limits.FREE_WORK
        if self.stopped:
            return
        self.stopped = True
        with self._place.container(key="work_report--afloat", horizontal=True, gap="small"):
            st.markdown(f":material/front_hand: {say('work.stopped')}")
            st.button(say("work.go_on"), key="work_go_on", on_click=_stop, args=(None,))


@contextmanager
def interruptible_rerun() -> Iterator[None]:
    """All that a rerun computes inside is done in turn, and can be stopped."""
    work = Work(st.empty())
    try:
        with interruption.heard_by(work):
            yield
        work.end()
    except interruption.StoppedError:
        pass  # the report says so
    finally:
        LINE.leave(work)


def _stop(asked: Any) -> None:
    store.memory().stopped = asked


def _asked() -> tuple[str, dict[str, str]]:
    """What the visitor wants to see; the work for something else is not stopped."""
    query = store.get_state().to_query()
    return store.page_on_screen(), {
        name: value for name, value in query.items() if name not in LOOKS
    }
