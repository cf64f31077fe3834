"""Whoever looks at several fronts without a browser, and stays when one of them goes.

A visitor of the app does what `app/frame/reconnect.js` does, a phone what `app/hall/follow.js`.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from tests.benchmarks.audience import _asked
from tests.visitor import Answer, Visitor

PAUSES = (0, 0.1, 0.25, 0.5, *(1.0,) * 30)  # seconds before a try to come back
AGAIN = (0.2, 0.5, 1.3)  # the same before a vote is sent again
BROKEN = (WebSocketException, OSError, asyncio.IncompleteReadError)


async def connected(url: str, boot: str, session: str = "") -> ClientConnection:
    named = [Subprotocol(each) for each in ("streamlit", "token", session) if each]
    stream = f"{url.replace('http', 'ws', 1)}/_stcore/stream?boot={boot}"
    return await connect(stream, subprotocols=named, max_size=None, proxy=None)


@dataclass
class Staying(Visitor):
    """One who comes back, and asks again what met the break."""

    boot: str = ""
    session: str = ""
    breaks: list[float] = field(default_factory=list)  # seconds from each to the screen again
    last: bytes = b""
    linked: bool = False

    async def _answered(self, request: bytes) -> Answer:
        before, self.last, self.linked = self.last, request, False
        while True:
            try:
                return await super()._answered(request)
            except BROKEN:
                answer = await self.come_back(before or request)
                if self.linked:
                    return answer

    async def come_back(self, last: bytes) -> Answer:
        """The screen again, at whatever front answers."""
        begun, linked = time.monotonic(), self.linked
        paths = {name: path for path, name in self.pages.items()}
        for pause in PAUSES:
            await asyncio.sleep(pause)
            with suppress(*BROKEN):
                self.socket = await connected(self.url, self.boot, self.session)
                screen = {"page": paths.get(self.page, ""), "query": self.query}
                await self.socket.send(json.dumps(screen))
                answer = await super()._answered(last)
                self.breaks.append(time.monotonic() - begun)
                self.linked = linked
                return answer
        raise TimeoutError("no front answers")

    def _take(self, payload: bytes | str, answer: Answer) -> bool:
        if isinstance(payload, str):
            told = json.loads(payload)
            self.boot = told.get("boot", self.boot)
            (self.session,) = told.get("session", [self.session])
            return False
        self.linked |= ForwardMsg.FromString(payload).HasField("page_info_changed")
        return super()._take(payload, answer)


@asynccontextmanager
async def staying(url: str, boot: str) -> AsyncIterator[Staying]:
    found = Staying(await connected(url, boot), url, boot=boot)
    try:
        yield found
    finally:
        await found.socket.close()


@dataclass
class Phone:
    """One who follows a room and votes."""

    url: str
    path: str
    cookies: dict[str, str] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    fronts: set[str] = field(default_factory=set)  # where its page and its streams came from
    breaks: list[float] = field(default_factory=list)  # seconds without a line
    errors: list[str] = field(default_factory=list)  # what it would show

    @asynccontextmanager
    async def _asking(
        self, method: str, path: str, data: object = None
    ) -> AsyncIterator[tuple[int, asyncio.StreamReader]]:
        body = b"" if data is None else json.dumps(data).encode()
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reader, writer = await _asked(self.url, method, path, body, Cookie=cookie or "none=1")
        try:
            status = int((await reader.readuntil(b"\r\n")).split()[1])
            while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
                name, _, value = line.decode().strip().partition(": ")
                if name.lower() == "set-cookie":
                    kept, _, text = value.partition(";")[0].partition("=")
                    self.cookies[kept] = text
            self.fronts.add(self.cookies.get("front", ""))
            yield status, reader
        finally:
            writer.close()

    async def enter(self) -> int:
        """Opens the page; the status."""
        async with self._asking("GET", self.path) as (status, _):
            return status

    async def follow(self) -> None:
        """Until it is cancelled, whatever happens to the line."""
        tries, broken = 0, 0.0
        while True:
            with suppress(*BROKEN):
                async with self._asking("GET", f"{self.path}/events") as (status, reader):
                    if status in (403, 404):
                        self.errors.append(f"follows: {status}")
                        return
                    while status == 200 and (line := await reader.readline()):
                        if line.startswith(b"data: "):
                            if broken:
                                self.breaks.append(time.monotonic() - broken)
                            tries, broken = 0, 0.0
                            self.state = json.loads(line[6:])
            broken = broken or time.monotonic()
            await asyncio.sleep(min(2.0, 0.2 * 2**tries) * random.uniform(0.5, 1.5))
            tries += 1

    async def vote(self, scene: int, value: int) -> None:
        """As its page does: what met no server is sent again."""
        status = 0
        for pause in (*AGAIN, 0.0):
            with suppress(*BROKEN):
                vote = {"scene": scene, "value": value}
                async with self._asking("POST", f"{self.path}/vote", vote) as (status, _):
                    pass
            if status not in (0, 502, 503, 504):
                break
            await asyncio.sleep(pause)
        if status != 200:
            self.errors.append(f"votes: {status}")
