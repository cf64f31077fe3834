"""The Translate page in a real browser: read, hover, click, switch, open a block, reload."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.app.session.languages import LANGUAGES
from tests.browser import driver

LONG = " ".join(["The animal didn't cross the street because it was too tired"] * 5)


@pytest.fixture
def translate(open_page: Callable[..., Page]) -> Callable[..., Page]:
    """`translate(query)`: the page with its words and bars drawn, or the panel of its block."""

    def open_one(query: str = "", **window: object) -> Page:
        page = open_page(query=query, **window)
        page.locator(".sources .chip").first.wait_for()
        page.locator(".st-key-candidates .main-svg").first.wait_for()
        driver.wait_until_idle(page)
        return page

    return open_one


def chips(page: Page, side: str) -> Locator:
    return page.locator(f".{side} .chip")


def opacity_of_lines(page: Page) -> list[float]:
    found: list[float] = page.locator("svg.lines path").evaluate_all(
        "paths => paths.map(path => Number(path.style.strokeOpacity))"
    )
    return found


def test_the_translation_is_read_first_and_its_words_follow(translate: Callable[..., Page]) -> None:
    page = translate()
    headline = page.locator(".headline .text")
    expect(headline).not_to_be_empty()
    words = chips(page, "outputs").locator(".word").all_inner_texts()
    assert "".join(words[:-1]) == headline.inner_text().replace(" ", "")
    assert chips(page, "sources").count() == 12
    expect(page.locator(".outputs .percent").first).to_contain_text("%")


def test_hover_shows_one_words_lines_and_leaves_no_trace(translate: Callable[..., Page]) -> None:
    page = translate()
    before = opacity_of_lines(page)
    chips(page, "outputs").nth(0).hover()
    expect(chips(page, "outputs").nth(0)).to_have_class("chip hot")
    during = opacity_of_lines(page)
    assert min(during) == 0.03 < max(during)
    assert sum(value == 0.03 for value in during) > sum(value == 0.03 for value in before)
    expect(page.locator(".sources .tinted").first).to_be_visible()
    page.locator(".headline").hover()
    expect(page.locator(".chip.hot")).to_have_count(0)
    assert opacity_of_lines(page) == before


def test_a_click_pins_the_word_and_shows_its_runners_up(translate: Callable[..., Page]) -> None:
    page = translate()
    word = chips(page, "outputs").nth(1)
    word.click()
    page.wait_for_url("**token=target*2*")
    first = chips(page, "outputs").nth(0).inner_text()
    expect(page.locator(".st-key-choices_panel")).to_contain_text(f"After {first} the model")
    labels = page.locator(".st-key-candidates .yaxislayer-above .ytick, .st-key-candidates .ytick")
    expect(labels).to_have_count(6)
    expect(labels.first).to_contain_text(word.inner_text())
    page.reload()
    driver.wait_until_idle(page)
    expect(chips(page, "outputs").nth(1)).to_have_attribute("aria-pressed", "true")
    chips(page, "outputs").nth(1).click()
    page.wait_for_url(lambda url: "token" not in url)
    expect(page.locator(".chip.pinned")).to_have_count(0)


def test_a_head_changes_the_lines_in_place(translate: Callable[..., Page]) -> None:
    page = translate()
    before = page.locator(".st-key-word_lines").bounding_box()
    page.locator(".sources .chip").nth(2).evaluate("chip => { chip.dataset.same = 'yes'; }")
    page.locator(".st-key-widget_cross_head").get_by_text("3", exact=True).click()
    page.wait_for_url("**head=3*")
    driver.wait_until_idle(page)
    assert page.locator(".st-key-word_lines").bounding_box() == before
    expect(page.locator("[data-same=yes]")).to_have_count(1)  # the words were not drawn again
    expect(page.locator(".st-key-stage_focus")).to_contain_text("Head 3")


def test_matrix_takes_the_same_place_and_its_cells_answer(translate: Callable[..., Page]) -> None:
    page = translate()
    lines = page.locator("[class*=st-key-words_panel--]").bounding_box()
    page.locator(".st-key-widget_links").get_by_text("Matrix", exact=True).click()
    drag = page.locator(".st-key-cross_matrix .nsewdrag")
    drag.wait_for(state="attached")
    driver.wait_until_idle(page)
    assert page.locator("[class*=st-key-words_panel--]").bounding_box() == lines
    box = drag.bounding_box()
    assert box is not None
    page.locator(".st-key-cross_matrix .js-plotly-plot[data-heard=yes]").wait_for()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    expect(page.locator(".st-key-cross_matrix .hoverlayer")).to_contain_text("→")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 8)
    page.wait_for_url("**token=target*1*")


def test_a_block_opens_beside_the_map_and_closes(translate: Callable[..., Page]) -> None:
    page = translate()
    page.locator("[data-block='decoder/0/cross_attention']").first.click()
    expect(page.locator("[class*=st-key-block_panel--]")).to_contain_text("Cross-attention")
    page.wait_for_url("**block=*")
    panel = page.locator("[class*=st-key-block_panel--]").bounding_box()
    assert panel is not None
    assert panel["y"] + panel["height"] <= 905  # above the fold
    page.locator(".st-key-block_close button").click()
    expect(chips(page, "sources").first).to_be_visible()


# Components live in shadow roots, where a plain querySelector does not look.
IN_VIEW = """selector => {
  const find = (root, wanted) => root.querySelector(wanted) ?? [...root.querySelectorAll("*")]
    .map(it => it.shadowRoot && find(it.shadowRoot, wanted)).find(Boolean);
  const view = find(document, ".scroll")?.getBoundingClientRect();
  const box = find(document, selector)?.getBoundingClientRect();
  return view && box && view.top < box.top && box.bottom < view.bottom;
}"""


def edges(page: Page, selector: str) -> list[float]:
    """Of the middle of each element: its distance from the top of the window."""
    found: list[float] = page.locator(selector).evaluate_all(
        "all => all.map(it => { const b = it.getBoundingClientRect(); return (b.top+b.bottom)/2; })"
    )
    return found


def test_a_long_sentence_has_one_pitch_and_scrolls_to_the_word_in_focus(
    translate: Callable[..., Page],
) -> None:
    page = translate("text=" + quote(LONG))
    page.wait_for_function(IN_VIEW, arg=".outputs .step")
    page.locator(".scroll").evaluate("it => { it.scrollTop = 0; }")
    expect(page.locator(".scroll")).to_have_class("scroll below")
    sources, outputs = edges(page, ".sources .row"), edges(page, ".outputs .row")
    assert sources[0] - outputs[0] == pytest.approx(0, abs=1)
    assert sources[1] - sources[0] == pytest.approx(outputs[1] - outputs[0], abs=0.5)
    page.locator(".scroll").evaluate("it => { it.scrollTop = it.scrollHeight; }")
    expect(page.locator(".scroll")).to_have_class("scroll above")
    last = translate("token=source:50&text=" + quote(LONG))
    last.wait_for_function(IN_VIEW, arg=".sources .chip.pinned")


def test_the_words_behind_the_numbers_stand_in_whole_lines(open_page: Callable[..., Page]) -> None:
    page = open_page(query="links=matrix&text=" + quote(LONG))
    page.locator(".st-key-words_list p").first.wait_for()
    high, line, whole = page.locator(".st-key-words_list").evaluate(
        "it => [it.clientHeight, parseFloat(getComputedStyle(it.querySelector('p')).lineHeight),"
        " it.scrollHeight]"
    )
    assert high % line == pytest.approx(0, abs=1) or high % line == pytest.approx(line, abs=1)
    assert whole > high


@pytest.mark.parametrize("language", LANGUAGES)
def test_large_type_shows_all_words_of_the_first_sentence(
    translate: Callable[..., Page], language: str
) -> None:
    page = translate(f"size=150&language={language}", width=1920, height=1080)
    over = page.locator(".scroll").evaluate("it => it.scrollHeight - it.clientHeight")
    assert over <= 0
    below = page.locator(".st-key-choices_panel").bounding_box()
    assert below is not None
    assert below["y"] + below["height"] <= 1080


def test_the_sentence_above_the_runners_up_keeps_to_one_line(
    translate: Callable[..., Page],
) -> None:
    text = "text=" + quote("我 和 同学 一起 听 和 光同尘")
    heights = set()
    for place in (1, 6):
        page = translate(f"{text}&token=target:{place}")
        box = page.locator("[class*=st-key-words_panel--]").bounding_box()
        heights.add(box and box["height"])
    title = page.locator(".choices-title")
    expect(title).to_contain_text("the model was choosing between")
    assert "He" in (title.get_attribute("title") or "")
    assert len(heights) == 1


def test_a_first_reader_is_told_what_there_is_and_what_to_do(
    translate: Callable[..., Page],
) -> None:
    page = translate()
    expect(page.locator(".hint")).to_contain_text("Click the highlighted word")
    page.locator(".inviting .chip").click()
    expect(page.locator(".inviting")).to_have_count(0)
    expect(page.locator(".hint")).to_contain_text("Click a word")
    page.reload()
    page.locator(".sources .chip").first.wait_for()
    driver.wait_until_idle(page)
    expect(page.locator(".inviting")).to_have_count(0)
    expect(page.locator(".hint")).to_contain_text("Click a word")


def test_a_word_is_hidden_from_all_others_at_the_word(translate: Callable[..., Page]) -> None:
    page = translate()
    before = page.locator(".headline .text").inner_text()
    row = page.locator(".st-key-word_lines .sources .row").nth(1)
    row.hover()
    row.locator(".eye").click()
    expect(page.locator(".headline .text")).not_to_have_text(before)
    expect(row.locator(".eye")).to_have_attribute("aria-pressed", "true")
    page.wait_for_timeout(5000)
    expect(row.locator(".eye")).to_have_attribute("aria-pressed", "true")
    assert "lines" in page.url
    row.locator(".eye").click()
    expect(page.locator(".headline .text")).to_have_text(before)


def test_one_click_leads_from_a_word_to_why(translate: Callable[..., Page]) -> None:
    page = translate()
    page.get_by_role("button", name="Why?").click()
    page.wait_for_url("**/vectors*")
    expect(page.get_by_text("has the logit").first).to_be_visible()


def test_the_candidates_follow_the_temperature(translate: Callable[..., Page]) -> None:
    page = translate()
    shares = "[...document.querySelector('.st-key-candidates .js-plotly-plot')._fullData[0].x]"
    before = driver.read(page, shares)
    slider = page.get_by_role("slider", name="Temperature")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**heat=3*")
    page.wait_for_timeout(2000)
    after = driver.read(page, shares)
    assert max(after) < 0.5 * max(before)
    assert len(after) == len(before)


def test_the_menu_of_models_says_how_others_are_opened(translate: Callable[..., Page]) -> None:
    page = translate()
    page.locator(".st-key-widget_model_en").click()
    page.get_by_role("option", name="GPT-2").click()
    expect(page.get_by_role("dialog")).to_contain_text("fetch gpt2")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-widget_model_en input")).to_have_value("translator")


def test_the_stripes_are_of_the_word_that_is_clicked(translate: Callable[..., Page]) -> None:
    page = translate()
    stripe = '[data-strip="decoder/0/feed_forward"]'
    inside = f"shownViews.get('map').root.querySelector('{stripe}').getAttribute('href')"
    before = driver.read(page, inside)
    assert before.startswith("data:image/png")
    chips(page, "outputs").nth(3).click()
    page.wait_for_url("**token=*")
    page.wait_for_function(f"(before) => ({inside}) !== before", arg=before)


def test_the_hint_is_that_of_the_state(translate: Callable[..., Page]) -> None:
    page = translate()
    expect(page.locator(".hint")).to_contain_text("Click the highlighted word")
    page.locator("[data-block='decoder/0/cross_attention']").first.click()
    expect(page.locator(".hint")).to_contain_text("close")


def test_odd_words_are_shown_as_typed(translate: Callable[..., Page]) -> None:
    typed = ["<b>x</b>", "</s>", "$x$", "&lt;", "<eos>"]
    page = translate(query="text=" + quote(" likes ".join(typed)))
    shown = chips(page, "sources").locator(".word").all_inner_texts()
    joined = "".join(shown)
    for word in typed:
        assert word.replace(" ", "") in joined
    expect(page.locator(".sources .chip.end")).to_have_count(1)
    unknown = page.locator(".sources .word.unknown").first
    expect(unknown).to_have_css("text-decoration-style", "dotted")
    assert "<" in (unknown.locator("..").get_attribute("title") or "")


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_long_and_short_sentences_keep_the_frame(
    translate: Callable[..., Page], size: tuple[int, int]
) -> None:
    width, height = size
    places = set()
    for text in (LONG, "I", "我爱机器学习"):
        page = translate("text=" + quote(text), width=width, height=height)
        for part in ("[class*=st-key-words_panel--]", ".st-key-choices_panel", ".headline"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= height
            places.add((part, *box.values()))
        wide, room = page.locator(".scroll").evaluate("it => [it.scrollWidth, it.clientWidth]")
        assert wide <= room
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(places) == 3  # each part stands where it stood


def test_unknown_words_that_share_a_place_stand_apart(open_page: Callable[..., Page]) -> None:
    page = open_page(query="text=The+blorf+zorbed+the+quux")
    chip = page.locator(".sources .chip", has_text="blorf")
    expect(chip.locator(".part")).to_have_text(["blorf", "zorbed"])
    expect(page.locator(".headline.doubted .cue")).to_contain_text("was not measured: ")
