"""One lecture, one app, two fronts, of which one is killed, or restarted: what anybody sees of it.

Of `make test-cluster`: it starts HAProxy, Postgres and two servers, and measures.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from statistics import median, quantiles

import pytest
from playwright.sync_api import Page, sync_playwright

from glassformer.app.hall import rooms
from glassformer.app.hall.rooms import Room
from tests.benchmarks.audience import SCENES, long_lecture
from tests.benchmarks.hall_mix import Crowd, crowd
from tests.benchmarks.process import cpu_seconds
from tests.browser import driver
from tests.cluster import clusters
from tests.cluster.clusters import Fronts, boot_of
from tests.cluster.guests import Phone, Staying, staying
from tests.hall import halls
from tests.hall.halls import Client
from tests.visitor import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not os.environ.get("GLASSFORMER_TEST_CLUSTER"), reason="make test-cluster does it"
    ),
]
QUESTION = SCENES + 1
Measured = list[tuple[str, str, str]]


@pytest.fixture
def room(store: str) -> Room:
    found = rooms.open_room(long_lecture(), "en")
    halls.wait_for_runs()
    return found


def test_any_front_serves_any_room(url: str, two: Fronts, room: Room, measured: Measured) -> None:
    phones = [Phone(url, f"/hall/{room.code}") for _ in range(40)]

    async def enter() -> list[int]:
        return [await each.enter() for each in phones]

    assert run(enter()) == [200] * 40
    fronts = {name for each in phones for name in each.fronts}
    assert len(fronts) == 2
    measured.append(("phones over two fronts", "40 of 40: 200", "40 of 40"))


def test_a_move_is_heard_at_the_other_front(two: Fronts, room: Room, measured: Measured) -> None:
    one, other = (two.running[at][1].url for at in (0, 1))
    own = Client(f"{one}/hall/{room.code}", room.key)
    waited = []
    with Client(f"{other}/hall/{room.code}").events() as events:
        told = (data for kind, data in events if not kind)
        next(told)
        for scene in range(1, SCENES):
            begun = time.monotonic()
            own.ask("/move", {"scene": scene})
            while next(told)["scene"] != scene:
                pass
            waited.append(time.monotonic() - begun)
            time.sleep(0.3)
    measured.append(
        ("a move heard at the other front",
         f"p50 {1000 * median(waited):.0f} ms, slowest {1000 * max(waited):.0f} ms", "≤ 0.5 s")
    )  # fmt: skip


def walk_of(page: Page) -> str:
    found = re.search("walk=([^&]+)", page.url)
    return found[1] if found else ""


def test_no_click_is_lost_when_fronts_are_killed(url: str, two: Fronts, measured: Measured) -> None:
    """Of ten pages each clicks once while a front is killed, ten times."""
    rng, pages, clicks, lost, took = random.Random(1), [], 0, 0, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**driver.launched())
        for _ in range(10):
            page = driver.open_page(browser, f"{url}/walkthrough?theme=light")
            pages.append(page)
        seen: list[set[str]] = [{walk_of(page)} for page in pages]
        for kill in range(10):
            before = [walk_of(page) for page in pages]
            wait = [rng.choice([0, 20, 50, 100, 200, 300, 500]) for _ in pages]
            for page, pause in zip(pages, wait, strict=True):
                click = "(b, pause) => setTimeout(() => b.click(), pause)"
                page.locator("button.way.next").evaluate(click, pause)
            begun = time.monotonic()
            two.kill(kill % 2)
            waiting = set(range(len(pages)))
            while waiting and time.monotonic() < begun + 30:
                for at in tuple(waiting):
                    pages[at].evaluate("1")
                    if walk_of(pages[at]) != before[at]:
                        waiting.discard(at)
                        took.append(time.monotonic() - begun)
            clicks, lost = clicks + len(pages), lost + len(waiting)
            for page in pages:
                driver.wait_until_idle(page)
            two.start(kill % 2)
            time.sleep(1)  # until the balancer knows
            for steps, page in zip(seen, pages, strict=True):
                steps.add(walk_of(page))
        assert lost == 0
        assert {len(steps) for steps in seen} == {11}  # none was done twice: all are at one step
        assert len({walk_of(page) for page in pages}) == 1
        browser.close()
    cuts = quantiles(took, n=20)
    measured.append(
        ("clicks that met a kill -9",
         f"{lost} of {clicks} lost, done after p50 {median(took):.1f} s, p95 {cuts[-1]:.1f} s",
         "0 of 100, ≤ 5 s")
    )  # fmt: skip


def test_one_lecture_while_a_front_is_killed_and_comes_back(
    url: str, two: Fronts, room: Room, measured: Measured
) -> None:
    phones = [Phone(url, f"/hall/{room.code}") for _ in range(300)]
    own = Client(f"{url}/hall/{room.code}", room.key)

    async def move(scene: int) -> None:
        await asyncio.to_thread(own.ask, "/move", {"scene": scene})
        await until(lambda: all(each.state.get("scene") == scene for each in phones))

    async def vote(phone: Phone, at: int) -> None:
        await asyncio.sleep(12 * at / len(phones))
        await phone.vote(QUESTION, at % 3)

    async def give() -> None:
        for phone in phones:
            assert await phone.enter() == 200
        following = [asyncio.create_task(each.follow()) for each in phones]
        await until(lambda: all(each.state for each in phones))
        await move(1)
        await move(QUESTION)
        voting = asyncio.gather(*(vote(each, at) for at, each in enumerate(phones)))
        await asyncio.sleep(3)
        await asyncio.to_thread(two.kill, 0)
        await asyncio.gather(voting, asyncio.to_thread(two.start, 0))
        await asyncio.to_thread(own.ask, "/reveal", {})
        await until(lambda: all(each.state["result"] for each in phones))
        for scene in (2, 3, 4):
            await move(scene)
        for each in following:
            each.cancel()

    run(give())
    breaks = [each for phone in phones for each in phone.breaks]
    assert [each for phone in phones for each in phone.errors] == []
    bars = phones[0].state, Client(own.url).ask("/state").json
    own.ask("/move", {"scene": QUESTION})
    voted = own.ask("/state").json["result"]["voted"]
    assert voted == len(phones), bars
    measured.append(
        ("a lecture with 300 phones, one front killed in a vote, and back",
         f"0 phones, 0 of {voted} votes lost, 0 errors; {len(breaks)} lines broken, "
         f"back after p50 {median(breaks):.1f} s, slowest {max(breaks):.1f} s", "nothing lost")
    )  # fmt: skip


async def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_twenty_visitors_see_nothing_of_a_rolling_restart(
    url: str, two: Fronts, measured: Measured
) -> None:
    visitors: list[Staying] = []

    async def restart() -> Crowd:
        async with crowd(url, 20, visit=partial(staying, boot=boot_of(url))) as guests:
            visitors.extend(each for _, each in guests.visitors if isinstance(each, Staying))
            staying_there = asyncio.create_task(guests.stay(60))
            for at in (0, 1):
                await asyncio.sleep(3)
                await asyncio.to_thread(two.kill, at, signal.SIGTERM)
                await asyncio.to_thread(two.start, at)
            staying_there.cancel()
            with suppress(asyncio.CancelledError):
                await staying_there
            return guests

    seen = run(restart()).seen
    breaks = [each for visitor in visitors for each in visitor.breaks]
    assert seen.exceptions == [] and seen.lost == []
    assert breaks and "Traceback" not in two.logs()
    measured.append(
        ("a rolling restart of both fronts with 20 visitors",
         f"0 errors in {len(seen.answers)} answers; {len(breaks)} times at another front, "
         f"after p50 {median(breaks):.1f} s", "0 errors")
    )  # fmt: skip


@pytest.fixture(scope="module")
def one(store: str) -> Iterator[Fronts]:
    with clusters.fronts(1, GLASSFORMER_STORE=store) as found:
        yield found


def test_two_fronts_carry_twice_the_visitors(
    url: str, one: Fronts, two: Fronts, measured: Measured
) -> None:
    """Told as processor time a rerun: the visitors, the balancer and Postgres share the cores."""

    async def spent(place: str, servers: Fronts, count: int) -> tuple[float, float]:
        pids = [server.pid for _, server in servers.running.values()]
        async with crowd(place, count, 3) as guests:
            before = sum(map(cpu_seconds, pids))
            await guests.stay(15, 60)
            runs = sum(each.runs for each in guests.seen.answers)
            waited = quantiles([each.seconds for each in guests.seen.answers], n=20)
        return 1000 * (sum(map(cpu_seconds, pids)) - before) / runs, waited[-1]

    alone, _ = run(spent(one.running[0][1].url, one, 8))
    both, _ = run(spent(url, two, 16))
    measured.append(
        ("visitors of two fronts, in those of one",
         f"{2 * alone / both:.2f} × (CPU a rerun {alone:.0f} → {both:.0f} ms)", "≥ 1.8 ×")
    )  # fmt: skip
    assert 2 * alone / both > 1
