"""The benches on depth, heads, order and distance, with mouse and keys."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import wait_until_idle

OpenPage = Callable[..., Page]


def test_words_are_moved_by_keys_and_by_mouse(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=order&text=I love you")
    figure = page.locator(".st-key-lab_order_chart .infolayer").last
    expect(figure).to_contain_text("Without positions: the same rows in another order")
    expect(figure).to_contain_text("With the model's positions: other numbers")
    before = figure.bounding_box()
    page.get_by_role("button", name="as it stands").click()
    expect(figure).to_contain_text("no word has moved")
    page.locator(".words li").first.focus()
    page.keyboard.press("ArrowRight")
    expect(figure).to_contain_text("With the model's positions: other numbers")
    words = page.locator(".words li")
    expect(words.first).to_contain_text("love")
    words.nth(2).drag_to(words.nth(0), target_position={"x": 3, "y": 8})
    expect(words.first).to_contain_text("you")
    expect(page.locator(".st-key-lab_order_chart .infolayer")).to_have_count(1)
    wait_until_idle(page)  # the chart is drawn anew: for a moment there is none to measure
    after = figure.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 1


def test_a_cell_is_found_in_every_block(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=split")
    page.locator('.cell[data-id="13"]').first.hover()
    expect(page.locator(".cell.lit")).to_have_count(4)
    expect(page.locator(".said")).to_have_text("Sentence 1, word 2, feature 6 (head 2)")
    expect(page.locator("svg text", has_text="sees 2 of 4 words")).to_have_count(2)
    page.get_by_role("button", name="back together").click()
    expect(page.locator("svg text", has_text="pieces of words")).to_have_count(4)


def test_depth_follows_the_inputs_and_refuses(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=depth")
    number = page.locator('.field[data-name="layers"] input.number')
    number.fill("3")
    chart = page.locator(".st-key-lab_depth_chart .js-plotly-plot")
    expect(chart.locator(".xtick text").filter(has_text=re.compile("^3$"))).to_have_count(1)
    expect(chart.locator(".xtick text").filter(has_text=re.compile("^4$"))).to_have_count(0)
    number.fill("40")
    expect(page.locator(".typed .message")).to_contain_text("N is 40")
    expect(chart.locator(".xtick text").filter(has_text=re.compile("^3$"))).to_have_count(1)


def test_time_is_measured_when_asked(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=why")
    expect(page.locator(".lab-bounds")).to_contain_text("measured 24")
    page.get_by_role("button", name="time against length").click()
    expect(page.locator(".st-key-lab_why_time .infolayer")).to_contain_text("Not measured yet")
    page.get_by_role("button", name="Measure here, now").click()
    expect(page.locator("[class*=st-key-lab_why_picture--]")).to_contain_text("the best of 3 runs")
    expect(page.locator(".st-key-lab_why_time .scatterlayer .trace")).to_have_count(4)


def test_a_number_is_found_in_both_ways_of_the_heads(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=one_matrix")
    page.locator('.cell[data-id="12"]').first.hover()  # after 3 × 4 numbers of x: the first weight
    expect(page.locator(".cell.lit")).to_have_count(2)
    expect(page.locator(".said")).to_contain_text("W_Q, row 1, column 1, of head 1")


def test_a_sublayer_says_how_much_it_adds(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=skips")
    page.get_by_role("button", name="pre-norm").click()
    expect(page.locator(".typed .message")).to_contain_text("6 untrained layers, pre-norm")
    wait_until_idle(page)
    page.locator(".st-key-lab_skips_chart .scatterlayer .points path").nth(2).hover(force=True)
    label = page.locator(".st-key-lab_skips_chart .hovertext")
    expect(label).to_contain_text("layer 2, self-attention")
    expect(label).to_contain_text("of the sum behind it")
