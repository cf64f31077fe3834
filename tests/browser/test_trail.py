"""The number trail in a real browser: open it from a cell, follow it to a word, come back."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser import driver
from tests.browser.test_tensors import PICTURE, hover_cell

WAY = ".st-key-trail_way .stop"


def press(page: Page, name: str) -> None:
    page.locator(f".st-key-trail_{name} button").first.click()
    driver.wait_until_idle(page)


def last(page: Page) -> Locator:
    return page.locator(WAY).last


def test_from_a_weight_to_a_word_and_back(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "kind=cross&layer=2&head=4&query=3&key=4")
    page.get_by_role("button", name="Where does it come from?").click()
    expect(page.locator(WAY)).to_have_count(1)
    expect(page.locator("[class*=st-key-trail_number--]")).to_contain_text("✓")
    first = page.url
    page.locator(".st-key-trail_terms button.go").first.click()
    expect(page.locator(WAY)).to_have_count(2)
    expect(last(page)).to_contain_text("masked score")
    press(page, "words")
    expect(last(page)).to_contain_text("embedding")
    expect(page.locator("[class*=st-key-trail_number--]")).to_contain_text("Here the trail ends")
    page.locator(WAY).first.click()
    expect(page.locator(WAY)).to_have_count(1)
    page.wait_for_url(first)
    driver.press_escape(page)
    expect(page.locator(".st-key-trail")).to_have_count(0)
    assert "trail=" not in page.url


def test_a_click_on_a_tensor_opens_it_and_the_walkthrough_shows_its_step(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("tensors", "address=encoder/0/self_attention/scores")
    expect(page.locator(f"{PICTURE} .nsewdrag").first).to_be_attached()
    hover_cell(page, 2, 5)
    page.mouse.down()
    page.mouse.up()
    expect(last(page)).to_contain_text("score")
    page.wait_for_url("**trail=encoder%2F0%2Fself_attention%2Fscores%401%2C1%2C3%2C6*")
    press(page, "walk")
    page.wait_for_url("**/walkthrough?**")
    page.wait_for_url("**walk=encoder.0.self_attention.scores*")


def test_a_block_and_a_candidate_lead_to_their_numbers(open_page: Callable[..., Page]) -> None:
    page = open_page("", "block=encoder/0/self_attention")
    click_cell(page, ".st-key-block_pictures .js-plotly-plot", "xy", 3, 2)
    expect(last(page)).to_contain_text("stream")
    # Sentence 1, word 2, feature 3; a cell is two pixels wide, so perhaps the one beside it.
    assert re.search("branch_input%401%2C2%2C[234](&|$)", page.url)
    press(page, "close")
    driver.press_escape(page)  # the block; the words stand in its place again
    click_cell(page, ".st-key-candidates .js-plotly-plot", "xy", 0.5, 0)
    expect(last(page)).to_contain_text("probability")
    expect(page.locator("[class*=st-key-trail_number--]")).to_contain_text("✓")


def click_cell(page: Page, chart: str, plot: str, x: float, y: float) -> None:
    """Click at a place of a chart, in the numbers of its axes."""
    drag = page.locator(f"{chart} .{plot} .nsewdrag").first
    expect(drag).to_be_attached()
    place = driver.read(
        page,
        """([chart, plot, x, y]) => {
          const drawn = document.querySelector(chart);
          const box = drawn.querySelector(`.${plot} .nsewdrag`).getBoundingClientRect();
          const {xaxis, yaxis} = drawn._fullLayout;
          return [box.left + xaxis.l2p(x), box.top + yaxis.l2p(y)];
        }""",
        [chart, plot, x, y],
    )
    page.mouse.move(place[0], place[1] + 2)
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.up()
