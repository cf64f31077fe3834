"""What of a lecture's scene cannot be read from the last row of a hall."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = ((1280, 720), (3840, 2160))  # the smallest window in front of a hall, and the largest
# Waits until two looks, eight frames apart, see everything in a scene's charts at the same places:
# most follow their box within two frames, the slowest within eight.
FOLLOWED = """async () => {
  let [before, frames] = [null, 2];
  for (let looks = 0; looks < 40; looks += 1) {
    while (frames--) await new Promise(requestAnimationFrame);
    const drawn = pool.shown.node.contentDocument.querySelectorAll(".main-svg *, canvas, svg");
    const now = [...drawn]
      .map((each) => Object.values(each.getBoundingClientRect().toJSON()).join()).join(";");
    if (now === before) return;
    [before, frames] = [now, 8];
  }
  throw new Error("the charts went on following their box");
}"""
FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8")


def seen_from_the_last_row(page: Page) -> list[Any]:
    """What of a scene is too small or cut, in each window: first in the one that the page has."""
    faults = list[Any]()
    there = page.evaluate("innerWidth")
    for width, height in sorted(SIZES, key=lambda size: size[0] != there):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(FOLLOWED)
        found = page.evaluate(FAULTS)
        faults += [(height, *fault) for fault in (*found["small"], *found["cut"])]
    return faults
