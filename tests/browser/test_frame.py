"""The frame in a real browser: type, switch, turn pages, go back, reload."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from glassformer.app.frame.sentence import example_sentences
from tests.browser import driver

OFTEN = 4  # how often each element of a page may be styled anew for one sentence
CHINESE_EXAMPLE = next(each.text for each in example_sentences() if each.direction == "zh-en")
DARK, LIGHT = "rgb(14, 17, 23)", "rgb(255, 255, 255)"


def sentence(page: Page):  # type: ignore[no-untyped-def]
    return page.locator(".st-key-widget_sentence input")


def type_sentence(page: Page, text: str) -> None:
    sentence(page).fill(text)
    sentence(page).press("Enter")
    driver.wait_until_idle(page)


def test_sentence_goes_into_the_link_and_comes_back(open_page: Callable[..., Page]) -> None:
    page = open_page()
    type_sentence(page, "我 爱 机器 学习")
    page.wait_for_url("**/?text=*")
    again = open_page(query=page.url.partition("?")[2])
    expect(sentence(again)).to_have_value("我 爱 机器 学习")


def test_language_switch_changes_the_navigation(open_page: Callable[..., Page]) -> None:
    page = open_page(query="kind=cross&layer=2")
    page.get_by_role("radio", name="中文").or_(page.get_by_role("button", name="中文")).click()
    expect(page.get_by_role("link", name="注意力")).to_be_visible()
    expect(page.locator(".st-key-stage_focus")).to_contain_text("第 2 层")
    page.wait_for_url("**language=zh*")


def test_the_other_language_by_typing_and_by_example(open_page: Callable[..., Page]) -> None:
    page = open_page(query="language=en")
    line = page.locator(".st-key-stage_focus")
    for text, direction in (
        ("欢迎来到北京", "中文 → English"),
        ("I like you", "English → 中文"),
        ("我 喜欢 你", "中文 → English"),
        ("I have a cat", "English → 中文"),
    ):
        type_sentence(page, text)
        expect(line).to_contain_text(direction)
        assert "direction=" not in page.url
    page.get_by_role("button", name="Examples").click()
    page.get_by_text(CHINESE_EXAMPLE).click()
    expect(line).to_contain_text("中文 → English")
    page.locator('[data-block="memory"]').click()
    page.wait_for_url("**block=memory*")
    driver.wait_until_idle(page)
    expect(line).to_contain_text("中文 → English")
    expect(page.get_by_text("is not a direction")).to_have_count(0)
    assert "direction=" not in page.url


def test_a_chosen_direction_outlives_the_language_switch(open_page: Callable[..., Page]) -> None:
    page = open_page(query="direction=en-zh&text=I+like+you")
    page.get_by_role("radio", name="中文").or_(page.get_by_role("button", name="中文")).click()
    expect(page.locator(".st-key-stage_focus")).to_contain_text("英语 → 中文")
    driver.wait_until_idle(page)
    type_sentence(page, "I have a cat")
    page.wait_for_url("**text=I+have+a+cat*")
    page.wait_for_url("**direction=en-zh*")


def test_escape_takes_one_step_out(open_page: Callable[..., Page]) -> None:
    page = open_page(query="block=memory&token=source:2&query=2&key=3")
    line = page.locator(".st-key-stage_focus")
    sentence(page).press("Escape")
    driver.wait_until_idle(page)
    expect(page.locator("[class*=st-key-block_panel--]")).to_be_visible()
    sentence(page).blur()
    driver.press_escape(page)
    expect(page.locator("[class*=st-key-block_panel--]")).to_have_count(0)
    expect(line).to_contain_text("word “animal”")
    driver.wait_until_idle(page)
    driver.press_escape(page)
    expect(line).not_to_contain_text("word")
    page.wait_for_function("!location.search")


@pytest.mark.parametrize("path", ["attention", "tensors"])
def test_escape_releases_the_cell(open_page: Callable[..., Page], path: str) -> None:
    page = open_page(path, query="block=memory&query=2&key=3")
    driver.press_escape(page)
    expect(page.locator(".st-key-stage_focus")).not_to_contain_text("from")
    page.wait_for_function("!/query|key/.test(location.search)")
    assert "block=memory" in page.url


def test_escape_closes_an_open_menu_first(open_page: Callable[..., Page]) -> None:
    page = open_page(query="token=source:2")
    page.get_by_role("button", name="Examples").click()
    expect(page.get_by_text(CHINESE_EXAMPLE)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text(CHINESE_EXAMPLE)).to_have_count(0)
    driver.wait_until_idle(page)
    expect(page.locator(".st-key-stage_focus")).to_contain_text("word “animal”")


@pytest.mark.parametrize("path", ["", "attention", "tensors"])
@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_no_page_scrolls(led: Callable[..., Page], path: str, size: tuple[int, int]) -> None:
    page = led(path, width=size[0], height=size[1])
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollHeight - main.clientHeight") <= 0


def test_pages_keep_sentence_and_link(open_page: Callable[..., Page]) -> None:
    page = open_page(query="layer=2")
    type_sentence(page, "I like you")
    page.get_by_role("link", name="Attention").click()
    page.wait_for_url("**/attention?*text=I+like+you*")
    driver.wait_until_idle(page)
    expect(sentence(page)).to_have_value("I like you")
    page.reload()
    driver.wait_until_idle(page)
    expect(sentence(page)).to_have_value("I like you")
    expect(page.locator(".st-key-stage_focus")).to_contain_text("Layer 2")


def test_back_button_brings_the_sentence_before(open_page: Callable[..., Page]) -> None:
    page = open_page(query="text=I+have+a+cat")
    type_sentence(page, "I like you")
    page.wait_for_url("**text=I+like+you*")
    page.go_back()
    expect(sentence(page)).to_have_value("I have a cat")
    page.go_forward()
    expect(sentence(page)).to_have_value("I like you")


def test_a_page_is_one_step_back(open_page: Callable[..., Page]) -> None:
    page = open_page(query="text=I+have+a+cat")
    before = page.evaluate("history.length")
    page.get_by_role("link", name="Attention").click()
    page.wait_for_url("**/attention?*layer=*")  # the page's, and what it shows at first
    driver.wait_until_idle(page)
    page.wait_for_timeout(2000)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    expect(page.locator(".st-key-headline")).to_be_visible()
    page.go_forward()
    expect(page.locator(".st-key-stage_focus")).to_be_visible()


def test_theme_switch_is_live_and_remembered(open_page: Callable[..., Page]) -> None:
    page = open_page()
    app = page.locator('[data-testid="stApp"]')
    expect(app).to_have_css("background-color", LIGHT)
    page.locator(".theme-switch").click()
    expect(app).to_have_css("background-color", DARK)
    behind = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert behind in (DARK, "rgba(0, 0, 0, 0)")  # a page that is pulled too far shows it
    page.goto(page.url.split("?")[0].rstrip("/") + "/tensors")
    expect(app).to_have_css("background-color", DARK)
    driver.wait_until_idle(page)
    page.locator(".theme-switch").click()
    expect(app).to_have_css("background-color", LIGHT)
    expect(page.locator('[data-testid="stThemeSwitcher"]')).to_have_count(0)


def test_a_bad_sentence_says_so_and_keeps_the_picture(open_page: Callable[..., Page]) -> None:
    page = open_page(query="text=I+like+you")
    type_sentence(page, "   ")
    bar = page.locator(".st-key-stage_focus")
    expect(bar).to_contain_text("nothing to translate")
    expect(bar).to_contain_text("I like you")


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_the_frame_does_not_move(led: Callable[..., Page], size: tuple[int, int]) -> None:
    width, height = size
    tops = set()
    for path in ("", "attention", "tensors"):
        page = led(path, width=width, height=height)
        box = page.locator("[class*=st-key-stage_bar]").bounding_box()
        assert box is not None
        tops.add((box["x"], box["y"], box["width"], box["height"]))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(tops) == 1
    _, top, _, bar_height = tops.pop()
    assert top + bar_height <= 150


def test_nothing_is_asked_from_outside(open_page: Callable[..., Page]) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    driver.wait_until_idle(page)
    outside = [url for url in asked if "//localhost" not in url and url.startswith("http")]
    assert not outside


@pytest.mark.parametrize("path", ["", "attention", "switch", "tensors"])
def test_a_sentence_styles_no_page_over_and_over(browser: Browser, app_url: str, path: str) -> None:
    """One rule for all that stands below a `:has(…)` did so 17 to 29 times, half a second."""
    page = driver.open_page(browser, f"{app_url}/{path}")
    page.wait_for_selector("#opening", state="detached")  # with its going all is styled once
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    type_sentence(page, "I love machine learning")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styled = sum(
        event["args"].get("elementCount", 0)
        for event in events
        if event["name"] == "UpdateLayoutTree"
    )
    assert 0 < styled < OFTEN * page.locator("*").count()
    page.close()
