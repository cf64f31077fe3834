"""Keys of the Walkthrough: at once, none lost, whatever the server is doing."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import driver

SCALE = "walk=encoder.0.self_attention.scale"
COUNTER = ".scene .counter"
# The frame in which the picture of the step named in the strip stands, after a key.
PAINTED = """(key) => new Promise((done) => {
  const inside = (name) => [...document.querySelectorAll(".stBidiComponent *")]
    .map((each) => each.shadowRoot?.querySelector(name)).find(Boolean);
  const before = inside(".strip button[aria-current=step]").dataset.step;
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  let frames = 0;
  const look = () => {
    frames += 1;
    const step = inside(".strip button[aria-current=step]").dataset.step;
    const scene = inside(".scene");
    const painted = step !== before && scene.dataset.step === step && !scene.matches(".waiting");
    if (painted || frames > 300) done(frames);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
# The parts that are to be seen three frames after a key.
SEEN = """([key, names]) => new Promise((done) => {
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const seen = (name) => [...document.querySelectorAll(".stBidiComponent *")]
    .map((each) => each.shadowRoot?.querySelector(name)).find(Boolean)
    ?.checkVisibility({ visibilityProperty: true });
  let frames = 0;
  const look = () => {
    frames += 1;
    if (frames > 3) done(names.filter(seen));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
# A key and a click on a link that the browser gets to handle in the same moment.
LEAVES = """() => {
  const link = [...document.links].find((each) => each.pathname === "/attention");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true }));
  link.click();
}"""
# Something that the server will soon be told of, and the browser's back button before it is.
GOES_BACK = """(node, [act, place]) => {
  if (act === "click") node.click();
  else if (act) {
    node.value = act;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  } else document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  history.pushState(null, "", place);
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}"""
TOLD_SOON = (  # the place, what is there, what is done to it: a key, or what is written into it
    (f"walkthrough?{SCALE}", ".strip.fills", ""),
    ("attention?view=motion", ".motion", ""),
    ("lab?lab=scaling", ".typed input.number", "3"),
    ("switch?switches=heads", ".head.framed", "click"),
    ("decoding", ".frame input[type=range]", "5"),
    ("training", ".player .play", "click"),
    ("attention?view=heads", ".heads", ""),
)
TOLD = "() => glassformerWalk.here === glassformerWalk.told && glassformerWalk.waiting === null"
AT_HAND = "() => glassformerWalk.lacks().length === 0"


@pytest.fixture(scope="module")
def slow(browser: Browser) -> Iterator[driver.Server]:
    with driver.server(script="tests/browser/slow_app.py") as server:
        yield server


@pytest.fixture
def slow_url(slow: driver.Server) -> str:
    return slow.url


@contextmanager
def away(server: driver.Server) -> Iterator[None]:
    """A server that says nothing: steps are sent by a fragment of the page, which is soon there."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def press(page: Page, key: str, times: int = 20) -> None:
    for _ in range(times):
        page.keyboard.press(key)
        page.wait_for_timeout(50)


def check(page: Page, at: int) -> None:
    """The reader is at a step and stays; strip, title, picture and link say the same."""
    expect(page.locator(COUNTER)).to_have_text(f"Step {at} of 55")
    page.wait_for_function(TOLD)
    driver.wait_until_idle(page)
    expect(page.locator(COUNTER)).to_have_text(f"Step {at} of 55")
    dots = page.locator(".strip .dots button")
    step = dots.nth(at - 1).get_attribute("data-step")
    expect(dots.nth(at - 1)).to_have_attribute("aria-current", "step")
    expect(page.locator(".scene")).to_have_attribute("data-step", step or "")
    expect(page.locator(".scene .title")).to_have_text(
        dots.nth(at - 1).get_attribute("aria-label") or ""
    )
    page.wait_for_url(f"**walk={step}*")


@pytest.mark.parametrize("key", ["ArrowRight", "PageDown"])
def test_twenty_quick_keys_land_on_step_21(open_page: Callable[..., Page], key: str) -> None:
    page = open_page("walkthrough")
    press(page, key)
    check(page, 21)


def test_they_do_so_on_a_server_that_takes_a_second(context: BrowserContext, slow_url: str) -> None:
    page = driver.open_page(context, f"{slow_url}/walkthrough")
    press(page, "PageDown")
    assert page.locator(COUNTER).inner_text() == "Step 21 of 55"  # whatever the server does
    check(page, 21)
    press(page, "ArrowLeft", 3)  # while its runs are on the way
    page.wait_for_timeout(400)
    press(page, "ArrowRight", 6)
    page.wait_for_timeout(700)
    press(page, "PageUp", 1)
    check(page, 23)
    page.close()


def test_the_picture_stands_in_the_frame_of_the_key(context: BrowserContext, slow_url: str) -> None:
    """The server takes a second: what is drawn within three frames was sent ahead."""
    page = driver.open_page(context, f"{slow_url}/walkthrough")
    for key in ("ArrowRight", "PageDown", "ArrowRight", "ArrowLeft", "PageUp"):
        page.wait_for_function(AT_HAND)
        assert page.evaluate(PAINTED, key) <= 3
        shown = page.locator(".strip button[aria-current=step]").get_attribute("data-step")
        assert page.locator(".scene").get_attribute("data-step") == shown
    page.close()


def test_text_formula_and_code_come_with_the_picture(
    context: BrowserContext, slow: driver.Server
) -> None:
    page = driver.open_page(context, f"{slow.url}/walkthrough?{SCALE}")
    page.wait_for_function(AT_HAND)
    with away(slow):  # what is shown was sent ahead
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".scene .title")).to_have_text(re.compile("^Softmax"))
        expect(page.locator(".walk-text")).to_contain_text("becomes weights")
        expect(page.locator(".walk-formula .numbers .katex")).to_be_visible()
        expect(page.locator(".line.marked").first).to_contain_text("masked.softmax")
    page.close()


def test_home_end_and_the_ends(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.0.self_attention.scores")
    page.keyboard.press("End")
    check(page, 55)
    page.keyboard.press("PageDown")
    check(page, 55)
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("PageUp")
    check(page, 54)
    page.keyboard.press("Home")
    check(page, 1)
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.get_by_role("button", name="Next").click()
    check(page, 2)


def test_a_step_that_is_not_at_hand_shows_no_other_ones_picture(
    context: BrowserContext, slow: driver.Server
) -> None:
    page = driver.open_page(context, f"{slow.url}/walkthrough")
    parts = [".scene .title", ".scene .stage", ".scene .foot", ".walk-text", ".source"]
    for part in parts:
        expect(page.locator(part)).to_be_visible()
    with away(slow):
        assert page.evaluate(SEEN, ["End", parts]) == [".scene .title"]
        expect(page.locator(".scene .title")).to_have_text("Choose the word")
    check(page, 55)
    expect(page.locator(".scene .stage")).to_be_visible()
    page.close()


def test_typing_moves_nothing_and_clicks_keep_the_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.0.self_attention.softmax")
    box = page.get_by_role("textbox").first
    box.click()
    for key in ("ArrowLeft", "Home", "End", "PageDown", "ArrowRight"):
        box.press(key)
    page.wait_for_timeout(300)
    check(page, 10)
    for place, at in ((".source", 11), (".scene .title", 12), (".walk-text", 13)):
        page.locator(place).click()
        page.keyboard.press("PageDown")
        check(page, at)


def test_a_click_right_after_a_key_is_of_the_step_in_view(
    context: BrowserContext, slow_url: str
) -> None:
    page = driver.open_page(context, f"{slow_url}/walkthrough?{SCALE}")
    page.wait_for_function(AT_HAND)
    press(page, "ArrowRight", 2)
    page.get_by_role("button", name="Head 2", exact=True).click()
    expect(page.locator(".scene .readout")).to_contain_text("head 2")
    check(page, 10)
    page.wait_for_url("**head=2*")
    page.close()


def test_back_leads_to_where_the_reader_rested(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    for key, at in (("ArrowRight", 2), ("End", 55), ("PageUp", 54)):
        page.keyboard.press(key)
        check(page, at)
    for at in (55, 2):
        page.go_back()
        check(page, at)


def test_the_step_is_said_once_the_keys_rest(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    press(page, "ArrowRight", 2)
    expect(page.locator(".said")).to_have_text(re.compile(r"^Step 3 of 55: Position encoding\. "))
    expect(page.locator(".said")).to_have_attribute("aria-live", "polite")


def test_two_runs_beside_each_other(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "edits=causal&run=both")
    press(page, "PageDown")
    expect(page.locator(".strip .tag").first).to_have_text(re.compile("."))
    page.wait_for_function(TOLD)
    step = page.locator(".strip .dots button").nth(20).get_attribute("data-step")
    page.wait_for_url(f"**walk={step}*")
    expect(page.locator(".strip button[aria-current=step]")).to_have_attribute(
        "data-step", step or ""
    )
    expect(page.locator("body")).to_have_attribute("data-walk", "drawn")
    expect(page.locator(".walk-text")).not_to_be_empty()


def test_a_link_right_after_a_key_leads_away(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    press(page, "ArrowRight", 3)
    page.wait_for_function(TOLD)
    page.evaluate(LEAVES)
    expect(page.locator(".st-key-widget_attention_kind")).to_be_visible()
    driver.wait_until_idle(page)
    assert page.url.partition("?")[0].endswith("/attention")


def test_the_back_button_right_after_a_key_leads_away(
    context: BrowserContext, slow: driver.Server
) -> None:
    """Of every page with something that tells the server a moment later."""
    page = driver.open_page(context, f"{slow.url}/{TOLD_SOON[0][0]}")
    page.emulate_media(reduced_motion="reduce")
    for (_, look, act), (place, after, _) in pairwise(TOLD_SOON):
        with away(slow):
            page.locator(look).first.evaluate(GOES_BACK, [act, f"{slow.url}/{place}"])
            page.wait_for_timeout(800)  # the server would be told, and call back
        expect(page.locator(after).first).to_be_visible()
        driver.wait_until_idle(page)
        expect(page.locator(after).first).to_be_visible()
        assert urlsplit(page.url).path == urlsplit(f"/{place}").path, look
    page.close()


def test_played_the_steps_go_on_until_a_key(browser: Browser, app_url: str) -> None:
    page = driver.open_page(browser, f"{app_url}/walkthrough")
    page.clock.install()  # of all windows that share something
    counter = page.locator(COUNTER)
    expect(counter).to_contain_text("1")
    page.get_by_role("button", name="Play: a step every four seconds").click()
    expect(counter).to_contain_text("Step 2 ")
    for step in (3, 4):
        page.clock.run_for(4000)
        expect(counter).to_contain_text(f"Step {step} ")
    page.keyboard.press("ArrowLeft")
    expect(counter).to_contain_text("Step 3 ")
    page.clock.run_for(9000)
    expect(counter).to_contain_text("Step 3 ")
    expect(page.get_by_role("button", name="Play: a step every four seconds")).to_be_visible()
