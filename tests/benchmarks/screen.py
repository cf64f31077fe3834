"""What a reader waits for, in headless Chromium: from the click to the painted picture."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import cycle
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, WebSocket

from tests.benchmarks.report import Table, kilobytes, shared_cores
from tests.benchmarks.timing import Spread
from tests.browser import driver

NO_BROWSER = "no Chromium here: run `make browser`"
FEWEST = 6  # clicks

# From the pointer going down to the frame after the last change inside the large chart, once
# nothing has changed there for a while.
WATCH = """() => {
  const quiet = 400;
  window.headPainted = new Promise((done) => {
    let start = 0, painted = 0, timer = 0;
    const changed = () => requestAnimationFrame(() => requestAnimationFrame(() => {
      painted = performance.now();
      clearTimeout(timer);
      timer = setTimeout(() => { eye.disconnect(); done(painted - start); }, quiet);
    }));
    const inChart = ({ target }) => (target.closest ?? (() => null)).call(
      target, "[class*=st-key-attention_picture--] .js-plotly-plot");
    const eye = new MutationObserver((all) => { if (start && all.some(inChart)) changed(); });
    const whole = { subtree: true, childList: true, attributes: true, characterData: true };
    document.addEventListener("pointerdown", () => {
      start = performance.now();
      eye.observe(document.body, whole);
    }, { once: true, capture: true });
  });
}"""


def head_tables(texts: Mapping[int, str], seconds: float) -> Iterator[Table]:
    """Another head on the Attention page, for texts of so many tokens."""
    table = Table(
        "Attention page, another head: click to painted, in headless Chromium",
        ("tokens", "real ms (quartiles)", "received on the socket", "clicks"),
    )
    if driver.find_browser() is None:
        table.notes.append(NO_BROWSER)
        yield table
        return
    with driver.serving() as url, driver.chromium() as browser:
        for tokens, text in texts.items():
            page = f"{url}/attention?{urlencode({'text': text})}"
            table.add(str(tokens), *_clicks(browser, page, seconds))
    table.notes += [
        "painted: the second frame after the last change in the large picture",
        "received: median, before the compression of the connection",
        shared_cores(),
    ]
    yield table


def _clicks(browser: Browser, url: str, seconds: float) -> tuple[str, ...]:
    page = driver.new_page(browser, viewport={"width": 1440, "height": 900})
    received: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: received.append(len(payload)))

    page.on("websocket", listen)
    page.goto(url)
    driver.wait_until_idle(page)
    heads = page.locator('button[data-layer]:not([data-head="mean"])')
    places, times, sizes = cycle(range(heads.count())), list[float](), list[int]()
    _click(page, heads.nth(next(places)))  # also loads what the browser had not needed yet
    end = time.monotonic() + seconds
    while len(times) < FEWEST or time.monotonic() < end:
        received.clear()
        times.append(_click(page, heads.nth(next(places))))
        sizes.append(sum(received))
    page.close()
    waited = Spread.of(times)
    quartiles = f"{waited.middle:.0f} ({waited.low:.0f}–{waited.high:.0f})"
    return quartiles, kilobytes(Spread.of(sizes).middle), str(len(times))


def _click(page: Page, head: Locator) -> float:
    page.evaluate(WATCH)
    head.click()
    spent = float(page.evaluate("() => window.headPainted"))
    driver.wait_until_idle(page)
    return spent
