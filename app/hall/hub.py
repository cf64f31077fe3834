"""Who follows which room: each change is encoded once and goes to all of its followers.

A follower holds no queue: who is slow, or asleep, gets the newest state next. Changes that come
faster than `PACE` are gathered, so that a clicker that repeats costs no more than a hand.
"""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from glassformer.core.errors import GlassformerError

PACE = 0.15  # seconds between two states that are sent, at least
VOTES = 0.4  # the same where only votes have changed, which the driver alone is told
BEAT = 15.0  # seconds without a state until a follower hears that the server is there
MOST_FOLLOWERS = 800  # of all rooms: each holds a connection
MOST_OF_CLIENT = 600  # of them: a whole hall may come from one address
MOST_UNKNOWN = 400  # of a client, without the cookie that a page gives
MOST_OF_VOTER = 4  # with one cookie: tabs
MOST_DRIVERS, MOST_OF_DRIVER = 200, 8  # places of their own, of all rooms and of one
RETRY = 1.0  # seconds until a room that could not be read is read again
BEATS = b": beat\n\n"
ENDED = b"event: ended\ndata: {}\n\n"  # the room is gone
HANDED = b"event: handed\ndata: {}\n\n"  # the key is another's now
LAST = (ENDED, HANDED)

Channel = tuple[str, int | None]  # a room's code; of its driver's, which of its keys


@dataclass(frozen=True)
class Who:
    """Whose connection it is: its address as it is counted, its cookie's voter, "" for none."""

    client: str
    voter: str = ""


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

    def __init__(self, encode: Callable[[Channel], Awaitable[tuple[bytes, int]]]) -> None:
        self._encode = encode
        self._lines: dict[Channel, _Line] = {}
        self._places = Counter[tuple[str, str]]()  # of the audience, by client and by voter
        self._work = set[asyncio.Task[None]]()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closed = False
        self.votes = 0  # that were counted here

    def usage(self) -> dict[str, int]:
        """What metrics say: rooms that are followed here, by how many, the votes so far."""
        lines = list(self._lines.items())  # at once: another thread asks
        drivers = sum(line.followers for (_, key), line in lines if key is not None)
        return {
            "rooms": len({code for (code, _), _ in lines}),
            "followers": sum(line.followers for _, line in lines) - drivers,
            "drivers": drivers,
            "votes": self.votes,
        }

    def is_full(self, channel: Channel, who: Who) -> bool:
        """Whether this one cannot follow: no client takes all places, a driver's are kept."""
        drives = channel[1] is not None
        of_all = sum(
            line.followers for (_, key), line in self._lines.items() if (key is not None) == drives
        )
        if drives:
            own = self._lines.get(channel)
            return of_all >= MOST_DRIVERS or bool(own and own.followers >= MOST_OF_DRIVER)
        limits = {("client", who.client): MOST_OF_CLIENT}
        if who.voter:
            limits["voter", who.voter] = MOST_OF_VOTER
        else:
            limits["unknown", who.client] = MOST_UNKNOWN
        return of_all >= MOST_FOLLOWERS or any(
            self._places[place] >= most for place, most in limits.items()
        )

    def is_present(self, voter: str) -> bool:
        """Whether a voter follows now."""
        return self._places["voter", voter] > 0

    def driven(self) -> list[str]:
        """The codes of the rooms whose driver is connected."""
        return [code for code, key in self._lines if key is not None]

    def audiences(self) -> dict[str, int]:
        """How many follow each room, by its code."""
        return {code: line.followers for (code, key), line in self._lines.items() if key is None}

    def followers(self, code: str) -> int:
        """How many of the audience follow a room now."""
        line = self._lines.get((code, None))
        return line.followers if line else 0

    def tell(self, code: str, votes: bool = False) -> None:
        """A room has changed, or only its votes; "": any may have."""
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._told, code, votes)

    async def follow(self, channel: Channel, who: Who) -> AsyncIterator[bytes]:
        """The state now, each one after it, and beats between; ends with the room or the server."""
        async with self._at(channel, who) as line:
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

    async def newer(self, channel: Channel, who: Who, since: int, patience: float) -> bytes:
        """The state once it is newer than a revision, or the patience is over; for long polling."""
        async with self._at(channel, who) as line:
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

    @asynccontextmanager
    async def _at(self, channel: Channel, who: Who) -> AsyncIterator[_Line]:
        line = self._lines.get(channel) or await self._new_line(channel)
        places = [("client", who.client)]
        places.append(("voter", who.voter) if who.voter else ("unknown", who.client))
        if channel[1] is not None:
            places = []
        line.followers += 1
        self._places.update(places)
        self._told(channel[0], votes=True)  # the driver sees how many follow
        try:
            yield line
        finally:
            line.followers -= 1
            self._places.subtract(places)
            self._places += Counter()  # without those that have none
            if not line.followers and self._lines.get(channel) is line:
                del self._lines[channel]
                if line.due is not None:
                    line.due.cancel()
            self._told(channel[0], votes=True)

    async def _new_line(self, channel: Channel) -> _Line:
        message, revision = await self._encode(channel)
        loop = asyncio.get_running_loop()
        line = self._lines.get(channel)  # another may have come meanwhile
        if line is None:
            line = self._lines[channel] = _Line(message, revision, loop.create_future())
            # What changed while this was read told nobody.
            line.due = loop.call_later(PACE, self._send, channel, line)
        return line

    def _told(self, code: str, votes: bool) -> None:
        loop = asyncio.get_running_loop()
        for channel, line in self._lines.items():
            if channel[0] != (code or channel[0]) or (votes and channel[1] is None):
                continue
            when = max(loop.time(), line.sent + (VOTES if votes else PACE))
            if line.due is not None and line.due.when() <= when:
                continue
            if line.due is not None:
                line.due.cancel()
            line.due = loop.call_at(when, self._send, channel, line)

    def _send(self, channel: Channel, line: _Line) -> None:
        line.due, line.sent = None, asyncio.get_running_loop().time()
        work = asyncio.create_task(self._read(channel, line))
        self._work.add(work)
        work.add_done_callback(self._work.discard)

    async def _read(self, channel: Channel, line: _Line) -> None:
        try:
            message, revision = await self._encode(channel)
        except GlassformerError:  # another process holds the rooms
            if line.due is None and self._lines.get(channel) is line:
                loop = asyncio.get_running_loop()
                line.due = loop.call_later(RETRY, self._send, channel, line)
            return
        if message in LAST or (message != line.message and revision >= line.revision):
            line.message, line.revision = message, revision
            self._wake(line)

    def _wake_all(self) -> None:
        for line in self._lines.values():
            self._wake(line)

    def _wake(self, line: _Line) -> None:
        line.changed.set_result(None)
        line.changed = asyncio.get_running_loop().create_future()
