"""How many can follow a lecture? Followers without browsers, all of them on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from glassformer.app.hall.rooms import Room
from glassformer.core.lectures.lecture import Lecture
from tests.benchmarks.process import cpu_seconds
from tests.benchmarks.report import Table, shared_cores
from tests.browser import driver
from tests.hall.halls import CHOICE, Client, lecture, open_at

CROWDS = (30, 300)
GOALS = {30: "p95 ≤ 150 ms, 0 lost", 300: "p95 ≤ 500 ms, 0 lost, ≤ 0.3 s CPU a scene"}
SCENES = 10
BETWEEN = 1.0  # seconds between two moves
VOTERS, SPAN = 300, 10.0  # votes, and the seconds over which they come
PATIENCE = 20.0  # seconds for what should take far less
REST = 10  # seconds without work, after which the server has loaded all that it will
LOADS = 5  # of the page, in a browser


def tables(seconds: float) -> Iterator[Table]:
    """Scenes, votes, a killed server, the page; `seconds` changes nothing: all has its length."""
    with driver.server() as server:
        _at_rest(server)
        yield asyncio.run(_scenes(server))
        yield asyncio.run(_votes(server))
        yield _page(server)
    yield _killed()


def long_lecture() -> Lecture:
    """As many scenes as are moved through, and one with a question."""
    given = lecture()
    plain = [replace(given.scenes[0], name=f"scene-{at}") for at in range(SCENES + 1)]
    return given.having(*plain, given.scenes[CHOICE])


@dataclass
class Follower:
    """One who follows: when each revision arrived, and the newest state."""

    arrived: dict[int, float] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    async def follow(self, url: str, path: str, **headers: str) -> None:
        reader, writer = await _asked(url, "GET", f"{path}/events", **headers)
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self.state = json.loads(line[6:])
                    self.arrived.setdefault(self.state["revision"], time.perf_counter())
        finally:
            writer.close()


async def _asked(
    url: str, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    given = {"Host": where.netloc, "Content-Length": str(len(body)), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in given.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    await writer.drain()
    return reader, writer


async def _sent(url: str, path: str, data: object, **headers: str) -> int:
    """The status of a POST."""
    reader, writer = await _asked(
        url, "POST", path, json.dumps(data).encode(), Connection="close", **headers
    )
    status = int((await reader.readline()).split()[1])
    await reader.read()
    writer.close()
    return status


@asynccontextmanager
async def _following(
    url: str, path: str, count: int, **headers: str
) -> AsyncIterator[list[Follower]]:
    followers = [Follower() for _ in range(count)]
    tasks = [asyncio.create_task(each.follow(url, path, **headers)) for each in followers]
    try:
        await _until(lambda: all(each.state for each in followers))
        yield followers
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until(holds: Any) -> bool:
    """Whether it holds within the patience."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.02)
    return True


async def _scenes(server: driver.Server) -> Table:
    table = Table(
        f"A presenter moves through {SCENES} scenes",
        ("followers", "p50 ms", "p95 ms", "slowest ms", "lost", "server CPU s a scene", "goal"),
    )
    for count in CROWDS:
        room = open_at(server.url, long_lecture())
        path, own = f"/hall/{room.code}", {"Authorization": f"Bearer {room.key}"}
        async with _following(server.url, path, count) as followers:
            await asyncio.sleep(BETWEEN)
            waited, lost, before = [], 0, cpu_seconds(server.pid)
            for scene in range(1, SCENES + 1):
                start = time.perf_counter()
                await _sent(server.url, f"{path}/move", {"scene": scene}, **own)
                await _until(lambda: all(f.state["scene"] == scene for f in followers))  # noqa: B023
                there = [f for f in followers if f.state["scene"] == scene]
                waited += [1000 * (f.arrived[f.state["revision"]] - start) for f in there]
                lost += count - len(there)
                await asyncio.sleep(BETWEEN)
            spent = (cpu_seconds(server.pid) - before) / SCENES
        cuts = quantiles(waited, n=100, method="inclusive")
        table.add(
            str(count), f"{cuts[49]:.0f}", f"{cuts[94]:.0f}", f"{max(waited):.0f}",
            f"{lost} of {count * SCENES}", f"{spent:.2f}", GOALS[count],
        )  # fmt: skip
    table.notes += ["from the driver's request sent to the follower's event read", shared_cores()]
    return table


async def _votes(server: driver.Server) -> Table:
    table = Table(
        f"{VOTERS} votes in {SPAN:.0f} s, each follower has one",
        ("taken", "counted", "driver sees them all after s", "bars at all after s", "goal"),
    )
    room = open_at(server.url, long_lecture())
    path, own = f"/hall/{room.code}", {"Authorization": f"Bearer {room.key}"}
    phones = [Client(f"{server.url}{path}") for _ in range(VOTERS)]
    for phone in phones:
        await asyncio.to_thread(phone.ask)
    question = SCENES + 1
    await _sent(server.url, f"{path}/move", {"scene": question}, **own)

    async def vote(at: int) -> int:
        await asyncio.sleep(at * SPAN / VOTERS)
        vote = {"scene": question, "value": at % 3}
        return await _sent(server.url, f"{path}/vote", vote, Cookie=phones[at].cookie)

    async with (
        _following(server.url, path, VOTERS) as followers,
        _following(server.url, path, 1, **own) as (notes,),
    ):
        statuses = await asyncio.gather(*(vote(at) for at in range(VOTERS)))
        start = time.perf_counter()
        await _until(lambda: notes.state["votes"]["voted"] == VOTERS)
        seen = time.perf_counter() - start
        start = time.perf_counter()
        await _sent(server.url, f"{path}/reveal", {}, **own)
        await _until(lambda: all(f.state["result"] for f in followers))
        shown = max(f.arrived[f.state["revision"]] for f in followers) - start
        bars = followers[0].state["result"]["bars"]
    table.add(
        str(statuses.count(200)), " + ".join(str(bar["count"]) for bar in bars),
        f"{seen:.2f}", f"{shown:.2f}", f"{VOTERS}, each once; ≤ 1 s",
    )  # fmt: skip
    table.notes += [
        "the last vote answered → the driver's page; the reveal sent → bars on all",
        shared_cores(),
    ]
    return table


def _killed() -> Table:
    table = Table(
        "The server is killed in the middle of a vote, and started again",
        ("back after s", "votes before", "votes after", "scene", "goal"),
    )
    with driver.server() as server:
        room = open_at(server.url, long_lecture())
        own = Client(f"{server.url}/hall/{room.code}", room.key)
        own.ask("/move", {"scene": SCENES + 1})
        _cast(own, 50)
        before = own.ask("/state").json["votes"]["voted"]
        os.kill(server.pid, signal.SIGKILL)
        os.waitpid(server.pid, 0)
    start = time.perf_counter()
    with driver.server(int(server.url.rpartition(":")[2])):
        after = own.ask("/state").json
        back = time.perf_counter() - start
    table.add(
        f"{back:.1f}", str(before), str(after["votes"]["voted"]), str(after["scene"] + 1),
        "≤ 5 s, no vote lost",
    )  # fmt: skip
    table.notes += ["from the start of the new process to the driver's state", shared_cores()]
    return table


def _cast(own: Client, count: int) -> None:
    for at in range(count):
        phone = Client(own.url)
        phone.ask()
        phone.vote(SCENES + 1, at % 3)


def _page(server: driver.Server) -> Table:
    table = Table("The audience's page", ("KB", "KB sent (gzip)", "first paint ms", "goal"))
    room: Room = open_at(server.url)
    url = f"{server.url}/hall/{room.code}"
    plain = Client(url).ask().body
    sent = Client(url, headers={"Accept-Encoding": "gzip"}).ask().body
    painted = []
    with driver.chromium() as browser:
        for _ in range(LOADS):
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.goto(url)
            script = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
            page.wait_for_function(script)
            painted.append(page.evaluate(script))
            page.close()
    told = " ".join(f"{each:.0f}" for each in painted)
    table.add(f"{len(plain) / 1000:.1f}", f"{len(sent) / 1000:.1f}", told, "≤ 100 KB, ≤ 1000 ms")
    table.notes += ["one request; beside it the picture of a scene, at most 200 KB"]
    return table


def _at_rest(server: driver.Server) -> None:
    """Until what the server loads behind its start is loaded, but not for ever."""
    end, still = time.monotonic() + 60, 0
    while time.monotonic() < end and still < REST:
        before = cpu_seconds(server.pid)
        time.sleep(1)
        still = still + 1 if cpu_seconds(server.pid) - before < 0.1 else 0
