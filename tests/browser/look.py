"""Screenshots of a page in all sizes, themes and languages:

python tests/browser/look.py attention shots --query "layer=2&head=1" --themes dark
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser import driver


def main() -> None:
    """Read the arguments, take the pictures, print their paths."""
    given = _arguments()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with driver.serving(given.port) as server, driver.chromium() as browser:
        for size, theme, language in product(given.sizes, given.themes, given.languages):
            width, height = map(int, size.split("x"))
            page_path = "" if given.page == "translate" else given.page
            url = f"{server}/{page_path}?language={language}&{given.query}"
            page = driver.open_page(browser, url, width, height, theme)
            page.on("pageerror", lambda error: print("page error:", error))  # noqa: T201
            for step in given.click:
                page.click(step)
                driver.wait_until_idle(page)
            path = folder / f"{given.page}-{size}-{theme}-{language}.png"
            page.screenshot(path=path, full_page=given.full)
            print(path)  # noqa: T201
            page.close()


def _arguments() -> argparse.Namespace:
    def several(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", help="translate, attention or tensors")
    parser.add_argument("folder", help="where the pictures go")
    parser.add_argument("--query", default="", help="of the URL, as in layer=2&head=1")
    parser.add_argument("--sizes", type=several, default="1440x900,1920x1080")
    parser.add_argument("--themes", type=several, default="light,dark")
    parser.add_argument("--languages", type=several, default="en,zh")
    parser.add_argument("--port", type=int, help="of the server; a free one without")
    parser.add_argument("--click", action="append", default=[], help="a selector to click first")
    parser.add_argument("--full", action="store_true", help="the whole page, not only the window")
    return parser.parse_args()


if __name__ == "__main__":
    main()
