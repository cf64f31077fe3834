"""A front that is killed, and one beside it: a reader's models and kept experiments are there."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import driver
from tests.browser.test_opening import choose
from tests.opened_files import model_file

pytestmark = pytest.mark.slow

SENTENCE = "text=I+love+you"
MENU = ".st-key-widget_model_en input"


@pytest.fixture
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(locale="en-GB")
    yield opened
    opened.close()


@pytest.fixture
def store(tmp_path: Path) -> dict[str, str]:
    """What servers are told that share a store and blobs."""
    return {"GLASSFORMER_STORE": str(tmp_path / "shared")}


def kill(server: driver.Server) -> int:
    """End a server as no server ends by itself; returns its port."""
    os.kill(server.pid, signal.SIGKILL)
    os.waitpid(server.pid, 0)
    return int(server.url.rpartition(":")[2])


def bring_a_model(page: Page, folder: Path) -> str:
    """Opens a model's file; returns the link to its screen."""
    (file := folder / "model.zip").write_bytes(model_file())
    choose(page, file)
    expect(page.locator(MENU)).to_have_value("mine-1")
    driver.wait_until_idle(page)
    assert "model=mine-1~" in page.url
    return page.url


def open_kept(page: Page) -> None:
    page.locator(".st-key-switch_kept button").first.click()
    driver.wait_until_idle(page)


def keep(page: Page, name: str) -> None:
    """Keeps the experiment on screen under a name."""
    before = page.evaluate("localStorage.length")
    open_kept(page)
    page.locator(".st-key-widget_experiment_name input").fill(name)
    page.keyboard.press("Enter")
    driver.wait_until_idle(page)
    page.locator(".st-key-widget_keep button").click()
    page.wait_for_function("(before) => localStorage.length > before", arg=before)
    page.keyboard.press("Escape")
    driver.wait_until_idle(page)


def test_a_killed_server_has_what_its_reader_kept(
    visitor: BrowserContext, browser: Browser, store: dict[str, str], tmp_path: Path
) -> None:
    with driver.server(**store) as server:
        page = driver.open_page(visitor, f"{server.url}/switch?{SENTENCE}&edits=causal")
        link = bring_a_model(page, tmp_path)
        keep(page, "<b>no mask</b>")
        shown = driver.drawn(page)["texts"]
        port = kill(server)
    with driver.server(port, **store):
        page.goto(link)
        driver.wait_until_idle(page)
        expect(page.locator(MENU)).to_have_value("mine-1")
        expect(page.locator(".st-key-switch_kept")).to_contain_text("Kept: 1")
        assert "model=mine-1~" in page.url and driver.drawn(page)["texts"] == shown
        open_kept(page)
        expect(page.locator(".st-key-widget_load_0")).to_contain_text("<b>no mask</b>")
        stranger = driver.open_page(browser, link)  # who has the link can read
        expect(stranger.locator(MENU)).to_have_value("mine-1")
        expect(stranger.locator(".st-key-switch_kept")).to_contain_text("Keep")
        stranger.locator(".st-key-widget_open_file button").first.click()
        expect(stranger.get_by_role("dialog")).to_be_visible()
        expect(stranger.locator(".st-key-own_models")).to_have_count(0)  # and change nothing
        stranger.close()


def test_a_page_that_stood_open_goes_on_writing(
    visitor: BrowserContext, store: dict[str, str]
) -> None:
    with driver.server(**store) as server:
        page = driver.open_page(visitor, f"{server.url}/switch?{SENTENCE}&edits=causal")
        keep(page, "first")
        port = kill(server)
    with ExitStack() as held:
        with page.expect_websocket(timeout=60_000):
            held.enter_context(driver.server(port, **store))
        driver.wait_until_idle(page)
        keep(page, "second")
        page.reload()
        driver.wait_until_idle(page)
        expect(page.locator(".st-key-switch_kept")).to_contain_text("Kept: 2")


def test_a_model_opened_on_one_front_is_there_on_the_other(
    visitor: BrowserContext, store: dict[str, str], tmp_path: Path
) -> None:
    with driver.server(**store) as first, driver.server(**store) as second:
        there = driver.open_page(visitor, f"{second.url}/attention?{SENTENCE}")
        here = driver.open_page(visitor, f"{first.url}/attention?{SENTENCE}")
        link = bring_a_model(here, tmp_path)
        there.bring_to_front()
        there.goto(link.replace(first.url, second.url))
        driver.wait_until_idle(there)
        expect(there.locator(MENU)).to_have_value("mine-1")
        there.locator(".st-key-widget_open_file button").first.click()
        row = there.locator(".st-key-own_models input")
        expect(row).to_have_value("mine-1")  # it is one's own there, too
        row.fill("renamed")
        row.press("Enter")
        expect(there.locator(MENU)).to_have_value("renamed")
        here.bring_to_front()
        here.reload()
        expect(here.locator(MENU)).to_have_value("renamed")
