"""What does a step of the Walkthrough cost on the server, what does it send; how long is a key?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from urllib.parse import urlencode

from playwright.sync_api import Browser

from glassformer.core.explain.steps.steps import for_layer, list_steps
from tests.benchmarks.report import Table, kilobytes, shared_cores, verdict
from tests.benchmarks.screen import NO_BROWSER
from tests.benchmarks.server import name_of, opened, rerun, text_of, watched
from tests.benchmarks.timing import Spread
from tests.browser import driver
from tests.opened_app import drawn

GOALS = {16: 150, 64: 300}  # ms of the server
LIMIT = 256  # KiB a panel
KEY_GOAL = 60  # ms
PRESSED = 20  # keys of a page, from the first step on
# Milliseconds from one key to the next, pages that are walked through.
KEYS = {"one a second": (1000, 1), "20 a second": (50, 5)}
# From a key to the second frame after the last change of the scene, once nothing has changed there
# for a while; with keys in a row, of each the first frame in which its step or a later one stands.
WATCH = """() => {
  const inside = (name) => [...document.querySelectorAll(".stBidiComponent *")]
    .map((each) => each.shadowRoot?.querySelector(name)).find(Boolean);
  const [scene, places] = [inside(".scene"), glassformerWalk.order];
  const shown = () => scene.matches(".waiting") ? -1 : places.indexOf(scene.dataset.step);
  window.keysPainted = [];
  const open = [];
  new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(() => {
    const [at, now] = [shown(), performance.now()];
    while (open.length && open[0][0] <= at) keysPainted.push(now - open.shift()[1]);
  }))).observe(scene, { subtree: true, childList: true, attributes: true });
  document.addEventListener("keydown", () => {
    open.push([places.indexOf(glassformerWalk.here) + 1, performance.now()]);
  }, true);
}"""


def tables(seconds: float) -> Iterator[Table]:
    """Every step, one after the other, for texts of so many tokens."""
    logging.disable(logging.WARNING)  # Streamlit misses a browser at every run
    table = Table(
        "Walkthrough, from step to step: the server's part",
        ("tokens", "steps", "CPU ms (quartiles)", "worst", "goal", "largest panel", "size", "goal"),
    )
    for tokens, goal in GOALS.items():
        table.add(str(tokens), *_walked(text_of(tokens), goal, seconds))
    table.notes += [
        "the whole page runs again; CPU ms with the serialisation of every message",
        "a step's time is the median of its visits; worst: of the slowest step",
    ]
    yield table
    yield from key_tables()


def key_tables() -> Iterator[Table]:
    """Page Down through the walk in headless Chromium, for texts of so many tokens."""
    columns = ("tokens", "keys", "pressed", "p50 ms", "p95 ms", "goal")
    table = Table("Walkthrough, Page Down: key to painted, in headless Chromium", columns)
    if driver.find_browser() is None:
        table.notes.append(NO_BROWSER)
        yield table
        return
    with driver.serving() as url, driver.chromium() as browser:
        for tokens in GOALS:
            page = f"{url}/walkthrough?{urlencode({'text': text_of(tokens)})}"
            for name, (pause, pages) in KEYS.items():
                times = [each for _ in range(pages) for each in _keys(browser, page, pause)]
                table.add(str(tokens), name, *_summary(sorted(times)))
    table.notes += [
        "painted: the second frame after the picture of the step, or of a later one, stands",
        "the picture itself; the title and the strip are there a frame after every key",
        shared_cores(),
    ]
    yield table


def _keys(browser: Browser, url: str, pause: float) -> list[float]:
    """What each of the keys took to be painted, in ms."""
    page = driver.open_page(browser, url)
    page.wait_for_function("() => glassformerWalk.lacks().length === 0")
    page.evaluate(WATCH)
    for _ in range(PRESSED):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(pause)
    driver.wait_until_idle(page)
    page.wait_for_function("(all) => keysPainted.length >= all", arg=PRESSED)
    times: list[float] = page.evaluate("() => keysPainted")
    page.close()
    return times


def _summary(times: list[float]) -> tuple[str, ...]:
    low, high = (times[int((len(times) - 1) * share)] for share in (0.5, 0.95))
    return str(len(times)), f"{low:.0f}", f"{high:.0f}", verdict(high, KEY_GOAL)


def _walked(text: str, goal: float, seconds: float) -> tuple[str, ...]:
    app = opened("walkthrough", text=text)
    steps = for_layer(list_steps(drawn(app)))
    times: list[list[float]] = [[] for _ in steps]
    largest = None
    with watched() as run:
        while min(map(len, times)) < 2 or sum(map(sum, times)) < seconds:
            for step, spent in zip(steps, times, strict=True):
                spent.append(rerun(app, run, walk=step.id))
                sent = max(run.messages, key=lambda message: message.ByteSize())
                if largest is None or sent.ByteSize() > largest.ByteSize():
                    largest = sent
    assert largest is not None
    middles = [1000 * sorted(spent)[len(spent) // 2] for spent in times]
    spread, size = Spread.of(middles), largest.ByteSize()
    return (
        str(len(steps)),
        f"{spread.middle:.0f} ({spread.low:.0f}–{spread.high:.0f})",
        f"{max(middles):.0f}",
        verdict(max(middles), goal),
        name_of(largest),
        kilobytes(size),
        verdict(size / 1024, LIMIT),
    )
