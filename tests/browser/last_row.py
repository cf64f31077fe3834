"""What of a lecture's scene cannot be read from the last row of a hall."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = ((1280, 720), (3840, 2160))  # the smallest window in front of a hall, and the largest
# Waits until two looks, some frames apart, see everything in a scene's charts at the same places:
# they follow their box within a frame or two, the slowest within eight.
FOLLOWED = """() => new Promise((followed) => {
  const drawn = () =>
    [...pool.shown.node.contentDocument.querySelectorAll(".main-svg *, canvas, svg")]
      .map((each) => Object.values(each.getBoundingClientRect().toJSON()).join()).join(";");
  let [before, frames] = ["", 0];
  const look = () => {
    frames += 1;
    if (frames % 8 === 2) {
      const now = drawn();
      if (frames > 2 && now === before) return followed();
      before = now;
    }
    requestAnimationFrame(look);
  };
  look();
})"""
FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8")


def seen_from_the_last_row(page: Page) -> list[Any]:
    """What of a scene is too small or cut, in each of the windows: first in the one that is."""
    faults = list[Any]()
    there = page.evaluate("innerWidth")
    for width, height in sorted(SIZES, key=lambda size: size[0] != there):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(FOLLOWED)
        found = page.evaluate(FAULTS)
        faults += [(height, *fault) for fault in (*found["small"], *found["cut"])]
    return faults
