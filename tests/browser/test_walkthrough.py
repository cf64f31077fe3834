"""The Walkthrough in a real browser: from the first step to the chosen word by the arrow keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import texts_of_language
from tests.browser import driver

NOW = '.strip button[aria-current="step"]'
TITLE = ".scene .title"
OTHER = "([canvas, before]) => canvas.toDataURL() !== before"
FIXED = (".st-key-walk_strip", "[class*=st-key-walk_middle--]", ".scene .stage", ".scene .foot")

LAYOUTS = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
MANY = 100  # boxes


def boxes(page: Page) -> list[dict[str, float]]:
    found = [page.locator(each).bounding_box() for each in FIXED]
    assert all(found)
    return [box for box in found if box]


def click_cell(page: Page, key: str, row: float, column: float) -> None:
    """A click on a heat map, at a share of its height and of its width."""
    canvas = page.locator(f'figure[data-key="{key}"] canvas')
    box = canvas.bounding_box()
    assert box
    canvas.click(position={"x": box["width"] * column, "y": box["height"] * row})
    driver.wait_until_idle(page)


@pytest.mark.timeout(900)  # more than fifty runs of the page
def test_arrow_keys_lead_to_the_chosen_word(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    expect(page.locator(TITLE)).to_have_text("Look up the word vectors")
    start = boxes(page)
    steps = page.locator(".strip .dots button").count()
    for at in range(2, steps + 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".scene .counter")).to_have_text(f"Step {at} of {steps}")
        if at % 18 == 0:
            driver.wait_until_idle(page)
            assert boxes(page) == start, page.url
    expect(page.locator(TITLE)).to_have_text("Choose the word")
    expect(page.locator(".scene .readout")).to_contain_text(re.compile(r"ŵ.+=.+\(\d+\)"))
    page.wait_for_url("**walk=output.choice*")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".scene .counter")).to_have_text(f"Step {steps - 1} of {steps}")


def test_a_step_is_drawn_whole_before_anything_is_measured(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    page.wait_for_function("() => glassformerWalk.lacks().length === 0")
    browser = page.context.browser
    assert browser
    for at in range(2, 5):  # of each: text, picture and code, and one layout for them all
        browser.start_tracing(page=page, categories=LAYOUTS)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".scene .counter")).to_contain_text(f"Step {at} ")
        assert large_layouts(browser.stop_tracing()) <= 1, at
        driver.wait_until_idle(page)  # what the server adds is another layout


def large_layouts(trace: bytes) -> int:
    """How often most of a step was laid out while scripts drew it."""
    events = json.loads(trace)["traceEvents"]
    drawn = [each for each in events if each["name"] == "FireAnimationFrame"]
    return sum(
        any(0 <= each["ts"] - frame["ts"] < frame.get("dur", 0) for frame in drawn)
        for each in events
        if each["name"] == "Layout" and each["args"]["beginData"]["dirtyObjects"] > MANY
    )


def test_nothing_lies_below_the_fold(open_page: Callable[..., Page]) -> None:
    for window, query in (((1440, 900), ""), ((1920, 1080), "&size=130")):
        page = open_page(
            "walkthrough", f"walk=encoder.0.self_attention.project{query}",
            width=window[0], height=window[1],
        )  # fmt: skip
        main = page.locator('[data-testid="stMain"]')
        expect(page.locator(".scene .foot")).to_be_in_viewport(ratio=1)
        assert main.evaluate("e => e.scrollHeight - e.clientHeight") <= 1


def test_one_selection_goes_through_all_steps(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.0.self_attention.softmax")
    click_cell(page, "encoder/0/self_attention/weights", 0.6, 0.5)
    expect(page.locator(".scene .readout")).to_contain_text("street")
    readout = page.locator(".scene .readout .what")
    chosen = readout.inner_text()
    page.wait_for_url("**query=*")
    page.wait_for_url("**key=*")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(TITLE)).to_have_text("Mask what may not be seen")
    expect(readout).to_have_text(chosen)
    page.get_by_role("button", name="Head 2", exact=True).click()
    expect(page.locator(".scene .readout")).to_contain_text("head 2")
    page.wait_for_url("**head=2*")


def test_the_strip_names_and_jumps_and_changes_layers(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    page.locator('[data-step="decoder.0.cross_attention.scores"]').hover()
    expect(page.locator(".strip .tag.over")).to_have_text("Scores: each query times each key")
    page.locator('[data-step="decoder.0.cross_attention.scores"]').click()
    expect(page.locator(".scene .where")).to_have_text("Decoder, layer 1 of 2 · Cross-attention")
    page.get_by_title("Walk through layer 2").last.click()
    expect(page.locator(".scene .where")).to_have_text("Decoder, layer 2 of 2 · Cross-attention")
    page.wait_for_url("**walk=decoder.1.cross_attention.scores*")
    page.go_back()
    expect(page.locator(".scene .where")).to_have_text("Decoder, layer 1 of 2 · Cross-attention")


def test_an_unknown_step_is_said_in_place(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.9.self_attention.scale")
    expect(page.locator(".scene .note")).to_contain_text("no step “encoder.9.self_attention.scale”")
    expect(page.locator(TITLE)).to_have_text("Divide by √dₖ")
    page.keyboard.press("ArrowRight")
    expect(page.locator(TITLE)).to_have_text("Mask what may not be seen")
    expect(page.locator(".scene .note")).to_have_text("")


def test_the_heads_fly_apart_and_stand_still_where_asked(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough")
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{page.url.split('?')[0]}?walk=encoder.0.self_attention.split")
    driver.wait_until_idle(page)
    pixels = "e => e.toDataURL()"
    canvas = page.locator(".scene .whole canvas")
    still = canvas.evaluate(pixels)
    page.wait_for_timeout(700)
    assert canvas.evaluate(pixels) == still
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("button", name="Show it again").click()
    page.wait_for_function(OTHER, arg=[canvas.element_handle(), still])
    page.wait_for_function(f"(given) => !({OTHER})(given)", arg=[canvas.element_handle(), still])


def test_a_number_is_unfolded_from_here(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.0.self_attention.scores")
    page.get_by_role("button", name="Where does it come from?").click()
    expect(page.locator(".st-key-trail")).to_be_visible()
    assert "trail=encoder/0/self_attention/scores" in page.url.replace("%2F", "/")
    expect(page.locator(".scene .foot")).to_be_in_viewport(ratio=1)


LONG = "I love machine learning and the cat sleeps and " * 7


def ink(page: Page, key: str) -> int:
    """How many pixels of a panel's numbers, in its right half, are not of one colour."""
    return int(
        page.locator(f'figure[data-key="{key}"] canvas').evaluate(
            """(canvas) => {
              const pen = canvas.getContext("2d"), half = Math.round(canvas.width / 2);
              const { data } = pen.getImageData(half, 0, canvas.width - half, canvas.height);
              let drawn = 0;
              for (let at = 3; at < data.length; at += 4) drawn += data[at] > 128;
              return drawn;
            }"""
        )
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_sentence_says_what_its_pictures_leave_out(
    open_page: Callable[..., Page], language: str
) -> None:
    """63 words: ids are written where rows are named, and clipped colours are marked."""
    words = quote(" ".join(LONG.split()[:62]))
    page = open_page("walkthrough", f"text={words}&language={language}")
    known = texts_of_language(language)
    expect(page.locator(".scene .hint")).to_contain_text(known["walkthrough.thinned"])
    assert ink(page, "source/ids") > 500  # the column was empty
    ends = page.locator('figure[data-key="source/embedding"] .legend').inner_text()
    assert "≥" in ends and "≤" in ends
    expect(page.locator(".scene .hint")).to_contain_text(known["walkthrough.clipped"])
