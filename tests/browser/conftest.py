"""Fixtures of the browser tests: one server for all of them, one Chromium for most."""

from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.browser import driver

expect.set_options(timeout=20_000)  # a busy machine takes its time to draw
# Tabs live for seconds: what V8's optimizing compilers cost is never earned there, nor a process of
# its own for each.
QUICK = ("--js-flags=--no-opt --no-maglev --min-semi-space-size=32", "--renderer-process-limit=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Notes which tests failed: `session.testsfailed` counts none that will be tried again."""
    report = yield
    if report.failed:
        driver.FAILED.add(item.nodeid)
    elif report.when == "setup":
        driver.FAILED.discard(item.nodeid)
    return report


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if driver.find_browser() is None:
        pytest.skip("no Chromium: run `make browser`, or set GLASSFORMER_BROWSER to its path")
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One whose pages share nothing, for tests of several visitors."""
    chromium = playwright.chromium.launch(**driver.launched(*QUICK))
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def context(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """One for all tests of a process, with a profile: scripts are loaded and compiled only once."""
    profile = tmp_path_factory.mktemp("profile")
    chromium = playwright.chromium
    shared = chromium.launch_persistent_context(profile, locale="en-GB", **driver.launched(*QUICK))
    yield shared
    shared.close()


@pytest.fixture(scope="session")
def app_server(playwright: Playwright) -> Iterator[driver.Server]:
    with driver.server() as server:
        yield server


@pytest.fixture(scope="session")
def app_url(app_server: driver.Server) -> str:
    return app_server.url


@pytest.fixture(scope="session")
def led_pages() -> list[Page]:
    """The page that `led` leads, once it is open."""
    return []


@pytest.fixture
def led(
    context: BrowserContext, app_url: str, led_pages: list[Page], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """`led(path, query, width, height)`: a page that is there, led to a link: a fifth of a new one.

    It remembers what the tests before it did: not for what a first visit is to show, and a link
    says the theme and the language that it wants. After a test that failed it is a new one.
    """

    def lead(path: str = "", query: str = "", width: int = 1440, height: int = 900) -> Page:
        if not led_pages:
            led_pages.append(driver.open_page(context, app_url))
        led_pages[0].mouse.move(-1, -1)  # over nothing of what comes
        led_pages[0].set_viewport_size({"width": width, "height": height})
        # a link without a query is one of the navigation's: the session keeps what is on screen
        driver.lead(led_pages[0], path, query or "theme=light")
        return led_pages[0]

    yield lead
    if led_pages and request.node.nodeid in driver.FAILED:
        led_pages.pop().close()


@pytest.fixture(scope="session")
def kept_pages() -> list[Page]:
    """The pages that `open_page` has opened and no test has now."""
    return []


@pytest.fixture
def open_page(
    context: BrowserContext, app_url: str, kept_pages: list[Page], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """`open_page(path="", query="", width=1440, height=900, theme="light")`: a page at rest.

    What it shows is what somebody sees who was never here before, in a tab that tests before may
    have had: half of a new one's cost. A tab is not kept after a test that failed, nor after one
    that added to it what outlives a load.
    """
    opened: list[Page] = []

    def open_one(path: str = "", query: str = "", **window: object) -> Page:
        page = kept_pages.pop() if kept_pages else driver.note_changes(driver.new_page(context))
        opened.append(page)
        url = f"{app_url}/{path}" + (f"?{query}" if query else "")
        driver.visit(page, url, **window)  # type: ignore[arg-type]
        return page

    yield open_one
    for page in opened:
        if page.is_closed():
            continue
        if page in driver.CHANGED or request.node.nodeid in driver.FAILED:
            page.close()
        else:
            driver.leave(page, app_url)
            kept_pages.append(page)
