"""Strategies and the beam tree in a real browser, by mouse."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser import driver

TEXT = "text=I+like+you+because+you+are+kind"
CUT = ".st-key-strategies_cut .js-plotly-plot"
LOOKS = ".st-key-beam_looks .js-plotly-plot"


@pytest.fixture(scope="module")
def strategies(context: BrowserContext, app_url: str) -> Iterator[Page]:
    page = driver.open_page(context, f"{app_url}/decoding?decoding=strategies&{TEXT}")
    yield page
    page.close()


@pytest.fixture(scope="module")
def beam(context: BrowserContext, app_url: str) -> Iterator[Page]:
    page = driver.open_page(context, f"{app_url}/decoding?decoding=beam&{TEXT}")
    yield page
    page.close()


def words(page: Page, name: str) -> list[str]:
    return page.locator(f'.word[data-name="{name}"] .text').all_text_contents()


def node(page: Page, index: int) -> Locator:
    return page.locator(f'.tree .node[data-index="{index}"]')


def minus(text: str) -> float:
    return float(text.replace("−", "-"))


def fits(page: Page) -> bool:
    found: int = page.get_by_test_id("stMain").evaluate("(at) => at.scrollHeight - at.clientHeight")
    return found <= 1


def test_draw_again_gives_other_words_and_the_seed_says_so(strategies: Page) -> None:
    page = strategies
    expect(page.locator(".name[data-name]")).to_have_count(5)
    assert fits(page)
    before, greedy = words(page, "temperature"), words(page, "greedy")
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url("**seed=1*")
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("1")
    driver.wait_until_idle(page)
    assert words(page, "temperature") != before
    assert words(page, "greedy") == greedy
    new = page.locator('.word.new[data-name="temperature"] .text').all_text_contents()
    assert set(new) == set(words(page, "temperature")) - set(greedy)


def test_a_click_on_a_word_shows_the_cut_it_was_drawn_from(strategies: Page) -> None:
    page = strategies
    word = page.locator('.word[data-name="top_k"][data-step="1"]')
    word.click()
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Top-k, step 2")).to_be_visible()
    expect(page.get_by_text("5 of the words stay")).to_be_visible()
    expect(page.get_by_text("can be drawn")).to_be_visible()
    driver.wait_until_idle(page)
    page.get_by_role("spinbutton", name="k of top-k").fill("3")
    page.get_by_role("spinbutton", name="k of top-k").press("Enter")
    expect(page.get_by_text("3 of the words stay")).to_be_visible()
    page.locator('.word[data-name="greedy"][data-step="1"]').click()
    expect(page.get_by_text("Nothing is drawn: entropy")).to_be_visible()


def test_colder_is_closer_to_greedy(strategies: Page) -> None:
    page = strategies
    slider = page.get_by_role("slider", name="Temperature T")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 600, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    page.wait_for_url(re.compile(r"temperature=0(&|$)"))
    driver.wait_until_idle(page)
    assert words(page, "temperature") == words(page, "top_p") == words(page, "greedy")
    expect(page.locator(".word.new")).to_have_count(0)
    expect(page.get_by_text("5 / 5")).to_be_visible()


def test_size_and_alpha_by_mouse(beam: Page) -> None:
    page = beam
    expect(page.get_by_text("4 beginnings go on")).to_be_visible()
    assert fits(page)
    before = page.locator(".tree .node.kept").count()
    page.locator(".st-key-widget_beam_beams").get_by_test_id("stNumberInputStepUp").click()
    expect(page.get_by_text("5 beginnings go on")).to_be_visible()
    page.wait_for_url("**beams=5*")
    driver.wait_until_idle(page)
    assert page.locator(".tree .node.kept").count() > before
    first = page.locator(".st-key-beam_ranking .row").first
    was = minus(first.locator(".text").nth(-2).inner_text())
    slider = page.get_by_role("slider", name="α")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 600, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    page.wait_for_url(re.compile(r"alpha=0(&|$)"))
    driver.wait_until_idle(page)
    penalty, score = (first.locator(".text").nth(at).inner_text() for at in (-3, -2))
    assert float(penalty) == 1
    total = minus(first.locator(".text").nth(-5).inner_text())
    assert minus(score) == total < was


def test_a_node_shows_where_it_looked(beam: Page) -> None:
    page = beam
    other = page.locator(".tree .node.kept:not(.best)").nth(2)
    index, word = other.get_attribute("data-index"), other.get_attribute("data-word")
    other.click()
    page.wait_for_url("**node=*")
    expect(page.get_by_text(f"The node in focus: “{word}”")).to_be_visible()
    expect(node(page, int(index or 0))).to_have_attribute("aria-pressed", "true")
    chart = page.locator(LOOKS)
    expect(chart.locator(".ytick")).to_have_count(8)  # seven words and the end
    before: list[float] = driver.read(page, VALUES, LOOKS)
    assert sum(before) == pytest.approx(1, abs=1e-3)
    page.locator(".st-key-widget_beam_head").click()
    page.get_by_role("option", name="Head 2").click()
    page.wait_for_url("**head=2*")
    assert driver.read(page, VALUES, LOOKS) != before
    path = page.locator(".beam-path > *").all_text_contents()
    assert path[-1] == word


WHY = "pruned: other beginnings were better"
VALUES = "(chart) => Array.from(document.querySelector(chart)._fullData[0].x)"


def test_all_branches_and_back(beam: Page) -> None:
    page = beam
    few = page.locator(".tree .node").count()
    page.get_by_text("All branches").click()
    page.wait_for_url("**branches=all*")
    driver.wait_until_idle(page)
    assert page.locator(".tree .node").count() > few
    box = page.locator("[class*=st-key-beam_main--]").bounding_box()
    pruned = page.locator(".tree .node.pruned").first
    pruned.click()
    expect(page.locator(".beam-numbers .wide b")).to_have_text(WHY)
    assert page.locator("[class*=st-key-beam_main--]").bounding_box() == box
    page.get_by_text("All branches").click()
    page.wait_for_url(re.compile(r"^(?!.*branches=)"))


def test_words_that_look_like_markup_stay_words(context: BrowserContext, app_url: str) -> None:
    query = "text=%3Cb%3Ex%3C%2Fb%3E+likes+you&language=zh&decoding=beam"
    page = driver.open_page(context, f"{app_url}/decoding?{query}", theme="dark")
    expect(page.get_by_text("选中的节点")).to_be_visible()
    driver.wait_until_idle(page)
    words = page.locator(f"{LOOKS} .ytick text").all_text_contents()
    assert "".join(words[:-3]).replace("␣", "") == "<b>x</b>"
    assert page.locator(".tree b, .beam-path b b").count() == 0
    page.close()


def test_in_large_type_no_setting_lies_over_another(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"decoding=strategies&size=150&{TEXT}", width=1280, height=720)
    columns = page.locator("[class*=st-key-strategies_controls] [data-testid=stColumn]")
    boxes = columns.evaluate_all(
        """all => all.map((each) => {
          const { x, y, width, height } = each.getBoundingClientRect();
          const label = each.querySelector("label p");
          const cut = label && label.scrollWidth > label.parentElement.clientWidth + 1;
          return [x, y, x + width, y + height, each.scrollWidth - each.clientWidth, Boolean(cut)];
        })"""
    )
    assert len(boxes) == 7
    assert all(over <= 1 and not cut for *_, over, cut in boxes)
    assert all(right <= 1280 and right - left >= 200 for left, _, right, *_ in boxes)
    for at, (left, top, right, bottom, *_) in enumerate(boxes):
        for x, y, beyond, below, *_ in boxes[at + 1 :]:
            assert min(right, beyond) - max(left, x) <= 1 or min(bottom, below) - max(top, y) <= 1
