"""Long computations can be interrupted: between two steps whoever asked for them has a say.

Whatever takes long calls `step()` again and again: each row of the decoder, each recorded tensor
under edits, each snapshot of a replay. Without anybody listening that costs nothing. A server
listens: it makes others wait their turn, tells how far it is, and ends, by raising, what nobody
wants any more (cooperative cancellation).
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from glassformer.core.errors import GlassformerError

Item = TypeVar("Item")


class StoppedError(GlassformerError):
    """Whoever asked for something long wants it no more."""

    def __init__(self) -> None:
        super().__init__("stopped")


class Listener(Protocol):
    """What a thread may have while it computes; each method may raise, which ends the work."""

    def step(self) -> None:
        """A step of the work is done."""

    def progress(self, done: int, total: int) -> None:
        """So many of at most `total` parts of the whole are done; of 0: there are no parts."""

    def idle(self) -> None:
        """The work cannot go on at this moment: it waits for what another thread is making."""


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """What this thread computes inside is heard by the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def step() -> None:
    """Between two steps of something long. Raises what the listener raises to end it."""
    if (listener := _listener.get()) is not None:
        listener.step()


def idle() -> None:
    """Before one waits for another thread, again and again. Raises as `step`."""
    if (listener := _listener.get()) is not None:
        listener.idle()


def count_parts(parts: Iterable[Item], total: int) -> Iterator[Item]:
    """The parts one by one, each a step, and how many of at most `total` are done.

    For the outer loop of a computation: loops in it only call `step`.
    """
    listener = _listener.get()
    for done, part in enumerate(parts):
        if listener is not None:
            listener.progress(done, total)
        yield part
    if listener is not None:
        listener.progress(0, 0)
