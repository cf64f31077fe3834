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
        """So many of at most `total` parts of the whole are done; of 0: there are no parts.

        Args:
            done: parts that are done.
            total: parts at most; 0 when the counting is over.
        """

    def idle(self) -> None:
        """The work cannot go on at this moment: it waits for what another thread is making."""


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """What this thread computes inside is heard by the listener.

    Args:
        listener: who is told; the one before is back when the block ends.

    Yields:
        Nothing: it is for a `with` statement.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def step() -> None:
    """Says that something long is between two steps.

    Raises:
        Exception: what the listener raises to end the work.
    """
    if (listener := _listener.get()) is not None:
        listener.step()


def idle() -> None:
    """Says that one waits for another thread; to be called again and again while waiting.

    Raises:
        Exception: what the listener raises to end the work.
    """
    if (listener := _listener.get()) is not None:
        listener.idle()


def count_parts(parts: Iterable[Item], total: int) -> Iterator[Item]:
    """The parts one by one, each a step, and how many of at most `total` are done.

    For the outer loop of a computation: loops in it only call `step`.

    Args:
        parts: what is to be gone through.
        total: how many they are at most.

    Yields:
        Each part, after the listener was told how many were done before it.

    Raises:
        Exception: what the listener raises to end the work.
    """
    listener = _listener.get()
    for done, part in enumerate(parts):
        if listener is not None:
            listener.progress(done, total)
        yield part
    if listener is not None:
        listener.progress(0, 0)
