"""The Vectors page in a real browser: choose a word, follow it down the depth, ask a unit."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import driver

QUESTIONS = ("stream", "lens", "neurons")
MAIN = {"stream": ".grid", "lens": ".lens", "neurons": ".neurons"}


def main(page: Page, question: str) -> Locator:
    return page.locator(f"[class*=st-key-vectors_main--] {MAIN[question]}")


def cell(page: Page, row: int, column: int) -> Locator:
    return page.locator(f'.st-key-stream_grid .cell[data-row="{row}"][data-column="{column}"]')


def word(page: Page) -> Locator:
    return page.locator(".vectors-word b")


def test_a_word_is_followed_through_the_three_questions(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=stream&text=I+like+you&stack=decoder")
    cell(page, 1, 3).click()
    page.wait_for_url("**token=target%3A2*")
    chosen = page.locator('.st-key-stream_grid .word[data-row="1"]').text_content() or ""
    expect(word(page)).to_have_text(chosen)
    expect(page.get_by_text("decoder/0/feed_forward_norm/output")).to_be_visible()
    page.get_by_text("Logit lens", exact=True).click()
    expect(word(page)).to_have_text(chosen)
    state = page.locator('.st-key-lens_depth .row[aria-pressed="true"]')
    expect(state).to_have_attribute("data-row", "3")  # the same place along depth
    page.get_by_text("Neurons", exact=True).click()
    expect(word(page)).to_have_text(chosen)
    page.locator(".st-key-neurons_best .row").nth(2).click()
    page.wait_for_url("**feature=*")
    expect(page.locator(".st-key-neurons_best .row").nth(2)).to_have_attribute(
        "aria-pressed", "true"
    )


def test_the_arrow_keys_move_and_escape_releases(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=stream&text=I+like+you")
    cell(page, 0, 0).click()
    page.wait_for_url("**token=source%3A1*")
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**token=source%3A2*")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("encoder/0/self_attention_norm/output")).to_be_visible()
    driver.press_escape(page)
    expect(page.get_by_text("as an example")).to_be_visible()


def test_a_number_unfolds(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=stream&text=I+like+you")
    page.locator(".st-key-stream_added .row").first.click()
    drawer = page.locator(".st-key-trail")
    expect(drawer).to_be_visible()
    page.wait_for_url("**trail=*residual*summed*")


def test_a_cell_of_the_map_chooses_word_and_unit(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=neurons&text=I+like+you")
    canvas = page.locator(".st-key-neuron_map canvas")
    box = canvas.bounding_box()
    assert box is not None
    canvas.hover(position={"x": 4, "y": 4})
    expect(page.locator(".st-key-neuron_map .said")).to_contain_text("unit ")
    canvas.click(position={"x": box["width"] / 3, "y": box["height"] - 6})
    page.wait_for_url("**token=source%3A4*")
    page.wait_for_url("**feature=*")
    expect(word(page)).to_have_text("<eos>")


@pytest.mark.parametrize("question", QUESTIONS)
def test_all_of_it_is_in_the_window(led: Callable[..., Page], question: str) -> None:
    page = led("vectors", f"vectors={question}&stack=decoder")
    box = main(page, question).bounding_box()
    assert box is not None
    assert box["width"] * box["height"] > 0.5 * 1392 * (900 - box["y"]) * 0.8
    assert page.evaluate("document.querySelector('.stMain').scrollHeight") <= 901


def test_nothing_jumps_from_word_to_word(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=stream")
    places = [
        page.locator(name) for name in ("[class*=st-key-vectors_main--]", ".st-key-stream_added")
    ]
    before = [place.bounding_box() for place in places]
    cell(page, 2, 1).click()
    page.wait_for_url("**token=source%3A3*")
    driver.wait_until_idle(page)
    assert [place.bounding_box() for place in places] == before


def test_words_that_look_like_markup_stay_words(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=stream&text=%3Cb%3Ex%3C%2Fb%3E+like+%26lt%3B")
    words = page.locator(".st-key-stream_grid .word").all_text_contents()
    typed = page.get_by_label("Sentence").input_value().split()
    assert "".join(words[:-1]) == "".join(typed)


def test_the_page_in_chinese(led: Callable[..., Page]) -> None:
    page = led("vectors", "vectors=lens&language=zh&theme=dark")
    expect(page.get_by_text("只有最后一个状态受过这种读法的训练")).to_be_visible()
