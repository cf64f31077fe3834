"""What of a lecture's scene cannot be read from the last row of a hall."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))  # of the window in front of a hall
FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8")


def seen_from_the_last_row(page: Page) -> list[Any]:
    """What of a scene is too small or cut, in each of the windows."""
    faults = list[Any]()
    for width, height in reversed(SIZES):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(400)  # charts follow their box
        found = page.evaluate(FAULTS)
        faults += [(height, *fault) for fault in (*found["small"], *found["cut"])]
    return faults
