"""Links to all pages, hostile and random, opened by visitors of a real server."""

from __future__ import annotations

import json
import random
from contextlib import AsyncExitStack
from dataclasses import fields
from functools import cache
from urllib.parse import urlencode

from websockets.exceptions import WebSocketException

from glassformer.app.session import state
from glassformer.app.session.state import State
from glassformer.core.analysis.blocks import blocks_of_model
from glassformer.core.analysis.head_roles import ROLES
from glassformer.core.explain.steps.steps import list_steps
from glassformer.core.text_models.checkpoints import list_models, load_model
from tests.benchmarks.process import cpu_seconds
from tests.browser.driver import ROOT, Server
from tests.fuzz import hostile
from tests.fuzz.attempts import Report
from tests.visitor import Visitor, visiting

PAGES = (
    "", "walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab", "tensors",
)  # fmt: skip
LINKS_A_VISITOR = 8
BROKEN = (WebSocketException, OSError, TimeoutError)


def link(rng: random.Random, longest: int = hostile.LONGEST) -> tuple[str, str]:
    """A page and a query string with some fields of the state: fitting, foreign or hostile."""
    names = [each.name for each in fields(State)]
    chosen = rng.sample(names, rng.choice((1, 1, 2, 3, 5, 10, len(names))))
    query = {name: _value(rng, name, longest) for name in chosen}
    if rng.random() < 0.05:
        query[hostile.text(rng, 30)] = hostile.text(rng, 100)  # no field of ours
    written = urlencode(query)
    if rng.random() < 0.05:
        written = hostile.damaged(rng, written.encode()).decode("utf-8", "replace")
    return rng.choice(PAGES), written


def _value(rng: random.Random, name: str, longest: int) -> str:
    drawn = rng.random()
    if drawn < 0.7 and (fitting := _fitting(name)):
        return rng.choice(fitting)
    return rng.choice(_plausible()) if drawn < 0.85 else hostile.text(rng, longest)


@cache
def _fitting(name: str) -> tuple[str, ...]:
    """Values that the field takes; whether they suit the run on screen is another matter."""
    read = next(each.metadata["codec"].read for each in fields(State) if each.name == name)
    found = []
    for text in _plausible():
        try:
            read(text)
        except ValueError:
            continue
        found.append(text)
    return tuple(found)


@cache
def _plausible() -> tuple[str, ...]:
    """Whatever some field takes, and numbers around all bounds."""
    trace = load_model().trace(state.FIRST_SENTENCE)
    lists = [each for each in vars(state).values() if isinstance(each, tuple)]
    experiments = json.loads((ROOT / "assets/experiments/examples.json").read_text("utf-8"))
    return tuple(sorted({
        *(str(word) for each in lists for word in each), *ROLES, *list_models(), *trace,
        *map(str, (*range(18), 50, 64, 80, 100, 150, 200, 400, 17_000, 50_000, 999_999)),
        *(block.id for block in blocks_of_model(trace.config)),
        *(step.id for step in list_steps(trace)),
        *(each["edits"] for each in experiments), *(each["text"] for each in experiments),
        *"apart dimension picture table exact workshop harm hidden look all few".split(),
        "source:1", "source:3", "target:2", "target:60", "head,query", "query,key",
        "position,feature",
        "head:1", "head:9,query:2", "query:all,key:3", "1:5", "3:77,4:2", "2:999999", "0.9", "10.0",
        "encoder/0/self_attention/weights@1,2,3", "generator/probabilities@2,40",
        "decoder/1/cross_attention/scores@4,9,99", "0123456789abcdef",
        "heads_off:encoder/0/nothing",
        "I love you.\n我爱你。\nYes.", "我 爱 机器 学习", "pe-matrix", "softmax-4x4", "errata",
    }))  # fmt: skip


async def opened(server: Server, count: int, seed: int, longest: int) -> Report:
    """Opens so many links, some by newcomers, some in a page that is open already."""
    report = Report("links")
    for first in range(0, count, LINKS_A_VISITOR):
        numbers = range(first, min(first + LINKS_A_VISITOR, count))
        await visited(server, report, [f"links/{seed}/{number}" for number in numbers], longest)
    if tracebacks := server.log().count("Traceback (most recent call last)"):
        report.findings["log"] = f"{tracebacks} tracebacks: {server.log()[-2000:]}"
    return report


async def visited(server: Server, report: Report, cases: list[str], longest: int) -> None:
    """Opens the links of some cases one after the other in one session."""
    async with AsyncExitStack() as doors:
        visitor: Visitor | None = None
        for case in cases:
            page, query = link(random.Random(case), longest)
            start = cpu_seconds(server.pid)
            try:
                visitor = visitor or await doors.enter_async_context(visiting(server.url))
                answer = await visitor.open(page, query)
            except BROKEN as error:
                visitor = None
                report.findings[case] = f"{type(error).__name__}: {error} at {page}?{query[:300]}"
            else:
                for exception in answer.exceptions:
                    report.findings[case] = f"{exception[:300]} at {page}?{query[:300]}"
            report.tried += 1
            report.spent(cpu_seconds(server.pid) - start, case)
