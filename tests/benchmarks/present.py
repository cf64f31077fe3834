"""A lecture in front of a hall: from the clicker's key to the painted scene, in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page

from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import bundled_lectures, load_lecture, read_lecture
from tests.benchmarks.report import Table, shared_cores, verdict
from tests.benchmarks.screen import NO_BROWSER
from tests.browser import driver
from tests.hall.halls import open_at

GOAL = 300  # ms, of keys that are pressed one by one
SINGLE = 1000  # ms between such keys, at least
PAUSES = {2500: "one in 2.5 s", 1000: "one a second", 50: "20 a second"}  # ms between two keys
SMALL = Path(driver.__file__).with_name("presented.toml")  # where no lecture is bundled
# Before the page's own scripts: its keys are heard by nobody after it.
LISTEN = """window.keysPressed = [];
addEventListener("keydown", () => keysPressed.push(performance.now()), true);"""
READY = """() => typeof pool !== 'undefined'
  && pool?.frames.every((each) => each.ready && each.scene !== null)"""
# From a key to the second frame after its scene, or a later one, is in front under its title; of
# keys in a row those whose scene was passed over count up to the one that came after it.
WATCH = """() => {
  window.keysPainted = [];
  const open = keysPressed;
  const look = () => {
    if (open.length && pool.isThere) {
      const begun = open.splice(0), spent = (each) => performance.now() - each;
      requestAnimationFrame(() => keysPainted.push(...begun.map(spent)));
    }
    requestAnimationFrame(look);
  };
  look();
}"""


def tables(seconds: float) -> Iterator[Table]:
    """Every bundled lecture, forward and back, at several paces."""
    columns = ("lecture", "keys", "pressed", "p50 ms", "p95 ms", "goal")
    table = Table("A lecture in front: key to painted, in headless Chromium", columns)
    if driver.find_browser() is None:
        table.notes.append(NO_BROWSER)
        yield table
        return
    lectures = [load_lecture(name) for name in bundled_lectures()] or [
        read_lecture(SMALL.read_bytes())
    ]
    with driver.serving() as url, driver.chromium() as browser:
        for lecture in lectures:
            page = _opened(browser, url, lecture)
            for pause, name in PAUSES.items():
                table.add(lecture.name, name, *_keys(page, lecture, pause, seconds))
            page.close()
    table.notes += [
        "painted: the second frame after the scene and its title are in front, whole",
        "forward and back; of keys in a row each counts up to the scene of the last one",
        shared_cores(),
    ]
    yield table


def _opened(browser: Browser, url: str, lecture: Lecture) -> Page:
    room = open_at(url, lecture)
    page = browser.new_page(viewport={"width": 1280, "height": 720}, locale="en-GB")
    page.add_init_script(LISTEN)
    page.goto(f"{url}/hall/{room.code}/present#{room.key}")
    page.wait_for_function(READY, timeout=120_000)
    page.evaluate(WATCH)
    return page


def _keys(page: Page, lecture: Lecture, pause: int, seconds: float) -> tuple[str, ...]:
    steps = len(lecture.scenes) - 1
    keys = ["PageDown"] * steps + ["PageUp"] * steps
    most = max(2 * steps, int(1000 * seconds / pause))
    pressed = [keys[each % len(keys)] for each in range(min(most, 60))]
    page.evaluate("keysPainted.length = 0")
    for key in pressed:
        page.keyboard.press(key)
        page.wait_for_timeout(pause)
    page.wait_for_function("(all) => keysPainted.length >= all", arg=len(pressed), timeout=60_000)
    times = sorted(page.evaluate("keysPainted"))
    page.keyboard.press("Home")
    page.wait_for_timeout(3000)
    low, high = times[len(times) // 2], times[int(len(times) * 0.95)]
    return (
        str(len(pressed)),
        f"{low:.0f}",
        f"{high:.0f}",
        verdict(high, GOAL) if pause >= SINGLE else "the last wins",
    )
