"""The attention page in a real browser: pick a head, read a number, click a cell, follow a word."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import driver

PICTURE = ".st-key-attention_large .js-plotly-plot"
READY = f'{PICTURE}[data-heard="yes"]'
PLACE = """([selector, row, column]) => {
  const chart = document.querySelector(selector);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  const {xaxis, yaxis} = chart._fullLayout;
  return [box.left + xaxis.l2p(column), box.top + yaxis.l2p(row)];
}"""
VALUE = """([selector, row, column]) => {
  const found = document.querySelector(selector)._fullData.slice(0, 2);
  return found.map((trace) => trace.z[row][column]).find(Number.isFinite);
}"""


def head(page: Page, layer: int, number: int) -> Locator:
    return page.get_by_role("button", name=f"Layer {layer} · Head {number}", exact=True)


def title(page: Page) -> Locator:
    return page.get_by_text("How much each")


def pair(page: Page) -> Locator:
    return page.locator(".attention-pair")


def cell(page: Page, row: int, column: int) -> tuple[float, float]:
    page.wait_for_selector(f"{READY} .nsewdrag", state="attached")
    found: tuple[float, float] = driver.read(page, PLACE, [PICTURE, row, column])
    return found


def click_cell(page: Page, row: int, column: int) -> None:
    x, y = cell(page, row, column)
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{PICTURE} .hovertext")).to_be_visible()
    page.mouse.click(x, y)


def word(page: Page, side: str, place: int) -> Locator:
    return page.locator(f'.word[data-side="{side}"][data-place="{place}"] .chip')


def test_a_thumbnail_shows_its_head_large(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you")
    expect(title(page)).to_contain_text("Layer 2 · Head 1")
    head(page, 2, 3).click()
    expect(head(page, 2, 3)).to_have_attribute("aria-pressed", "true")
    expect(title(page)).to_contain_text("Layer 2 · Head 3")
    page.wait_for_url("**head=3*")
    page.get_by_role("button", name="Layer 2 · mean of its heads").click()
    expect(title(page)).to_contain_text("Layer 2 · mean of its heads")


def test_arrow_keys_go_from_head_to_head(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you&layer=1&head=2")
    head(page, 1, 2).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(head(page, 2, 3)).to_be_focused()
    expect(title(page)).to_contain_text("Layer 2 · Head 3")
    page.keyboard.press("ArrowDown")  # there is no third layer
    expect(head(page, 2, 3)).to_have_attribute("aria-pressed", "true")


def test_hover_has_the_words_and_the_exact_value(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you&head=1")
    for row, column, words in ((0, 2, "I → you"), (1, 3, "like → <eos>")):
        x, y = cell(page, row, column)
        page.mouse.move(x + 3, y)
        page.mouse.move(x, y)
        label = page.locator(f"{PICTURE} .hovertext")
        expect(label).to_contain_text(words)
        said = (label.text_content() or "").rpartition("weight")[2].replace("−", "-")
        exact = page.evaluate(VALUE, [PICTURE, row, column])
        assert float(said) == pytest.approx(exact, rel=1e-6)


def test_a_click_spells_the_cell_out_and_the_link_brings_it_back(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("attention", "text=I+like+you&head=1&stage=scores")
    click_cell(page, 2, 0)
    page.wait_for_url("**query=3*")
    expect(pair(page)).to_have_text("you looks at I")
    score = driver.read(page, VALUE, [PICTURE, 2, 0])
    shown = page.locator("[class*=st-key-attention_cell--] .katex-mathml")
    expect(shown).to_contain_text(f"{score:.3g}".replace("-", "−"))
    again = open_page("attention", page.url.partition("?")[2])
    expect(pair(again)).to_have_text("you looks at I")
    click_cell(page, 2, 0)
    page.wait_for_url(re.compile(r"^(?!.*query=)"))
    expect(page.get_by_text("as an example")).to_be_visible()


def test_forbidden_cells_are_hatched_and_still_answer(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you&kind=decoder&head=1&stage=scaled")
    cell(page, 0, 0)
    assert page.locator(f"{PICTURE} pattern").count() == 0
    page.locator(".st-key-widget_attention_stage").get_by_text("masked").click()
    expect(page.locator(f"{PICTURE} pattern")).not_to_have_count(0)
    expect(page.get_by_text("Hatched: forbidden")).to_be_visible()
    x, y = cell(page, 0, 1)
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{PICTURE} .hovertext")).to_contain_text("e+9")


def test_a_word_under_the_mouse_keeps_only_its_lines(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you&view=lines&head=1")
    paths = page.locator(".lines path")
    expect(paths).not_to_have_count(0)
    starts = (
        "paths => [...new Set(paths.map((path) => path.getAttribute('d').split(' ')[0]))].length"
    )
    assert paths.evaluate_all(starts) > 1  # lines of several words
    word(page, "query", 1).hover()
    expect(word(page, "query", 1)).to_have_class(re.compile("hot"))
    assert paths.evaluate_all(starts) == 1
    numbers = page.locator('.word[data-side="key"] .weight').all_text_contents()
    assert sum(map(float, filter(None, numbers))) == pytest.approx(1, abs=0.01)
    word(page, "query", 1).click()
    page.wait_for_url("**query=2*")
    expect(word(page, "query", 1)).to_have_class(re.compile("pinned"))
    expect(pair(page)).to_contain_text("like looks at")


def test_every_head_has_its_own_hue(led: Callable[..., Page]) -> None:
    page = led("attention", "text=I+like+you&view=heads&kind=cross")
    expect(page.locator(".legend span")).to_have_count(4)
    hues = page.locator(".lines path").evaluate_all(
        "paths => [...new Set(paths.map((path) => path.getAttribute('stroke')))].length"
    )
    assert hues == 4
    page.locator(".legend span").nth(1).hover()
    expect(page.locator(".legend span.off")).to_have_count(3)


def test_words_that_look_like_markup_stay_words(led: Callable[..., Page]) -> None:
    text = "%3Cb%3Ex%3C%2Fb%3E+like+%3C%2Fs%3E+%26lt%3B"
    page = led("attention", f"text={text}&head=1")
    typed = page.get_by_label("Sentence").input_value().split()
    cell(page, 0, 0)
    ticks = page.locator(f"{PICTURE} .ytick text").all_text_contents()
    assert re.sub("[␣ ]", "", "".join(ticks[:-1])) == "".join(typed)
    page.locator(".st-key-widget_attention_view").get_by_text("Lines", exact=True).click()
    expect(word(page, "query", 0)).to_be_visible()
    chips = page.locator('.word[data-side="query"] .chip').all_text_contents()
    assert chips == ticks


def test_nothing_jumps_from_head_to_head(led: Callable[..., Page]) -> None:
    page = led("attention", "layer=1&head=1")
    places = [
        page.locator(selector)
        for selector in (
            "[class*=st-key-attention_picture--]",
            "[class*=st-key-attention_bars--]",
            ".attention-pair",
        )
    ]

    def boxes() -> list[Any]:
        cell(page, 0, 0)
        found = [place.bounding_box() for place in places]
        return [found[0], found[1], found[2] and (found[2]["x"], found[2]["y"])]

    before = boxes()
    for number in (2, 3):
        head(page, 2, number).click()
        expect(title(page)).to_contain_text(f"Layer 2 · Head {number}")
        driver.wait_until_idle(page)
        assert boxes() == before


@pytest.mark.parametrize(
    ("query", "width", "height", "sidebar"),
    [("size=150", 1920, 1080, False), ("", 1440, 900, True), ("language=zh", 1440, 900, True)],
)
def test_the_switches_keep_their_letters(
    open_page: Callable[..., Page], query: str, width: int, height: int, sidebar: bool
) -> None:
    page = open_page("attention", query, width=width, height=height)
    if sidebar:
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(page.get_by_test_id("stSidebar")).to_be_in_viewport()
        driver.wait_until_idle(page)
    buttons = page.locator(".st-key-attention_switches button")
    expect(buttons).to_have_count(8)
    # Where they have no room side by side they stand in two lines, as large as all others.
    letters = (
        "all => all.map((one) => parseFloat(getComputedStyle(one.querySelector('p')).fontSize))"
    )
    root = 16 * (1.5 if "150" in query else 1)
    assert min(buttons.evaluate_all(letters)) >= 0.875 * root
    fits = "all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)"
    assert buttons.evaluate_all(fits)


def test_large_type_keeps_the_whole_matrix_in_the_window(led: Callable[..., Page]) -> None:
    page = led("attention", "size=150", width=1920, height=1080)
    cell(page, 0, 0)
    box = page.locator("[class*=st-key-attention_picture--]").bounding_box()
    scale = page.locator(f"{PICTURE} .cbaxis, {PICTURE} .colorbar").last.bounding_box()
    assert box is not None
    assert scale is not None
    assert scale["y"] + scale["height"] <= box["y"] + box["height"] + 1 <= 1080


def test_the_page_in_chinese_and_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "kind=cross&head=1", theme="dark")
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_text("每个译文词对每个源语言词的关注程度")).to_contain_text(
        "第 1 层 · 第 1 头"
    )
    page.wait_for_url("**language=zh*")
    shade = driver.read(page, f"document.querySelector('{PICTURE}')._fullLayout.font.color")
    assert shade.upper() == "#E6EAF0"
