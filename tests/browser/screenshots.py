"""Every page as it opens and at its fullest, in all sizes, themes, languages and sizes of type.

    make screenshots ARGS="shots"                    all of them, and a contact sheet of each screen
    make screenshots ARGS="shots --screens attention --sizes 1280x720 --themes dark"
    make screenshots ARGS="shots --against before"   and which differ from an earlier set
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

from glassformer.app.session.languages import LANGUAGES
from tests.browser import driver
from tests.browser.test_link import SCREENS

PAGES = ("translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training",
         "lab", "tensors", "lectures")  # fmt: skip
OPENING = {page: ("" if page == "translate" else page, {}) for page in PAGES}
FULL = {f"full-{name}": screen for name, screen in SCREENS.items()}
SIZES = ("1280x720", "1440x900", "1920x1080", "390x844")
HEIGHT, COLUMNS, GAP = 270, 8, 8  # of a contact sheet: pixels down, pictures a row, between them
SAME = 3  # of 255; lines drawn anew may differ by so much


def main() -> int:
    """Take the pictures, put them on sheets, tell which differ."""
    given = _arguments()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    variants = list(product(given.sizes, given.themes, given.languages, given.type))
    taken: dict[str, list[Path]] = {screen: [] for screen in given.screens}
    with driver.serving(given.port) as server, driver.chromium() as browser:
        for size, theme, language, type_size in variants:
            looks = {"language": language, "theme": theme, "size": type_size}
            page = _window(browser, size, theme)
            for screen in given.screens:
                path, query = (OPENING | FULL)[screen]
                page.goto(f"{server}/{path}?{urlencode(query | looks)}&{given.query}")
                driver.wait_until_idle(page)
                name = f"{screen}-{size}-{theme}-{language}-{type_size}.png"
                page.screenshot(path=folder / name, full_page=given.full)
                taken[screen].append(folder / name)
            page.close()
    for screen, pictures in taken.items():
        contact_sheet(pictures, folder / f"sheet-{screen}.webp", given.sizes)
    changed = differing(folder, Path(given.against)) if given.against else []
    for name in changed:
        print("differs:", name)  # noqa: T201
    return 1 if changed else 0


def contact_sheet(pictures: list[Path], sheet: Path, sizes: list[str]) -> None:
    """Small copies of a screen's pictures, each below what it shows it in; a size begins a row."""
    rows: list[list[tuple[str, Image.Image]]] = []
    for size in sizes:
        of_size = [path for path in pictures if size in path.stem]
        for first in range(0, len(of_size), COLUMNS):
            rows.append([_small(path) for path in of_size[first : first + COLUMNS]])
    widths = [sum(picture.width + GAP for _, picture in row) for row in rows]
    whole = Image.new("RGB", (max(widths), len(rows) * (HEIGHT + 20)), "white")
    pen = ImageDraw.Draw(whole)
    for place, row in enumerate(rows):
        x, y = 0, place * (HEIGHT + 20)
        for name, picture in row:
            pen.text((x, y + 3), name, fill="black")
            whole.paste(picture, (x, y + 18))
            x += picture.width + GAP
    whole.save(sheet, quality=70)


def _small(path: Path) -> tuple[str, Image.Image]:
    picture = Image.open(path).convert("RGB")
    picture.thumbnail((2 * HEIGHT, HEIGHT))
    return " ".join(path.stem.split("-")[-4:]), picture


def differing(now: Path, before: Path) -> list[str]:
    """The names of the pictures that are not as they were, or were not there."""
    found = []
    for path in sorted(now.glob("*.png")):
        old = before / path.name
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
