"""How many people can look at the same server? Visitors without browsers, who click and type."""

from __future__ import annotations

import argparse
import asyncio
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import linear_regression, quantiles

from streamlit.config import get_option

from tests.benchmarks.hall_mix import PAGES, Crowd, Seen, crowd
from tests.benchmarks.process import cpu_seconds, memory_bytes
from tests.benchmarks.report import Table, shared_cores
from tests.browser import driver
from tests.visitor import visiting

LOADS = (1, 10, 30, 60)
FEWEST = 60  # answers of a load
SOAKING = 20  # sessions
AT_ONCE = 10  # of the visits that come and go
CLICKS = 3  # of a visit
REST, MOST_LOADING = 12, 60  # seconds without work, and to wait for that
MOST_SESSIONS, MOST_MINUTES, MOST_VISITS = 200, 120, 5000
KINDS = ("click", "sentence", "page")
GOALS = {  # issue 14
    1: "≤ 30 ms",
    30: "p50 ≤ 0.10, p95 ≤ 0.30",
    60: "p95 ≤ 1.00, ≤ 1.3 × the ms of one",
}
MIX = (
    "each of them every 1–3 s: 50 % another head or control of the page, 40 % a new sentence, "
    "10 % another page of seven"
)


@dataclass(frozen=True)
class Asked:
    """What the command line asks of this question."""

    sessions: tuple[int, ...] = LOADS
    keep: bool = False
    minutes: float = 0
    visits: int = 0
    seed: int = 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this question."""
    group = parser.add_argument_group("hall", "visitors of one server; all on this machine")
    group.add_argument("--sessions", metavar="N,N", help=f"loads, by default {LOADS}")
    group.add_argument("--keep", action="store_true", help="one server for all loads")
    group.add_argument("--minutes", type=float, default=0, help=f"soak with {SOAKING} sessions")
    group.add_argument("--visits", type=int, default=0, help="sessions that come and go")
    group.add_argument("--seed", type=int, default=0, help="of what the visitors do")


def asked_of(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Asked:
    """The options as they were given; ends the program where they are out of bounds."""
    alone = given.minutes or given.visits
    loads = given.sessions or ("" if alone else ",".join(map(str, LOADS)))
    sessions = tuple(int(each) if each.isdigit() else 0 for each in filter(None, loads.split(",")))
    if not all(1 <= each <= MOST_SESSIONS for each in sessions):
        parser.error(f"--sessions {loads}: numbers from 1 to {MOST_SESSIONS}, with commas")
    if not (0 <= given.minutes <= MOST_MINUTES and 0 <= given.visits <= MOST_VISITS):
        parser.error(f"at most --minutes {MOST_MINUTES} and --visits {MOST_VISITS}")
    return Asked(sessions, given.keep, given.minutes, given.visits, given.seed)


def tables(seconds: float, asked: Asked = Asked()) -> Iterator[Table]:
    """Loads one after the other, a soak, visits: what is asked for."""
    gc.collect()
    gc.freeze()  # the client shares the cores with the server
    if asked.sessions:
        yield _loads(asked, seconds)
    if asked.minutes:
        yield _soak(asked)
    if asked.visits:
        yield _visits(asked)


def _loads(asked: Asked, seconds: float) -> Table:
    table = Table(
        "A hall of visitors: one server, sessions side by side",
        ("sessions", "answers", "p50 s", "p95 s", "p50 s click · sentence · page",
         "CPU ms a rerun", "kB a rerun", "RSS MB", "errors", "goal"),
    )  # fmt: skip
    own, answers = time.process_time(), 0
    if asked.keep:
        with driver.server() as server:
            for count in asked.sessions:
                answers += asyncio.run(_load(server, count, seconds, asked.seed, table))
    else:
        for count in asked.sessions:
            with driver.server() as server:
                answers += asyncio.run(_load(server, count, seconds, asked.seed, table))
    own = (time.process_time() - own) * 1000 / max(answers, 1)
    table.notes += [
        MIX,
        "CPU: of the server's process; RSS: its memory, before → after",
        "seconds from the request sent to the script finished; the first page of each is left out",
        "one server for all loads, one after the other" if asked.keep else "a fresh server a load",
        f"the client took {own:.1f} CPU ms an answer beside the server; seed {asked.seed}",
        shared_cores(),
    ]
    return table


async def _load(server: driver.Server, count: int, seconds: float, seed: int, table: Table) -> int:
    await _look_around(server)
    before = memory_bytes(server.pid)
    async with crowd(server.url, count, seed) as visitors:
        spent = cpu_seconds(server.pid)
        await visitors.stay(seconds, FEWEST)
        spent = cpu_seconds(server.pid) - spent
        after = memory_bytes(server.pid)
    seen = visitors.seen
    waited = [each.seconds for each in seen.answers]
    table.add(
        str(count),
        str(len(waited)),
        *_percentiles(waited),
        " · ".join(_percentiles(seen.kinds.get(name, []))[0] for name in KINDS),
        f"{spent * 1000 / max(sum(each.runs for each in seen.answers), 1):.0f}",
        f"{sum(each.size for each in seen.answers) / max(len(waited), 1) / 1000:.0f}",
        f"{_mb(before)} → {_mb(after)}",
        _errors(seen, server, table),
        GOALS.get(count, ""),
    )
    return len(waited)


def _soak(asked: Asked) -> Table:
    table = Table(
        f"{SOAKING} sessions for {asked.minutes:g} minutes",
        ("minute", "RSS MB", "answers", "p50 s", "p95 s"),
    )
    with driver.server() as server:
        asyncio.run(_soaked(server, asked, table))
    table.notes += [MIX, f"seed {asked.seed}", shared_cores()]
    return table


async def _soaked(server: driver.Server, asked: Asked, table: Table) -> None:
    await _look_around(server)
    sizes: list[tuple[float, int]] = []  # minutes since the start, bytes
    async with crowd(server.url, SOAKING, asked.seed) as visitors:
        watch = asyncio.create_task(_watch(server, visitors, table, sizes))
        await visitors.stay(asked.minutes * 60)
        watch.cancel()
    warm = asked.minutes / 2  # before, the caches fill up to their budget
    minutes, held = zip(*[each for each in sizes if each[0] >= warm], strict=True)
    slope = linear_regression(minutes, held).slope / 1e6 if len(held) > 1 else float("nan")
    table.notes += [
        f"RSS in the second half: {slope:+.2f} MB a minute (goal: at most 1)",
        f"errors: {_errors(visitors.seen, server, table)}",
    ]


async def _watch(
    server: driver.Server, visitors: Crowd, table: Table, sizes: list[tuple[float, int]]
) -> None:
    start, told, known = time.monotonic(), 0, 0
    while True:
        passed = (time.monotonic() - start) / 60
        sizes.append((passed, memory_bytes(server.pid)))
        if passed >= told:
            waited = [each.seconds for each in visitors.seen.answers[known:]]
            table.add(f"{told}", _mb(sizes[-1][1]), str(len(waited)), *_percentiles(waited))
            told, known = told + 1, known + len(waited)
        await asyncio.sleep(1)


def _visits(asked: Asked) -> Table:
    table = Table(
        f"{asked.visits} sessions that come, click {CLICKS} times and go, {AT_ONCE} at once",
        ("", "RSS MB", "minutes"),
    )
    with driver.server() as server:
        asyncio.run(_come_and_go(server, asked, table))
    table.notes += [f"seed {asked.seed}", shared_cores()]
    return table


async def _come_and_go(server: driver.Server, asked: Asked, table: Table) -> None:
    await _look_around(server)
    start, all_seen, turns = time.monotonic(), Seen(), max(asked.visits // AT_ONCE, 1)

    def tell(name: str) -> int:
        held = memory_bytes(server.pid)
        table.add(name, _mb(held), f"{(time.monotonic() - start) / 60:.1f}")
        return held

    before = tell("before")
    for turn in range(turns):
        async with crowd(server.url, min(AT_ONCE, asked.visits), asked.seed + turn) as visitors:
            await visitors.click(CLICKS)
        all_seen.answers += visitors.seen.answers
        all_seen.lost += visitors.seen.lost
        if (turn + 1) % max(turns // 4, 1) == 0:
            tell(f"after {(turn + 1) * AT_ONCE} visits")
    forgotten = int(get_option("server.disconnectedSessionTTL") or 120)
    await asyncio.sleep(forgotten + 5)
    await _look_around(server)  # Streamlit forgets the sessions when the next one goes
    await asyncio.sleep(5)
    after = tell(f"{forgotten} s later, when they are forgotten")
    minutes = (time.monotonic() - start) / 60
    table.notes += [
        f"{(after - before) / 1e6 / minutes:+.2f} MB a minute in all (goal: at most 1)",
        f"errors: {_errors(all_seen, server, table)}",
    ]


async def _look_around(server: driver.Server) -> None:
    # What is loaded late is loaded now: every page once, by a visitor who leaves.
    async with visiting(server.url) as visitor:
        await visitor.open()
        for page in PAGES:
            await visitor.go(page)
    await _at_rest(server)


async def _at_rest(server: driver.Server) -> None:
    # What the server loads behind its first visitor is loaded, too.
    end, still = time.monotonic() + MOST_LOADING, 0
    while time.monotonic() < end and still < REST:
        before = cpu_seconds(server.pid)
        await asyncio.sleep(1)
        still = still + 1 if cpu_seconds(server.pid) - before < 0.1 else 0


def _percentiles(waited: list[float]) -> tuple[str, str]:
    if len(waited) < 2:
        return "–", "–"
    cuts = quantiles(waited, n=100, method="inclusive")
    return f"{cuts[49]:.2f}", f"{cuts[94]:.2f}"


def _errors(seen: Seen, server: driver.Server, table: Table) -> str:
    tracebacks = server.log().count("Traceback (most recent call last)")
    found = {
        "exceptions on screen": seen.exceptions,
        "tracebacks in the log": [""] * tracebacks,
        "lost": seen.lost,
    }
    for name, each in found.items():
        table.notes += [f"{name}: {text}" for text in sorted({*each})[:3] if text]
    return ", ".join(f"{len(each)} {name}" for name, each in found.items() if each) or "0"


def _mb(held: int) -> str:
    return f"{held / 1e6:.0f}"
