"""What of a lecture's scene cannot be read from the last row of a hall."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = ((1280, 720), (3840, 2160))  # the smallest window in front of a hall, and the largest
STEP, STEPS = 150, 20  # milliseconds between two looks whether the charts have followed their box
# Where everything in the charts of a scene lies.
DRAWN = """() => [...pool.shown.node.contentDocument.querySelectorAll(".main-svg *, canvas, svg")]
  .map((each) => Object.values(each.getBoundingClientRect().toJSON()).join()).join(";")"""
FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8")


def seen_from_the_last_row(page: Page) -> list[Any]:
    """What of a scene is too small or cut, in each of the windows."""
    faults = list[Any]()
    for width, height in reversed(SIZES):
        page.set_viewport_size({"width": width, "height": height})
        _wait_for_charts(page)
        found = page.evaluate(FAULTS)
        faults += [(height, *fault) for fault in (*found["small"], *found["cut"])]
    return faults


def _wait_for_charts(page: Page) -> None:
    """Wait until two looks at what is drawn see the same."""
    before = None
    for _ in range(STEPS):
        page.wait_for_timeout(STEP)
        now = page.evaluate(DRAWN)
        if now == before:
            return
        before = now
    raise TimeoutError("the charts went on following their box")
