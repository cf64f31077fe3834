"""What of a lecture's scene cannot be read from the last row of a hall."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = ((1280, 720), (3840, 2160))  # the smallest window in front of a hall, and the largest
# Waits until no chart is about to be drawn, and two looks, two frames apart, see everything in a
# scene's charts at the same places: most follow their box at once, the slowest within three frames.
FOLLOWED = """async () => {
  const inside = pool.shown.node.contentDocument;
  let before = null;
  for (let looks = 0; looks < 160; looks += 1) {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const now = [...inside.querySelectorAll(".main-svg *, canvas, svg")]
      .map((each) => Object.values(each.getBoundingClientRect().toJSON()).join()).join(";");
    const waits = inside.querySelector('.chart-place:not([data-chart="drawn"])');
    if (now === before && !waits) return;
    before = now;
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
