"""Fixtures of the browser tests: one server and one Chromium for all of them."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import driver

expect.set_options(timeout=20_000)  # a busy machine takes its time to draw


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            # A failing one is run once more, and the summary says so: a race is worth a look.
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if driver.find_browser() is None:
        pytest.skip("no Chromium: run `make browser`, or set GLASSFORMER_BROWSER to its path")
    with driver.chromium() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests of a process: what a page has loaded is at hand for the next."""
    with browser.new_context(locale="en-GB") as shared:
        yield shared


@pytest.fixture(scope="session")
def app_url(browser: Browser) -> Iterator[str]:
    with driver.serving() as url:
        yield url


@pytest.fixture
def open_page(context: BrowserContext, app_url: str) -> Iterator[Callable[..., Page]]:
    """`open_page(path="", query="", width=1440, height=900, theme="light")`: a page at rest."""
    opened: list[Page] = []

    def open_one(path: str = "", query: str = "", **window: object) -> Page:
        url = f"{app_url}/{path}" + (f"?{query}" if query else "")
        page = driver.open_page(context, url, **window)  # type: ignore[arg-type]
        opened.append(page)
        return page

    yield open_one
    for page in opened:
        page.close()
