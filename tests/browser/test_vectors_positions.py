"""The positions in a real browser: choose a cell, go from picture to picture, compare places."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driver

POINT = """([key, x, y]) => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  const {xaxis, yaxis} = chart._fullLayout;
  return [box.left + xaxis.l2p(x), box.top + yaxis.l2p(y)];
}"""


def click(page: Page, key: str, x: float, y: float) -> None:
    chart = f'.st-key-{key} .js-plotly-plot[data-heard="yes"]'
    page.wait_for_selector(f"{chart} .nsewdrag", state="attached")
    across, down = driver.read(page, POINT, [key, x, y])
    page.mouse.move(across + 2, down)
    page.mouse.move(across, down)
    expect(page.locator(f"{chart} .hovertext").first).to_be_visible()
    page.mouse.click(across, down)


def turn_to(page: Page, name: str) -> None:
    page.locator(".st-key-widget_positions_positions").get_by_text(name, exact=True).click()


def test_a_cell_is_chosen_and_followed_through_the_pictures(open_page: Callable[..., Page]) -> None:
    page = open_page("vectors", "vectors=positions&text=I+like+you&span=sentence")
    click(page, "positions_map", 5, 1)
    page.wait_for_url("**feature=5*")
    says = page.locator("[class*=st-key-positions_right--]")
    expect(says).to_contain_text("like stands at t = 1")
    turn_to(page, "Waves")
    expect(says).to_contain_text("features 5 and 6")
    turn_to(page, "Rotation")
    expect(page.locator(".st-key-positions_rotation .js-plotly-plot")).to_be_visible()
    expect(says).to_contain_text("like (t = 1)")
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**offset=4*")
    expect(page.get_by_text("Position t + 4 is position t")).to_be_visible()


def test_two_places_are_chosen_in_the_matrix(open_page: Callable[..., Page]) -> None:
    page = open_page("vectors", "vectors=positions&positions=dots&text=I+like+you")
    click(page, "positions_dots", 2, 0)
    page.wait_for_url("**key=3*")
    says = page.locator("[class*=st-key-positions_right--]")
    expect(says).to_contain_text("I (t = 0) and you (t = 2), distance 2")
    turn_to(page, "Same word, two places")
    expect(page.get_by_text("two words, two inputs")).to_be_visible()


@pytest.mark.parametrize("view", ["map", "waves", "dots", "rotation", "same", "variants"])
def test_nothing_lies_below_the_fold(open_page: Callable[..., Page], view: str) -> None:
    page = open_page("vectors", f"vectors=positions&positions={view}")
    picture = page.locator(f".st-key-positions_{view}")
    expect(picture.locator(".main-svg").first).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900
    assert box["width"] * box["height"] >= 0.35 * 1440 * 900  # half of what the frame leaves
    text = page.locator("[class*=st-key-positions_right--]")
    assert text.evaluate("each => each.scrollHeight - each.clientHeight") <= 20
