"""What the server says to the browser, and that no page needs more than that."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from glassformer.app.server.network import HEADERS
from tests.browser import driver
from tests.browser.driver import wait_until_idle

pytestmark = pytest.mark.browser

VIOLATIONS = """() => {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(
    `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
}"""
PAGES = (
    "",
    "walkthrough?walk=encoder.0.self_attention.scores",
    "vectors?vectors=positions&positions=rotation",
    "decoding?decoding=beam",
    "switch?switches=patching&text=I+have+a+cat&second=I+have+a+dog",
    "training?replay=film",
    "training?training=workshop",
    "lab?lab=why",
    "tensors?trail=encoder/0/self_attention/scores@1,1,1,1",
)


@pytest.fixture
def watched(browser: Browser) -> Iterator[Page]:
    """A page that remembers what the policy forbade it."""
    page = driver.new_page(browser, viewport={"width": 1440, "height": 900})
    page.set_default_timeout(30_000)
    page.add_init_script(f"({VIOLATIONS})()")
    yield page
    page.close()


@pytest.mark.parametrize("path", ["/", "/attention", "/_stcore/health", "/_stcore/host-config",
                                  "/static/nothing", "/media/nothing"])  # fmt: skip
def test_every_answer_has_the_headers(app_url: str, path: str) -> None:
    try:
        with urllib.request.urlopen(app_url + path) as answer:
            found = answer.headers
    except urllib.error.HTTPError as error:
        found = error.headers
    assert {name: found.get_all(name) for name in HEADERS} == {
        name: [value] for name, value in HEADERS.items()
    }


@pytest.mark.parametrize("link", PAGES)
def test_a_page_needs_nothing_that_the_policy_forbids(
    app_url: str, watched: Page, link: str
) -> None:
    hosts: set[str] = set()
    watched.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    watched.goto(f"{app_url}/{link}")
    wait_until_idle(watched)
    assert watched.evaluate("window.violations") == []
    assert {host for host in hosts if host} <= {app_url.split("//")[1]}


def test_the_policy_is_in_force(app_url: str, watched: Page) -> None:
    watched.goto(app_url)
    watched.evaluate(
        """() => { const image = new Image(); image.src = "http://192.0.2.1/x.png"; }"""
    )
    watched.wait_for_function("window.violations.length > 0")
    assert watched.evaluate("window.violations")[0].startswith("img-src http://192.0.2.1/")


def test_downloads_work_under_it(app_url: str, watched: Page, tmp_path: Path) -> None:
    watched.goto(f"{app_url}/tensors?address=memory")
    wait_until_idle(watched)
    with watched.expect_download() as begun:
        watched.locator(".st-key-download_csv button").first.click()
    begun.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").stat().st_size > 0
    assert watched.evaluate("window.violations") == []


def test_no_foreign_page_can_frame_it(app_url: str, browser: Browser, tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text(f'<iframe id="app" src="{app_url}" width="900" height="600"></iframe>')
    page = driver.new_page(browser)
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(outside.as_uri())
    page.wait_for_timeout(1500)
    assert any("frame-ancestors" in each or "X-Frame-Options" in each for each in refused)
    expect(page.frame_locator("#app").get_by_test_id("stApp")).to_have_count(0)
    page.close()
