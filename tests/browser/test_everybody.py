"""For everybody: axe finds nothing on any page, and the keyboard alone is enough for charts."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import driver
from tests.browser.screenshots import FULL, OPENING
from tests.browser.test_link import EDITS

SCREENS = OPENING | FULL
# What is no fault of a rule's default set, and one that is asked of names: they contain the words
# that are seen, for who speaks to the page.
RULES = {"resultTypes": ["violations"], "rules": {"label-content-name-mismatch": {"enabled": True}}}
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}  # .streamlit/config.toml
IN_COLOUR = """(ground) =>
  getComputedStyle(document.querySelector(".stApp")).backgroundColor === ground"""
LARGE = ".st-key-attention_large"


def found(page: Page) -> list[str]:
    """Each fault that axe finds: the rule, the element, what is wrong with it."""
    page.keyboard.press("Tab")  # from here on what is scrolled can be reached (kit.js)
    page.evaluate("document.activeElement.blur()")  # a help text may have opened there
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
    if not page.evaluate("'axe' in window"):  # a page that is led on has it already
        page.evaluate(AXE_SCRIPT)
    rules: list[dict[str, Any]] = page.evaluate("(asked) => axe.run(asked)", RULES)["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for rule in rules
        for node in rule["nodes"]
    ]


@pytest.mark.visit
@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("theme", GROUNDS)
def test_axe_finds_nothing(led: Callable[..., Page], theme: str, name: str) -> None:
    path, query = SCREENS[name]
    page = led(path, urlencode(query | {"theme": theme, "language": "en"}))
    if not page.evaluate(IN_COLOUR, GROUNDS[theme]):  # on a busy machine it may be late
        page.wait_for_function(IN_COLOUR, arg=GROUNDS[theme])
        driver.wait_until_idle(page)
    assert page.url.partition("?")[0].endswith(f"/{path}")
    assert not found(page)


def test_axe_would_find_something(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.evaluate(
        """document.querySelector(".stMainBlockContainer").insertAdjacentHTML("afterbegin",
        '<button aria-label="other">seen</button><p style="color: #bbb">faint words</p>')"""
    )
    rules = {fault.partition(":")[0] for fault in found(page)}
    assert rules == {"label-content-name-mismatch", "color-contrast"}


def said(page: Page, chart: str = LARGE) -> Any:
    return expect(page.locator(f"{chart} .chart-said"))


def test_a_cell_of_the_matrix_by_keys_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "layer=2&head=1&text=I+have+a+cat")
    page.get_by_role("radio", name="Lines, every head").or_(
        page.get_by_role("button", name="Lines, every head")
    ).focus()
    for _ in range(20):  # the chart is among the next stops of Tab
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('chart-place')"):
            break
    page.keyboard.press("ArrowDown")
    said(page).to_contain_text("I → I")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said(page).to_contain_text("have → a")
    weight = driver.read(
        page, f"document.querySelector('{LARGE} .js-plotly-plot')._fullData[0].z[1][2]"
    )
    label = page.locator(f"{LARGE} .chart-said").inner_text()
    assert float(label.rsplit(" ", 1)[1]) == pytest.approx(weight, rel=1e-5)
    page.keyboard.press("ArrowUp")
    said(page).to_contain_text("I → a")
    page.keyboard.press("Enter")
    page.wait_for_url("**query=1&key=3**")
    expect(page.locator(f"{LARGE} .chart-cursor")).to_be_visible()  # the keyboard stays there
    said(page).to_contain_text("I → a")


def test_the_cursor_stands_on_its_cell(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "layer=2&head=1&text=I+have+a+cat")
    page.locator(f"{LARGE} .chart-place").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"document.querySelector('{LARGE} .chart-cursor').checkVisibility()")
    apart = page.evaluate(
        """(chart) => {
          const cursor = document.querySelector(`${chart} .chart-cursor`).getBoundingClientRect();
          const plot = document.querySelector(`${chart} .nsewdrag`).getBoundingClientRect();
          const { xaxis, yaxis } = document.querySelector(`${chart} .js-plotly-plot`)._fullLayout;
          return [cursor.x + cursor.width / 2 - plot.x - xaxis.l2p(1),
                  cursor.y + cursor.height / 2 - plot.y - yaxis.l2p(0)];
        }""",
        LARGE,
    )
    assert max(map(abs, apart)) < 2


def test_bars_and_curves_by_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("training")
    page.locator(".st-key-training_curves .chart-place").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said(page, ".st-key-training_curves").to_contain_text("50")
    page.keyboard.press("Enter")
    page.wait_for_url("**step=50*")


def test_a_cell_of_the_walkthrough_by_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.1.self_attention.scores&query=2&key=2")
    page.locator(".panel canvas.live").last.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tip:not([hidden])")).to_contain_text("didn't · didn't")
    drawn = page.locator(".panel canvas.live").last.element_handle()
    page.emulate_media(color_scheme="dark")  # all is drawn anew
    page.wait_for_function("(canvas) => !canvas.isConnected", arg=drawn)
    expect(page.locator(".tip:not([hidden])")).to_contain_text("didn't · didn't")
    page.keyboard.press("Enter")
    page.wait_for_url("**query=3&key=3*")
    assert "walk=encoder.1.self_attention.scores" in page.url  # the arrows did not turn the page


def test_the_two_runs_differ_by_more_than_colour(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", urlencode({"edits": EDITS, "switches": "heads"}))
    page.wait_for_selector(".choices.is .meter i")
    ground = "each => getComputedStyle(each, '::before').backgroundImage"
    swatches = page.locator(".side.swatch")
    assert swatches.nth(0).evaluate(ground) == "none"
    assert "repeating-linear-gradient" in swatches.nth(1).evaluate(ground)
    bar = page.locator(".choices.is .meter i").first
    assert "gradient" in bar.evaluate("each => getComputedStyle(each).backgroundImage")


def test_a_sink_is_dashed(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "layer=2&head=3&view=lines")
    page.wait_for_selector(".chip.sink")
    paths = page.locator(".lines path")
    dashed = paths.evaluate_all("all => all.map((each) => each.getAttribute('stroke-dasharray'))")
    colours = paths.evaluate_all("all => all.map((each) => each.getAttribute('stroke'))")
    assert "5 3" in dashed
    assert [colour == "var(--faint)" for colour in colours] == [each == "5 3" for each in dashed]


@pytest.mark.parametrize(("size", "most"), [("100", 100), ("150", 150)])
def test_the_frame_folds_on_a_projector(
    open_page: Callable[..., Page], size: str, most: int
) -> None:
    page = open_page("attention", f"size={size}", width=1280, height=720)
    box = page.locator("[class*=st-key-stage_bar]").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= most
    switches = page.locator("[class*='st-key-switches--']").bounding_box()
    nav = page.get_by_test_id("stTopNav").bounding_box()
    assert switches is not None
    assert nav is not None
    assert nav["x"] + nav["width"] <= switches["x"]  # one does not lie on the other


@pytest.fixture(scope="module")
def phone(context: BrowserContext, app_url: str) -> Iterator[Page]:
    """A page of a phone's size that is led from screen to screen."""
    page = driver.open_page(context, app_url, width=390, height=844)
    yield page
    page.close()


@pytest.mark.parametrize("name", list(OPENING))
def test_a_phone_never_scrolls_sideways(phone: Page, name: str) -> None:
    page = phone
    driver.lead(page, OPENING[name][0], "language=en")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth") <= 390
    sentence = page.locator(".st-key-widget_sentence").bounding_box()
    assert sentence is not None
    assert sentence["width"] > 300
    told = page.get_by_text("This page wants a wider screen")
    assert told.is_visible() == (name not in ("translate", "walkthrough", "lectures"))


def test_at_400_percent_the_switches_lie_on_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page(width=320, height=256)
    more = page.get_by_test_id("stExpandSidebarButton").bounding_box()
    switches = page.locator("[class*='st-key-switches--']").bounding_box()
    assert more is not None
    assert switches is not None
    assert more["x"] + more["width"] <= switches["x"]


def test_zoomed_in_the_choices_of_heads_are_not_cut(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "switches=heads", width=853, height=480)  # 1280 x 720 at 150 %
    controls = page.locator("[class*=st-key-heads_controls]")
    beyond = controls.evaluate(
        """box => Math.max(...[...box.querySelectorAll("button")]
          .map((each) => each.getBoundingClientRect().right - box.getBoundingClientRect().right))"""
    )
    assert beyond <= 1


def test_the_walkthrough_is_one_column_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", width=390, height=844)
    page.wait_for_selector(".scene .panel canvas")
    boxes = [each.bounding_box() for each in page.locator(".scene .panel").all()]
    assert len(boxes) == 3
    for above, below in pairwise(boxes):
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"] + 1
        assert above["width"] > 300
    dots = page.locator(".dots button")
    assert dots.nth(0).evaluate("each => each.getBoundingClientRect().width") >= 24
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.body.dataset.walk === 'drawn'")
    tag = page.locator(".tag:not(.over)").bounding_box()
    assert tag is not None
    assert tag["x"] >= 0
    assert tag["x"] + tag["width"] <= 391  # the name of the step is in sight


@pytest.mark.parametrize(("path", "cards"), [("lab", ".tiles"), ("switch", ".cards")])
def test_on_a_phone_the_page_is_scrolled_and_not_a_box_in_it(
    open_page: Callable[..., Page], path: str, cards: str
) -> None:
    page = open_page(path, width=390, height=844)
    box = page.locator(cards)
    expect(box).to_be_visible()
    shown, whole = box.evaluate("one => [one.clientHeight, one.scrollHeight]")
    assert shown == whole > 844
