"""The Decoding page in a real browser: scrub, play, take over, force a wrong word, the cache."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser import driver

TEXT = "text=I+love+machine+learning"  # 我 爱 机器 学习 <eos>
WORDS = ".st-key-next_words .js-plotly-plot"
PLACE = """([selector, row]) => {
  const chart = document.querySelector(selector);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  const {xaxis, yaxis} = chart._fullLayout;
  return [box.left + xaxis.l2p(0.6), box.top + yaxis.l2p(row)];
}"""


def column(page: Page, step: int) -> Locator:
    return page.locator(".steps li .column").nth(step - 1)


def written(page: Page) -> list[str]:
    return page.locator(".steps .writes").all_text_contents()


def expect_step(page: Page, step: int, last: int = 5) -> None:
    expect(page.locator(".st-key-timeline_player strong")).to_have_text(f"Step {step} of {last}")
    expect(column(page, step)).to_have_attribute("aria-current", "step")
    expect(page.get_by_text(f"What could come at step {step}", exact=True)).to_be_visible()


def click_candidate(page: Page, row: int) -> str:
    page.wait_for_selector(f'{WORDS}[data-heard="yes"] .nsewdrag', state="attached")
    x, y = driver.read(page, PLACE, [WORDS, row])
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    label = page.locator(f"{WORDS} .hovertext")
    expect(label).to_be_visible()
    name = label.locator("tspan").first.text_content() or label.text_content() or ""
    page.mouse.click(x, y)
    return name


def test_scrubbing_by_mouse_slider_and_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"{TEXT}&moment=2")
    expect_step(page, 2)
    column(page, 4).click()
    page.wait_for_url("**moment=4*")
    expect_step(page, 4)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**moment=3*")
    expect_step(page, 3)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**moment=5*")
    expect_step(page, 5)
    slider = page.get_by_role("slider", name="Step in view")
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, middle, steps=6)
    page.mouse.up()
    page.wait_for_url("**moment=1*")
    expect_step(page, 1)
    expect(page.get_by_role("button", name="One step back")).to_be_disabled()
    assert page.locator(".steps li.later").count() == 4


def test_playing_goes_on_by_itself_and_pauses(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"{TEXT}&moment=3")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect_step(page, 5)
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # the end


def test_taking_over_and_going_back(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"{TEXT}&moment=2")
    expect_step(page, 2)
    before = written(page)
    click_candidate(page, 2)
    page.wait_for_url("**forced=2*")
    mark = page.locator(".timeline-sentences mark")
    expect(mark).to_have_count(1)
    expect(page.locator(".steps li.forced")).to_have_count(1)
    driver.wait_until_idle(page)
    after = written(page)
    assert after[0] == before[0]
    assert after[1] == mark.inner_text() != before[1]
    expect(page.get_by_text("This word was given by you")).to_contain_text(before[1])
    lines = page.locator(".timeline-sentences bdi")
    assert lines.nth(0).inner_text().split()[1] == before[1]
    assert lines.nth(1).inner_text().split()[1] == after[1]
    again = open_page("decoding", page.url.partition("?")[2])
    expect(again.locator(".timeline-sentences mark")).to_have_text(after[1])
    page.get_by_role("button", name="Take this word back").click()
    page.wait_for_url(re.compile(r"^(?!.*forced=)"))
    expect(mark).to_have_count(0)
    expect(page.locator(".steps li.forced")).to_have_count(0)
    driver.wait_until_idle(page)
    assert written(page) == before


def test_nothing_jumps_from_step_to_step(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", "moment=2")
    places = (
        "[class*=st-key-timeline_words--]",
        "[class*=st-key-timeline_looks--]",
        ".timeline-sentences",
        ".steps",
    )

    def boxes() -> list[Any]:
        driver.wait_until_idle(page)
        return [page.locator(place).bounding_box() for place in places]

    before = boxes()
    column(page, 9).click()
    page.wait_for_url("**moment=9*")
    assert boxes() == before
    click_candidate(page, 1)
    page.wait_for_url("**forced=9*")
    assert boxes()[:3] == before[:3]
    bottom = page.locator("[class*=st-key-timeline_main--]").bounding_box()
    assert bottom is not None
    assert bottom["y"] + bottom["height"] <= 900


def test_forcing_a_wrong_word(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"{TEXT}&decoding=forcing&moment=2")
    expect(page.get_by_text("A wrong word at step 2")).to_be_visible()
    expect(page.get_by_text("equal", exact=True)).to_be_visible()
    column(page, 1).click()
    page.wait_for_url("**moment=1*")
    expect(page.get_by_text("A wrong word at step 1")).to_be_visible()
    mark = page.locator(".forcing-sentences mark")
    driver.wait_until_idle(page)
    example = mark.inner_text()
    pills = page.locator('[class*=st-key-forcing_pickers--] [data-testid="stButtonGroup"] button')
    word = next(w for w in pills.all_inner_texts() if w.isalpha() and w != example)
    pills.get_by_text(word, exact=True).click()
    page.wait_for_url("**forced=1*")
    expect(mark).to_have_text(word)
    page.get_by_label("or type another word").fill("学习")
    page.keyboard.press("Enter")
    expect(mark).to_have_text("学习")
    page.get_by_label("or type another word").fill("魑")
    page.keyboard.press("Enter")
    expect(page.get_by_text("has no word 魑")).to_be_visible()
    expect(mark).to_have_text("学习")  # the picture before stays


def test_the_cache_is_seen_and_measured(open_page: Callable[..., Page]) -> None:
    page = open_page("decoding", f"{TEXT}&decoding=cache&moment=2")
    expect(page.get_by_text("At step 2")).to_be_visible()
    chart = ".st-key-cache_work .js-plotly-plot"
    page.wait_for_selector(f'{chart}[data-heard="yes"] .nsewdrag', state="attached")
    x, y = driver.read(
        page,
        """(selector) => {
      const chart = document.querySelector(selector);
      const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
      const {xaxis, yaxis} = chart._fullLayout;
      return [box.left + xaxis.l2p(3.2), box.top + yaxis.l2p(1000)];
    }""",
        chart,
    )
    page.mouse.move(x + 2, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{chart} .hovertext")).to_contain_text("Step 4")
    page.mouse.click(x, y)
    page.wait_for_url("**moment=4*")
    expect(page.get_by_text("At step 4")).to_be_visible()
    page.get_by_role("button", name="Measure here").click()
    expect(page.get_by_text("as fast (median of")).to_be_visible()
