"""How long from `make app` (not the first time) to the translation on screen?"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

from playwright.sync_api import Browser

from glassformer.app.frame.opening_page import PAGES
from glassformer.app.server.process import SETTLED
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.core.text_models.checkpoints import load_model
from tests.benchmarks.process import cpu_seconds
from tests.benchmarks.report import Table, shared_cores
from tests.benchmarks.screen import NO_BROWSER
from tests.benchmarks.timing import Spread
from tests.browser import driver

FEWEST = 3  # starts
LOOKED = 7.0  # seconds at a page that is opened: all that it does by itself is over then
WINDOW = {"width": 1440, "height": 900}


def tables(seconds: float) -> Iterator[Table]:
    """Starts the server again and again, each time with a browser that has cached nothing."""
    table = Table(
        "From `make app` (not the first time) to the first painted panel",
        ("", "seconds (quartiles)"),
    )
    if driver.find_browser() is None:
        table.notes.append(NO_BROWSER)
        yield table
        return
    translation = load_model().translate(FIRST_SENTENCE)
    starts = []
    with driver.chromium() as browser:
        opened = _pages(browser)
        end = time.monotonic() + seconds
        while len(starts) < FEWEST or time.monotonic() < end:
            starts.append(_start(browser, translation))
    names = (
        "until the server answers",
        f"until “{translation}” is on screen",
        "until the app itself has drawn it",
        "until the whole page is at rest",
        f"second visitor: from the address to “{translation}”",
        "second visitor: until the app itself has drawn it",
        "CPU time of the server in all that",
    )
    for name, spent in zip(names, zip(*starts, strict=True), strict=True):
        seen = Spread.of(spent)
        table.add(name, str(seen))
    table.notes += [
        f"{len(starts)} starts of the command behind `make app`; the browser runs already, "
        "its cache is empty",
        shared_cores(),
    ]
    yield table
    yield opened


def _pages(browser: Browser) -> Table:
    """What each page costs somebody who opens it and looks: the second one to do so."""
    table = Table(
        f"A page that is opened and looked at for {LOOKED:g} seconds: processor time",
        ("page", "its process in the browser, s", "the server, s"),
    )
    with driver.server() as server:
        _look(browser, server, "")
        time.sleep(2 * SETTLED)  # what the server loads once it is quiet is of no page
        for page in PAGES:
            for _ in range(2):
                spent = _look(browser, server, "" if page == "translate" else page)
            table.add(page, *(f"{each:.2f}" for each in spent))
    table.notes += ["the browser's cache is empty", shared_cores()]
    return table


def _look(browser: Browser, server: driver.Server, path: str) -> tuple[float, float]:
    """Seconds of processor time: of the page, and of the server."""
    before = cpu_seconds(server.pid)
    context = browser.new_context(viewport=WINDOW, locale="en-GB")
    page = context.new_page()
    page.goto(f"{server.url}/{path}")
    page.wait_for_timeout(1000 * LOOKED)
    devtools = context.new_cdp_session(page)
    devtools.send("Performance.enable")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    context.close()
    seconds = {each["name"]: each["value"] for each in metrics}
    return seconds["ProcessTime"], cpu_seconds(server.pid) - before


def _start(browser: Browser, translation: str) -> tuple[float, ...]:
    begin, before = time.monotonic(), _server_seconds()
    with driver.serving() as url:
        answered = time.monotonic() - begin
        first = (each + answered for each in _visit(browser, url, translation))
        *second, _ = _visit(browser, url, translation)
    return answered, *first, *second, _server_seconds() - before


def _visit(browser: Browser, url: str, translation: str) -> tuple[float, float, float]:
    """Seconds until a browser without a cache shows the translation, the app does, all rests."""
    begin = time.monotonic()
    context = browser.new_context(viewport=WINDOW, locale="en-GB")
    page = driver.new_page(context)
    page.goto(url, wait_until="commit")
    page.get_by_text(translation).first.wait_for(state="visible", timeout=60_000)
    read = time.monotonic() - begin
    page.locator(".st-key-headline .text").wait_for(state="visible", timeout=60_000)
    drawn = time.monotonic() - begin
    driver.wait_until_idle(page)
    rest = time.monotonic() - begin - driver.QUIET
    context.close()
    return read, drawn, max(drawn, rest)


def _server_seconds() -> float:
    """CPU time of all servers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
