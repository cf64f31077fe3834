"""Terms that explain themselves, the glossary, and the tour: by mouse and by keyboard."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.app.frame.guide import glossary_terms, tour_stops
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from tests.browser import driver

MARKED = """() => [...CSS.highlights.get("term")].map((each) => {
  const range = document.createRange();
  range.setStart(each.startContainer, each.startOffset);
  range.setEnd(each.endContainer, each.endOffset);
  const { x, y, width, height } = range.getBoundingClientRect();
  return { text: range.toString(), x: x + width / 2, y: y + height / 2, shown: width > 0 };
})"""
# Counts the texts that are looked through: each begins with a walker.
COUNTED = """() => {
  window.looked = 0;
  const before = Document.prototype.createTreeWalker;
  Document.prototype.createTreeWalker = function (...given) {
    window.looked += 1;
    return before.apply(this, given);
  };
}"""


def guide(page: Page) -> Locator:
    return page.locator(".st-key-guide")


def marked(page: Page) -> list[dict[str, Any]]:
    page.wait_for_function("CSS.highlights.get('term')?.size")
    driver.wait_until_idle(page)
    page.wait_for_timeout(200)
    found = page.evaluate(MARKED)
    return [each for each in found if each["shown"]]


def test_a_term_is_marked_and_told_on_hover(open_page: Callable[..., Page]) -> None:
    page = open_page("attention")
    term = next(each for each in marked(page) if each["text"] == "Softmax")
    tip = guide(page).get_by_role("tooltip")
    expect(tip).to_be_hidden()
    page.mouse.move(term["x"], term["y"])
    expect(tip).to_contain_text("shares that add up to 1")
    expect(tip).to_contain_text("Paper §3.2.1")
    page.mouse.move(term["x"] + 5, term["y"] + 20, steps=4)  # into the tip: it stays
    page.wait_for_timeout(500)
    tip.get_by_role("button", name="See it: Lab").click()
    page.wait_for_url("**/lab?*lab=normalisers*")
    expect(tip).to_be_hidden()


def test_a_symbol_of_a_formula_is_told_and_shape_letters_are(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("attention", "stage=scaled")
    marked(page)
    tip = guide(page).get_by_role("tooltip")
    page.locator(".katex-html .mord.sqrt .mord.mathnormal", has_text="d").first.hover(force=True)
    expect(tip).to_contain_text("head width")
    box = page.get_by_text("(B × H × S × S)").evaluate(
        """(node) => {
          const range = document.createRange();
          const text = [...node.childNodes].find((each) => each.data?.includes("(B × H"));
          const at = text.data.indexOf("H ×");
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        }"""
    )
    page.mouse.move(box["x"], box["y"])
    expect(tip).to_contain_text("number of heads")


def test_by_keyboard_tab_comes_to_a_term_and_arrows_go_on(open_page: Callable[..., Page]) -> None:
    page = open_page("attention")
    marked(page)
    tip = guide(page).get_by_role("tooltip")
    guide(page).get_by_role("button", name="Glossary").focus()
    told = "document.activeElement.getAttribute('aria-description') ?? ''"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(told):
            break
    first = page.evaluate(told)
    expect(tip).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"({told}) && ({told}) !== {first!r}")
    second = page.evaluate(told)
    expect(tip).to_contain_text(second.partition(": ")[2])
    page.keyboard.press("Enter")
    entry = guide(page).get_by_role("dialog").locator(".entry.asked")
    expect(entry).to_contain_text(second.partition(": ")[2])
    page.keyboard.press("Escape")
    expect(guide(page).get_by_role("dialog")).to_have_count(0)
    assert "kind=" not in page.url


def test_what_readers_type_is_not_explained(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=The+head+saw+a+mask&query=1&key=4")
    texts = [each["text"].lower() for each in marked(page)]
    assert texts
    assert not {"head", "mask", "masked"} & set(texts)


def test_only_new_texts_are_looked_through(open_page: Callable[..., Page]) -> None:
    page = open_page("attention")
    before = len(marked(page))
    page.evaluate(COUNTED)
    page.mouse.move(700, 450, steps=8)
    page.evaluate(
        "document.querySelector('[class*=attention_picture]').append(document.createElement('i'))"
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.looked") == 0
    page.get_by_role("radio", name="scores").or_(page.get_by_role("button", name="scores")).click()
    page.wait_for_url("**stage=scores*")
    after = len(marked(page))
    blocks = page.locator('[data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"]')
    assert 0 < page.evaluate("window.looked") < blocks.count() / 2
    assert before and after


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_is_searched(open_page: Callable[..., Page], language: str) -> None:
    page = open_page(query=f"language={language}")
    guide(page).locator(".help").click()
    dialog = guide(page).get_by_role("dialog")
    rows = dialog.locator(".entry:visible")
    expect(rows).to_have_count(len(glossary_terms()))
    dialog.get_by_role("searchbox").fill(say("glossary.residual_stream.name", language))
    expect(dialog.get_by_role("heading", level=3).locator("visible=true")).to_have_count(1)
    assert 1 <= rows.count() <= 4
    dialog.get_by_role("searchbox").fill("dk")
    expect(rows.filter(has_text="√dk").first).to_be_visible()
    dialog.get_by_role("searchbox").fill("qqqq")
    expect(rows).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


# The ring lies in the window around what is there; the card beside it.
STANDS = """([places]) => {
  const root = document.querySelector(".st-key-guide [data-component]").shadowRoot;
  const [ring, card] = [".ring", ".tour"].map((each) =>
    root.querySelector(each).getBoundingClientRect());
  const inside = (box) => box.left >= 0 && box.top >= 0
    && box.right <= innerWidth && box.bottom <= innerHeight;
  const apart = ring.right <= card.left || card.right <= ring.left
    || ring.bottom <= card.top || card.bottom <= ring.top;
  const found = places.some((place) => document.querySelector(place.split(" >> ")[0]));
  return found && ring.width > 20 && ring.height > 20 && inside(ring) && inside(card) && apart;
}"""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_seven_stops_each_with_a_thing_on_screen(
    open_page: Callable[..., Page], size: tuple[int, int]
) -> None:
    page = open_page(query="text=I+like+you&layer=2", width=size[0], height=size[1])
    guide(page).locator(".help").click()
    guide(page).get_by_role("button", name="Tour: 7 stops").click()
    card = guide(page).locator(".tour")
    for at, stop in enumerate(tour_stops(), start=1):
        expect(card).to_contain_text(f"{at} of 7")
        driver.wait_until_idle(page)
        page.wait_for_function(STANDS, arg=[stop["find"]])
        assert "text=I+like+you" in page.url
        assert stop["page"] == "translate" or f"/{stop['page']}?" in page.url
        page.wait_for_timeout(500)  # as who reads it: a page turned at once still sends of itself
        if at < 7:
            page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(card).to_contain_text("6 of 7")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert "text=I+like+you" in page.url


def test_it_is_offered_once_and_found_again(open_page: Callable[..., Page]) -> None:
    page = open_page(width=1440)
    offer = guide(page).get_by_role("button", name="Tour", exact=True)
    expect(offer).to_be_visible()
    guide(page).get_by_role("button", name="No tour").click()
    expect(offer).to_have_count(0)
    page.reload()
    driver.wait_until_idle(page)
    expect(guide(page).locator(".help")).to_be_visible()
    expect(offer).to_have_count(0)
    guide(page).locator(".help").click()
    guide(page).get_by_role("button", name="Tour: 7 stops").click()
    card = guide(page).locator(".tour")
    expect(card).to_contain_text("1 of 7")
    card.get_by_role("button", name="Next").click()
    expect(card).to_contain_text("2 of 7")
    page.get_by_role("radio", name="中文").or_(page.get_by_role("button", name="中文")).click()
    expect(card).to_contain_text("第 2 站")  # a rerun, and another language
    page.reload()
    expect(card).to_contain_text("第 2 站")
    card.get_by_role("button", name="离开导览").click()
    expect(card).to_be_hidden()
