"""Painting a mask in a real browser: by mouse, finger and keyboard, then undone."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import Painted
from tests.browser import driver

PLACE = "encoder/0/self_attention"
BOARD = ".st-key-mask_grid .board canvas"
TOLD = "[class*=st-key-mask_told--]"
LAST = 3  # row and column of the last word of the sentence


def opened(open_page: Callable[..., Page], query: str = "") -> Page:
    page = open_page("switch", f"switches=masks&text=I+like+you&{query}")
    page.wait_for_selector(f"{BOARD}[data-cell]")
    return page


def spot(page: Page, row: int, column: int) -> tuple[float, float]:
    board = page.locator(BOARD)
    cell = float(board.get_attribute("data-cell") or 0)
    box = board.bounding_box()
    assert box is not None
    return box["x"] + (column + 0.5) * cell, box["y"] + (row + 0.5) * cell


def drag(page: Page, first: tuple[int, int], last: tuple[int, int]) -> None:
    page.mouse.move(*spot(page, *first))
    page.mouse.down()
    page.mouse.move(*spot(page, *last), steps=3)
    page.mouse.up()


def tool(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()


def said(page: Page) -> Locator:
    return page.locator(".st-key-mask_grid .said")


def painted(page: Page) -> tuple[Painted, ...]:
    text = parse_qs(urlparse(page.url).query).get("edits", [""])[0]
    return tuple(each for each in Experiment.from_text(text).switches if isinstance(each, Painted))


def expect_painted(page: Page, hidden: tuple[tuple[int, int, int], ...]) -> None:
    for _ in range(200):
        if [each.hidden for each in painted(page)] == ([hidden] if hidden else []):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{painted(page)} instead of {hidden}")


def test_a_dragged_rectangle_is_hidden_at_once_and_weighs_zero(
    open_page: Callable[..., Page],
) -> None:
    page = opened(open_page)
    page.mouse.move(*spot(page, 1, 2))
    expect(said(page)).to_have_text(re.compile(r"^like → you: may look · weight \d\.\d{2,}"))
    drag(page, (2, 2), (1, 1))
    expect(said(page)).to_contain_text("like → like: forbidden")
    expect_painted(page, ((1, 1, 2), (2, 1, 2)))
    expect(said(page)).to_have_text("like → like: forbidden · weight 0")
    page.get_by_role("button", name="As it was").click()
    expect_painted(page, ())


def test_rows_columns_and_bands_and_the_way_back(open_page: Callable[..., Page]) -> None:
    page = opened(open_page)
    tool(page, "Columns")
    page.mouse.click(*spot(page, 0, 1))
    expect_painted(page, tuple((row, 1, 1) for row in range(LAST + 1)))
    tool(page, "Band")
    tool(page, "Erase")
    page.mouse.click(*spot(page, 1, 1))
    expect_painted(page, ((0, 1, 1), (2, 1, 1), (3, 1, 1)))
    page.locator(".st-key-mask_grid .rows span").nth(2).click()  # a word: its whole row
    expect_painted(page, ((0, 1, 1), (3, 1, 1)))
    tool(page, "Rows")
    tool(page, "Hide")
    drag(page, (2, 0), (3, 0))
    expect_painted(page, ((0, 1, 1), (2, 0, LAST), (3, 0, LAST)))
    expect(page.get_by_text("may look nowhere")).to_be_visible()
    page.wait_for_url("**brush=row*")
    page.get_by_role("button", name="Open the row").click()
    expect_painted(page, ((0, 1, 1),))
    undo = page.locator('[class*="undo"] button').first
    for before in (((0, 1, 1), (2, 0, LAST), (3, 0, LAST)), ((0, 1, 1), (3, 1, 1))):
        undo.click()
        expect_painted(page, before)


def test_an_answer_that_comes_late_takes_no_tool_away(browser: Browser, app_url: str) -> None:
    """What the server says of the first of two quick choices is not the last word."""
    home = browser.new_context()
    line = driver.Line(home)
    page = driver.open_page(home, f"{app_url}/switch?switches=masks&text=I+like+you")
    page.wait_for_selector(f"{BOARD}[data-cell]")
    line.hold()
    tool(page, "Band")
    line.wait_for_runs(page, 1)
    tool(page, "Erase")
    line.let_go()
    line.hold()
    page.wait_for_url("**brush=band*")
    page.wait_for_selector(driver.IDLE)
    for name in ("Band", "Erase"):
        expect(page.get_by_role("radio", name=name, exact=True)).to_be_checked()
    home.close()


def test_quick_strokes_are_all_kept(open_page: Callable[..., Page]) -> None:
    page = opened(open_page)
    for row, column in ((0, 3), (1, 3), (2, 3), (3, 0), (3, 1)):
        page.mouse.click(*spot(page, row, column))
    expect_painted(page, ((0, 3, 3), (1, 3, 3), (2, 3, 3), (3, 0, 1)))


def test_keyboard_and_finger_paint_too(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, "head=2")
    page.locator(BOARD).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        page.keyboard.press(key)
    expect_painted(page, ((1, 1, 1),))
    assert painted(page)[0].heads == (1,)
    page.keyboard.press("ArrowRight")
    expect(said(page)).to_contain_text("like → you")
    touch = page.context.new_cdp_session(page)
    for kind, at in (("touchStart", (0, 1)), ("touchMove", (0, 2)), ("touchEnd", None)):
        points = [] if at is None else [dict(zip("xy", spot(page, *at), strict=True))]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect_painted(page, ((0, 1, 2), (1, 1, 1)))


def test_presets_switches_and_what_a_one_means(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, "kind=decoder")
    page.get_by_role("button", name="Only itself").click()
    page.wait_for_url("**edits=band*")
    driver.wait_until_idle(page)  # what is said of the change moves the board
    page.mouse.move(*spot(page, 1, 0))
    expect(said(page)).to_have_text(re.compile("forbidden · weight 0$"))
    page.get_by_role("button", name="Causal", exact=True).click()
    page.wait_for_url("**causal*")
    page.get_by_text("1 = hidden", exact=True).click()
    page.wait_for_url("**ones=hidden*")
    expect(page.get_by_text("nn.MultiheadAttention")).to_be_visible()
    page.get_by_text("is −∞", exact=True).click()
    page.wait_for_url("**mask_fill*")
    page.get_by_role("button", name="As it was").click()
    page.wait_for_url(re.compile(r"^(?!.*band)"))


def test_a_row_without_numbers_is_explained_and_has_a_way_out(
    open_page: Callable[..., Page],
) -> None:
    page = opened(open_page, "brush=row&edits=mask_fill")
    page.mouse.click(*spot(page, 1, 0))
    expect(page.locator(TOLD)).to_contain_text("NaN")
    expect(page.locator(".st-key-mask_grid .rows .closed")).to_have_text("∅ like")
    page.get_by_role("button", name="Write −10⁹").click()
    expect(page.locator(TOLD)).to_contain_text("25.0% for each of the 4")
    driver.wait_until_idle(page)
    expect(page.locator(BOARD)).to_be_visible()


def test_sixty_words_can_be_painted(open_page: Callable[..., Page]) -> None:
    text = "+".join(["The+animal+was+tired+and+it+slept"] * 8)
    page = open_page("switch", f"switches=masks&text={text}")
    page.wait_for_selector(f"{BOARD}[data-cell]")
    assert float(page.locator(BOARD).get_attribute("data-cell") or 0) >= 12
    page.locator(BOARD).focus()
    for key in ("ArrowDown", *["ArrowDown"] * 40, "Space"):
        page.keyboard.press(key)
    expect_painted(page, ((40, 0, 0),))


@pytest.mark.parametrize(
    ("query", "width", "height", "least"),
    [
        ("", 1280, 720, 24),
        ("size=150", 1280, 720, 24),
        ("size=150&language=zh", 1280, 720, 24),
        ("", 853, 480, 16),  # as at 150 % of zoom: these are 24 of the screen's own
    ],
)
def test_the_mask_and_what_it_did_stand_side_by_side(
    open_page: Callable[..., Page], query: str, width: int, height: int, least: int
) -> None:
    text = "The+animal+didn't+cross+the+street+because+it+was+too+tired+and+old"
    edits = f"painted:{PLACE},(),((0,1,3)),()"
    page = open_page(
        "switch", f"switches=masks&text={text}&edits={edits}&{query}", width=width, height=height
    )
    board = page.locator(f"{BOARD}[data-cell]")
    assert board.get_attribute("data-rows") == "14"
    assert float(board.get_attribute("data-cell") or 0) >= least
    cells, written = board.bounding_box(), page.locator(".sentence").nth(1).bounding_box()
    assert cells is not None
    assert written is not None
    lowest = max(cells["y"] + cells["height"], written["y"] + written["height"])
    assert lowest <= height
    place = page.locator(".st-key-mask_grid .scroll")
    assert place.evaluate("each => each.scrollHeight - each.clientHeight") <= 2
    assert cells["x"] + cells["width"] <= written["x"]
    mask = page.locator(".st-key-mask_grid").bounding_box()
    assert mask is not None
    assert mask["width"] > 1.4 * page.locator(".effect").evaluate("each => each.offsetWidth")
