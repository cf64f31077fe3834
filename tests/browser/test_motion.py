"""One row of attention as a movement: keys, buttons and the slider move along its line."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import driver

SLIDER = ".motion input"
# The places between two stations that are seen after a key, frame by frame, until the next one.
BETWEEN = """(slider) => new Promise((done) => {
  const seen = new Set();
  const look = () => {
    if (slider.value % 1) seen.add(slider.value);
    if (slider.value === "6") done([...seen]);
    else requestAnimationFrame(look);
  };
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  look();
})"""
ROW = "view=motion&text=I+like+the+dog&layer=2&head=1&query=2&key=4&motion=scores"


def at(page: Page) -> float:
    return float(page.locator(SLIDER).input_value())


def reaches(page: Page, station: int) -> None:
    expect(page.locator(SLIDER)).to_have_value(str(station - 1))
    expect(page.locator(".motion .count")).to_have_text(f"{station} / 15")


def title(page: Page) -> str:
    return page.locator(".motion h2").inner_text()


def test_keys_go_along_the_line_and_back(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", ROW)
    reaches(page, 6)
    page.keyboard.press("ArrowRight")
    expect(page.locator(SLIDER)).to_have_value(re.compile(r"^5\.\d"))  # it moves
    page.keyboard.press("ArrowLeft")  # and turns back where it is
    reaches(page, 6)
    page.keyboard.press("ArrowRight")
    reaches(page, 7)
    assert title(page) == "Divide by √dₖ"
    expect(page.locator(".motion .said")).to_contain_text("√28 = 5.29")
    page.keyboard.press("End")
    reaches(page, 15)
    expect(page.locator(".motion .on")).to_be_disabled()
    page.keyboard.press("Home")
    reaches(page, 1)
    page.wait_for_url(lambda url: "motion=" not in url)
    # A link to another station of the same row leads there, as the scenes of a lecture do.
    driver.lead(page, "attention", ROW.replace("scores", "weights"))
    reaches(page, 9)
    assert title(page) == "Softmax"
    page.keyboard.press("ArrowRight")
    reaches(page, 10)
    page.wait_for_url(re.compile("motion=values"))
    reaches(page, 10)


def test_it_plays_at_the_readers_pace_and_stops(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", ROW)
    page.get_by_role("button", name="Speed 2×").click()
    expect(page.get_by_role("button", name="Speed 2×")).to_have_attribute("aria-pressed", "true")
    page.locator(".motion h2").click()  # Space on a button would press that
    page.keyboard.press("Space")
    expect(page.locator(".motion .play")).to_contain_text("Pause")
    expect(page.locator(".motion .count")).to_have_text("8 / 15")
    page.keyboard.press("Space")
    expect(page.locator(".motion .play")).to_contain_text("Play")
    stopped = at(page)
    page.wait_for_timeout(400)
    assert at(page) == stopped
    page.wait_for_url("**motion=*")


def test_without_movement_where_the_system_asks_for_it(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", ROW)
    page.emulate_media(reduced_motion="reduce")
    between = page.locator(SLIDER).evaluate(BETWEEN)
    assert at(page) == 6
    assert not between
    page.emulate_media(reduced_motion="no-preference")


def test_a_word_is_followed_by_a_click(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", ROW)
    page.locator(".motion button.word", has_text="I").first.click()
    expect(page.locator(".motion .formula")).to_contain_text("k[I]")
    page.wait_for_url("**key=1*")
    reaches(page, 6)  # it stays where it was


def test_the_walkthrough_plays_its_row(open_page: Callable[..., Page]) -> None:
    place = "walk=decoder.1.cross_attention.scale&head=2&query=2&key=1&kind=cross&layer=2"
    page = open_page("walkthrough", f"{place}&text=I+like+the+dog")
    page.get_by_role("button", name="Play this row").click()
    page.wait_for_url("**/attention?**")
    reaches(page, 6)  # the scores, before they are divided
    for part in ("view=motion", "kind=cross", "layer=2", "head=2", "query=2", "key=1"):
        assert part in page.url


def test_a_written_word_goes_to_where_it_is_read(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", "text=I+like+the+dog&moment=1")
    carried = page.locator(".carried")
    page.keyboard.press("ArrowRight")
    expect(carried).to_have_count(1)
    word = page.locator(".writes .chip").first.inner_text()
    assert carried.inner_text() == word
    expect(carried).to_have_count(0)
    expect(page.locator(".reads .chip").nth(1)).to_be_visible()
    assert page.locator(".reads .chip").nth(1).inner_text() == word
    page.keyboard.press("ArrowLeft")  # and back
    expect(carried).to_have_count(1)
    expect(carried).to_have_count(0)
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Step 2 of")).to_be_visible()
    assert carried.count() == 0
    page.emulate_media(reduced_motion="no-preference")
