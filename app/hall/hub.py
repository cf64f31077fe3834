"""Who follows which room: each change is encoded once and goes to all of its followers.

A follower holds no queue: who is slow, or asleep, gets the newest state next. Changes that come
faster than `PACE` are gathered, so that a clicker that repeats costs no more than a hand.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

PACE = 0.15  # seconds between two states that are sent, at least
VOTES = 0.4  # the same where only votes have changed, which the driver alone is told
BEAT = 15.0  # seconds without a state until a follower hears that the server is there
MOST_FOLLOWERS = 800  # of all rooms: each holds a connection
BEATS = b": beat\n\n"
ENDED = b"event: ended\ndata: {}\n\n"  # the room is gone
HANDED = b"event: handed\ndata: {}\n\n"  # the key is another's now
LAST = (ENDED, HANDED)

Channel = tuple[str, int | None]  # a room's code; of its driver's, which of its keys


@dataclass
class _Line:
    """What the followers of a channel wait for."""

    message: bytes
    revision: int
    changed: asyncio.Future[None]
    followers: int = 0
    sent: float = -1e9  # when, on the loop's clock
    due: asyncio.TimerHandle | None = None  # the next one that is to be sent


class Hub:
    """The followers of all rooms; `tell` may be called from any thread, the rest on the loop.

    encode: the message of a channel now, the last one where it is one of `LAST`, and its revision.
    """

    def __init__(self, encode: Callable[[Channel], tuple[bytes, int]]) -> None:
        self._encode = encode
        self._lines: dict[Channel, _Line] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closed = False

    @property
    def is_full(self) -> bool:
        """Whether no more can follow."""
        return sum(line.followers for line in self._lines.values()) >= MOST_FOLLOWERS

    def driven(self) -> list[str]:
        """The codes of the rooms whose driver is connected."""
        return [code for code, key in self._lines if key is not None]

    def followers(self, code: str) -> int:
        """How many of the audience follow a room now."""
        line = self._lines.get((code, None))
        return line.followers if line else 0

    def tell(self, code: str, votes: bool = False) -> None:
        """A room has changed, or only its votes."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told, code, votes)

    async def follow(self, channel: Channel) -> AsyncIterator[bytes]:
        """The state now, each one after it, and beats between; ends with the room or the server."""
        with self._at(channel) as line:
            sent: bytes | None = None
            while not self.closed:
                if line.message is not sent:
                    sent = line.message
                    yield sent
                    if sent in LAST:
                        return
                    continue
                done, _ = await asyncio.wait({line.changed}, timeout=BEAT)
                if not done:
                    yield BEATS

    async def newer(self, channel: Channel, since: int, patience: float) -> bytes:
        """The state once it is newer than a revision, or the patience is over; for long polling."""
        with self._at(channel) as line:
            end = asyncio.get_running_loop().time() + patience
            while line.revision <= since and not self.closed and line.message not in LAST:
                left = end - asyncio.get_running_loop().time()
                if left <= 0:
                    break
                await asyncio.wait({line.changed}, timeout=left)
            return line.message

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the server runs: the loop is known, and a signal that ends it ends the streams.

        The server waits for all connections before its lifespan ends, and a stream never would.
        """
        self._loop, self.closed = asyncio.get_running_loop(), False
        before = {}
        if threading.current_thread() is threading.main_thread():
            before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

        def ended(number: int, frame: Any) -> None:
            self.close()
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        for each, handler in before.items():
            if callable(handler):
                signal.signal(each, ended)
        try:
            yield
        finally:
            self.close()
            for each, handler in before.items():
                signal.signal(each, handler)
            self._loop = None

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_all)

    @contextmanager
    def _at(self, channel: Channel) -> Iterator[_Line]:
        if (line := self._lines.get(channel)) is None:
            message, revision = self._encode(channel)
            future = asyncio.get_running_loop().create_future()
            line = self._lines[channel] = _Line(message, revision, future)
        line.followers += 1
        self._told(channel[0], votes=True)  # the driver sees how many follow
        try:
            yield line
        finally:
            line.followers -= 1
            if not line.followers and self._lines.get(channel) is line:
                del self._lines[channel]
                if line.due is not None:
                    line.due.cancel()
            self._told(channel[0], votes=True)

    def _told(self, code: str, votes: bool) -> None:
        loop = asyncio.get_running_loop()
        for channel, line in self._lines.items():
            if channel[0] != code or (votes and channel[1] is None):
                continue
            when = max(loop.time(), line.sent + (VOTES if votes else PACE))
            if line.due is not None and line.due.when() <= when:
                continue
            if line.due is not None:
                line.due.cancel()
            line.due = loop.call_at(when, self._send, channel, line)

    def _send(self, channel: Channel, line: _Line) -> None:
        line.due, line.sent = None, asyncio.get_running_loop().time()
        line.message, line.revision = self._encode(channel)
        self._wake(line)

    def _wake_all(self) -> None:
        for line in self._lines.values():
            self._wake(line)

    def _wake(self, line: _Line) -> None:
        line.changed.set_result(None)
        line.changed = asyncio.get_running_loop().create_future()
