"""A visitor whose front is killed stays on the screen, and nothing that was clicked is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import driver
from tests.cluster import clusters
from tests.cluster.clusters import Fronts

pytestmark = pytest.mark.slow
STEPS = ("source.embedding", "source.scale", "source.positions", "source.sum")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronts]:
    with clusters.fronts(2, GLASSFORMER_HALL_FOLDER=str(tmp_path_factory.mktemp("store"))) as found:
        yield found


@pytest.fixture
def url(two: Fronts) -> Iterator[str]:
    with clusters.balanced(two) as found:
        yield found


OLD = "0.0.1-12345678"
FIRST = f"""if (!sessionStorage.getItem("came")) {{
  sessionStorage.setItem("came", "yes");
  Object.defineProperty(window, "glassformerBoot", {{ value: "{OLD}" }});
}}"""


def test_a_page_of_another_version_is_loaded_anew(url: str, browser: Browser) -> None:
    page = driver.new_page(browser)
    page.add_init_script(FIRST)
    page.goto(f"{url}/vectors?theme=light")
    page.wait_for_function(f"glassformerBoot !== '{OLD}'")
    driver.wait_until_idle(page)
    assert page.url.endswith("/vectors?theme=light")


def next_step(page: Page) -> None:
    page.locator("button.way.next").click()


def expect_step(page: Page, at: int) -> None:
    expect(page).to_have_url(re.compile(f"walk={re.escape(STEPS[at])}(&|$)"), timeout=20_000)


def test_the_click_that_meets_the_break_is_done_at_another_front(
    two: Fronts, url: str, browser: Browser
) -> None:
    page = driver.open_page(browser, f"{url}/walkthrough?theme=light")
    next_step(page)
    expect_step(page, 1)
    driver.wait_until_idle(page)
    at = two.at(page.evaluate("glassformerBoot"))
    two.kill(at)
    next_step(page)
    expect_step(page, 2)
    driver.wait_until_idle(page)
    next_step(page)
    expect_step(page, 3)
    assert "Connecting" not in page.locator('[data-testid="stApp"]').inner_text()
    two.start(at)
