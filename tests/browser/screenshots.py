"""Every page as it opens and at its fullest, in all sizes, themes, languages and sizes of type.

    make screenshots ARGS="shots"                          all of them, with contact sheets
    make screenshots ARGS="shots --screens attention --sizes 1280x720 --themes dark"
    make screenshots ARGS="shots --against before"         and which differ from an earlier set
    make screenshots ARGS="shots --screens attention --query layer=2&head=1"

A screen is a page's name (as it opens) or one of `tests.browser.test_link.SCREENS`.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image, ImageChops, ImageDraw
from playwright.sync_api import Browser, Page

from app.session.state import LANGUAGES
from tests.browser import driver
from tests.browser.test_link import SCREENS

PAGES = ("translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training",
         "lab", "tensors")  # fmt: skip
OPENING = {page: ("" if page == "translate" else page, {}) for page in PAGES}
FULL = {f"full-{name}": screen for name, screen in SCREENS.items()}
SIZES = ("1280x720", "1440x900", "1920x1080", "390x844")
PICTURE, COLUMNS = 480, 4  # of a contact sheet: pixels across, pictures a row
SAME = 3  # of 255; lines drawn anew may differ by so much


def main() -> int:
    """Take the pictures, put them on sheets, tell which differ."""
    given = _arguments()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    variants = list(product(given.sizes, given.themes, given.languages, given.type))
    with driver.serving(given.port) as server, driver.chromium() as browser:
        for size, theme, language, type_size in variants:
            looks = {"language": language, "theme": theme, "size": type_size}
            page = _window(browser, size, theme)
            taken = []
            for screen in given.screens:
                path, query = (OPENING | FULL)[screen]
                page.goto(f"{server}/{path}?{urlencode(query | looks)}&{given.query}")
                driver.wait_until_idle(page)
                name = f"{screen}-{size}-{theme}-{language}-{type_size}.png"
                taken.append(folder / name)
                page.screenshot(path=taken[-1], full_page=given.full)
            page.close()
            contact_sheet(taken, folder / f"sheet-{size}-{theme}-{language}-{type_size}.png")
    changed = differing(folder, Path(given.against)) if given.against else []
    for name in changed:
        print("differs:", name)  # noqa: T201
    return 1 if changed else 0


def contact_sheet(pictures: list[Path], sheet: Path) -> None:
    """Small copies of the pictures on one page, each below its name."""
    small = []
    for path in pictures:
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((PICTURE, 2 * PICTURE))
        small.append((path.stem.split("-")[0] if "full" not in path.stem else path.stem, picture))
    height = max(picture.height for _, picture in small) + 20
    rows = -(-len(small) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * (PICTURE + 8), rows * height), "white")
    pen = ImageDraw.Draw(whole)
    for place, (name, picture) in enumerate(small):
        x, y = place % COLUMNS * (PICTURE + 8), place // COLUMNS * height
        pen.text((x, y + 3), name, fill="black")
        whole.paste(picture, (x, y + 18))
    whole.save(sheet)


def differing(now: Path, before: Path) -> list[str]:
    """The names of the pictures that are not as they were, or were not there."""
    found = []
    for path in sorted(now.glob("*.png")):
        old = before / path.name
        if path.name.startswith("sheet-"):
            continue
        if not old.exists() or not alike(path, old):
            found.append(path.name)
    return found


def alike(one: Path, other: Path) -> bool:
    """Whether two pictures are the same but for the rounding of single pixels."""
    first, second = (Image.open(path).convert("RGB") for path in (one, other))
    if first.size != second.size:
        return False
    extrema = ImageChops.difference(first, second).getextrema()
    return all(most <= SAME for _, most in extrema)


def _window(browser: Browser, size: str, theme: str) -> Page:
    width, height = map(int, size.split("x"))
    return driver.new_page(
        browser,
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )


def _arguments() -> argparse.Namespace:
    def several(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--screens", type=several, default=[*OPENING, *FULL])
    parser.add_argument("--query", default="", help="more of the URL: layer=2&head=1")
    parser.add_argument("--sizes", type=several, default=list(SIZES))
    parser.add_argument("--themes", type=several, default=["light", "dark"])
    parser.add_argument("--languages", type=several, default=[*LANGUAGES])
    parser.add_argument("--type", type=several, default=["100", "150"], help="percent")
    parser.add_argument("--against", default="", help="a folder of earlier pictures")
    parser.add_argument("--full", action="store_true", help="below the fold, too")
    parser.add_argument("--port", type=int, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
