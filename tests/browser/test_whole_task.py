"""The user's task from beginning to end with mouse and keys, and what else people type."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from glassformer import load_model
from tests.browser import driver

PICTURE = ".st-key-attention_large .js-plotly-plot"
CENTRE_OF_CELL = """([selector, row, column]) => {
  const chart = document.querySelector(selector);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  const {xaxis, yaxis} = chart._fullLayout;
  return [box.left + xaxis.l2p(column), box.top + yaxis.l2p(row)];
}"""
VALUE = """([selector, row, column]) =>
  document.querySelector(selector)._fullData[0].z[row][column]"""


def type_sentence(page: Page, text: str) -> None:
    field = page.locator(".st-key-widget_sentence input")
    field.fill(text)
    field.press("Enter")
    driver.wait_until_idle(page)


def test_from_a_sentence_to_one_number_and_back_by_its_link(open_page: Callable[..., Page]) -> None:
    translator = load_model()
    trace = translator.trace("I have a cat")
    page = open_page()
    type_sentence(page, "I have a cat")
    expect(page.locator("body")).to_contain_text(trace.output_text)

    page.get_by_role("link", name="Attention").click()
    page.locator(".st-key-widget_attention_kind").get_by_text("Encoder", exact=True).click()
    page.get_by_role("button", name="Layer 2 · Head 3", exact=True).click()
    expect(page.get_by_text("How much each")).to_contain_text("Layer 2 · Head 3")
    page.wait_for_selector(f'{PICTURE}[data-heard="yes"] .nsewdrag', state="attached")
    shown = driver.read(page, VALUE, [PICTURE, 1, 3])
    weights = trace["encoder/1/self_attention/weights"]
    assert shown == pytest.approx(weights[0, 2, 1, 3].item(), abs=1e-6)

    x, y = page.evaluate(CENTRE_OF_CELL, [PICTURE, 1, 3])
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{PICTURE} .hovertext")).to_be_visible()
    page.mouse.click(x, y)
    page.wait_for_url(re.compile("query=2.*key=4|key=4.*query=2"))
    expect(page.locator(".attention-pair")).to_contain_text("have")
    expect(page.locator(".attention-pair")).to_contain_text("cat")

    page.get_by_role("radio", name="中文").or_(page.get_by_role("button", name="中文")).click()
    expect(page.locator(".st-key-stage_focus")).to_contain_text("第 3 头")
    page.wait_for_url("**language=zh*")

    again = open_page("attention", page.url.partition("?")[2])
    expect(again.locator(".st-key-widget_sentence input")).to_have_value("I have a cat")
    expect(again.locator(".st-key-stage_focus")).to_contain_text("第 3 头")
    expect(again.locator(".attention-pair")).to_contain_text("cat")


@pytest.mark.parametrize("path", ["", "attention", "tensors"])
def test_markup_is_shown_as_typed(open_page: Callable[..., Page], path: str) -> None:
    """On every page; nothing becomes bold, a link, a formula or a sign of the model."""
    page = open_page(path, "text=I+like+you" + "&address=memory" * (path == "tensors"))
    page.evaluate("window.touched = 0")
    odd = "<b>x</b> likes <s> and </s> $x$ &lt; <img src=x onerror=window.touched=1>"
    type_sentence(page, odd)
    expect(page.locator(".st-key-widget_sentence input")).to_have_value(odd)
    expect(page.get_by_text("<b>x</b>").first).to_be_attached()
    expect(page.get_by_text("</s>").first).to_be_attached()
    assert page.evaluate("window.touched") == 0
    expect(page.locator("b", has_text=re.compile("^x$"))).to_have_count(0)
    expect(page.locator("[data-testid=stMain] img[src=x]")).to_have_count(0)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


BAD = [
    "",
    "   ",
    "word " * 2000,
    "!!! ??? …",
    "🦊🦊🦊",
    "\u202eevil\u202c \u200b",
    "Привет как дела",
    "I 爱 机器 learning very 很 much",
    "\x07\x1b[31m",
]


def test_whatever_is_typed_the_app_goes_on(open_page: Callable[..., Page]) -> None:
    """A message in place or a sensible result, in Chinese too; then a good sentence works."""
    page = open_page(query="text=I+like+you&language=zh")
    for text in BAD:
        type_sentence(page, text)
        expect(page.locator('[data-testid="stException"]')).to_have_count(0)
        expect(page.locator("[class*=st-key-stage_bar]")).to_be_visible()
    type_sentence(page, "I have a cat")
    expect(page.locator("body")).to_contain_text("猫")


def test_a_link_out_of_range_says_what_was_dropped(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=I+like+you&layer=99&head=-3&stage=fast&query=400&key=1")
    bar = page.locator(".st-key-left_out")
    expect(bar).to_contain_text("layer “99”")
    expect(bar).to_contain_text("stage “fast”")
    expect(page.get_by_text("How much each")).to_be_visible()
