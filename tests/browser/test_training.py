"""The Training page in a real browser: slider, keys, play, film strip, a step on every page."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.core.text_models.checkpoints import list_snapshots
from tests.browser import driver

STEPS = list_snapshots("translator") or tuple(range(6))  # without a history every test fails
EARLY, LATER = STEPS[3], STEPS[4]
CURVES = ".st-key-training_curves .js-plotly-plot"
PANELS = ("translation", "attention", "film", "positions", "words", "lengths")
# Where a step of the curves' axis lies on the screen.
PLACE = """([selector, place]) => {
  const chart = document.querySelector(selector);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  return [box.left + chart._fullLayout.xaxis.l2p(place), box.bottom];
}"""


def row(page: Page, step: int) -> Locator:
    return page.locator(".steps .row", has=page.locator(".step", has_text=re.compile(f"^{step}$")))


def current(page: Page) -> Locator:
    return page.locator('[aria-current="step"]')


def step_name(page: Page) -> Locator:
    return page.locator(".st-key-training_step_name strong")


def thumb(page: Page) -> Locator:
    return page.locator('[data-testid="stSlider"] div:has(> [data-testid="stSliderThumbValue"])')


def in_bar(page: Page) -> Locator:
    return page.locator(".st-key-stage_focus").get_by_text("of its training")


def without_step(url: str) -> bool:
    return "step=" not in url


def test_the_slider_goes_through_the_training(open_page: Callable[..., Page]) -> None:
    page = open_page("training", "course=end")
    expect(current(page).locator(".step")).to_have_text(str(STEPS[-1]))
    expect(in_bar(page)).to_have_count(0)
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**step={STEPS[-2]}*")
    expect(current(page).locator(".step")).to_have_text(str(STEPS[-2]))
    expect(step_name(page)).to_have_text(f"Step {STEPS[-2]} of {STEPS[-1]}")
    expect(in_bar(page)).to_contain_text(str(STEPS[-2]))
    x, _ = driver.read(page, PLACE, [CURVES, STEPS.index(EARLY)])
    box = thumb(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    page.wait_for_url(f"**step={EARLY}*")
    expect(current(page).locator(".step")).to_have_text(str(EARLY))
    driver.wait_until_idle(page)
    before = page.locator(".training-headline :is(b, i) >> nth=0").inner_text()
    assert before == row(page, EARLY).locator(".said").inner_text()


def test_slider_mark_and_curves_stand_above_each_other(open_page: Callable[..., Page]) -> None:
    page = open_page("training", f"step={EARLY}")
    wanted, _ = driver.read(page, PLACE, [CURVES, STEPS.index(EARLY)])
    box = thumb(page).bounding_box()
    assert box is not None
    assert box["x"] + box["width"] / 2 == pytest.approx(wanted, abs=4)
    left = page.evaluate(
        """() => {
      const course = document.querySelector(".st-key-training_course");
      const mark = getComputedStyle(course, "::after");
      const {left} = course.getBoundingClientRect();
      return left + parseFloat(mark.left) + parseFloat(mark.width) / 2;
    }"""
    )
    assert left == pytest.approx(wanted, abs=2)


def test_arrow_keys_and_buttons_go_step_by_step(open_page: Callable[..., Page]) -> None:
    page = open_page("training", f"step={EARLY}")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**step={LATER}*")
    expect(current(page).locator(".step")).to_have_text(str(LATER))
    page.get_by_role("button", name="One step back").click()
    page.wait_for_url(f"**step={EARLY}*")
    page.locator(".st-key-stage_sentence input").first.click()
    page.keyboard.press("ArrowLeft")  # moves the caret, not the step
    driver.wait_until_idle(page)
    expect(current(page).locator(".step")).to_have_text(str(EARLY))
    row(page, LATER).click()
    page.wait_for_url(f"**step={LATER}*")
    expect(in_bar(page)).to_contain_text(str(LATER))


def test_play_runs_from_step_to_step_until_it_is_stopped(open_page: Callable[..., Page]) -> None:
    page = open_page("training")
    expect(current(page).locator(".step")).to_have_text(str(STEPS[0]))
    page.get_by_role("button", name="Play").click()
    expect(current(page).locator(".step")).to_have_text(str(STEPS[2]))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    driver.wait_until_idle(page, quiet=2.5)  # longer than a step lasts when playing
    stopped = int(current(page).locator(".step").inner_text())
    assert STEPS[2] <= stopped < STEPS[-1]
    row(page, STEPS[-2]).click()
    expect(current(page).locator(".step")).to_have_text(str(STEPS[-2]))
    page.get_by_role("button", name="Play").click()
    expect(current(page).locator(".step")).to_have_text(str(STEPS[-1]))
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # stops by itself
    page.wait_for_url(without_step)


def test_a_click_on_the_film_strip_goes_to_that_step(open_page: Callable[..., Page]) -> None:
    page = open_page("training", "replay=film&kind=cross&layer=2&head=1&text=I+like+you")
    shots = page.locator(".shot")
    expect(shots).to_have_count(len(STEPS))
    canvas = page.locator(f'.shot[data-step="{EARLY}"] canvas')
    canvas.hover()
    expect(page.locator(".steps output")).to_contain_text("→")
    canvas.click()
    page.wait_for_url(f"**step={EARLY}*")
    expect(current(page)).to_have_attribute("data-step", str(EARLY))
    expect(step_name(page)).to_have_text(f"Step {EARLY} of {STEPS[-1]}")


def test_a_click_on_the_curves_goes_to_the_nearest_step(open_page: Callable[..., Page]) -> None:
    page = open_page("training")
    page.wait_for_selector(f'{CURVES}[data-heard="yes"] .nsewdrag', state="attached")
    point = page.locator(f"{CURVES} .scatterlayer .trace").last.locator(".point").nth(3)
    box = point.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{CURVES} .hovertext")).to_be_visible()
    page.mouse.click(x, y)
    page.wait_for_url(f"**step={EARLY}*")


def test_every_page_works_at_the_step_and_finds_back(open_page: Callable[..., Page]) -> None:
    page = open_page("training", f"step={EARLY}&text=I+like+you")
    said = page.locator(".training-headline :is(b, i) >> nth=0").inner_text()
    page.get_by_role("link", name="Translate").click()
    expect(page.locator(".headline .text")).to_have_text(said)
    page.get_by_role("link", name="Attention").click()
    expect(page.get_by_text("How much each")).to_be_visible()
    expect(in_bar(page)).to_have_text(f"at step {EARLY} of its training")
    page.wait_for_url(f"**step={EARLY}*")
    page.locator(".st-key-widget_to_end button").first.click()
    expect(in_bar(page)).to_have_count(0)
    page.wait_for_url(without_step)
    page.get_by_role("link", name="Training").click()
    expect(current(page).locator(".step")).to_have_text(str(STEPS[-1]))


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_fits_the_window_and_does_not_jump(
    open_page: Callable[..., Page], panel: str
) -> None:
    page = open_page("training", f"replay={panel}&course=end")
    parts = ("training_course", "training_numbers", "training_pickers", "training_panel--")

    def boxes() -> list[object]:
        driver.wait_until_idle(page)
        return [page.locator(f"[class*=st-key-{part}]").bounding_box() for part in parts]

    height = "document.querySelector('[data-testid=stMain]').scrollHeight"
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # it hears the arrow keys
    before = boxes()
    assert page.evaluate(height) <= 900
    page.keyboard.press("ArrowLeft")
    expect(step_name(page)).to_have_text(f"Step {STEPS[-2]} of {STEPS[-1]}")
    assert boxes() == before


def test_the_page_in_chinese_and_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("training", f"step={EARLY}", theme="dark")
    page.get_by_text("中文", exact=True).click()
    expect(step_name(page)).to_have_text(f"第 {EARLY} 步，共 {STEPS[-1]} 步")
    expect(page.get_by_text(f"训练到第 {EARLY} 步时")).to_be_visible()
