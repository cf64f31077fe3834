"""Sentences as people type them: what the Translate page marks and says about them."""

from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect


def test_marks_tell_unknown_unsure_and_say_so_in_the_legend(open_page: Callable[..., Page]) -> None:
    page = open_page(query="text=" + quote("Zorblax bought the of under flurb"))
    expect(page.locator(".badge")).to_have_text("Not sure")
    expect(page.locator(".why")).to_contain_text("copied as typed: “Zorblax”, “flurb”")
    expect(page.locator(".sources .word.unknown").first).to_have_css(
        "text-decoration-style", "dotted"
    )
    expect(page.locator(".marks .unknown")).to_have_text("not in the vocabulary")
    wavy = page.locator(".outputs .word.unsure:not(.unknown)")
    for place in range(wavy.count()):
        expect(wavy.nth(place)).to_have_css("text-decoration-style", "wavy")
    said = page.locator(".marks .unsure").text_content()
    assert bool(said) == bool(wavy.count())


def test_another_sentence_of_the_text_is_picked_for_all_pages(
    open_page: Callable[..., Page],
) -> None:
    text = "I love you. Do you love me?"
    page = open_page(query="text=" + quote(text))
    expect(page.locator(".why")).to_contain_text("2 sentences, translated one by one")
    expect(page.locator(".text .other")).to_have_count(1)
    expect(page.locator(".sources .chip")).to_have_count(5)
    second = page.locator(".text .other").text_content() or ""
    page.locator(".text .other").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".text .first")).to_have_text(second)
    expect(page.locator(".sources .chip")).to_have_count(6)
    expect(page.locator(".why")).to_contain_text("number 2")
    page.wait_for_url("**sentence=2*")
    page.get_by_role("link", name="Attention", exact=True).click()
    expect(page.locator(".st-key-widget_attention_kind")).to_be_visible()
    expect(page.locator(".st-key-widget_sentence input")).to_have_value(text)
    page.get_by_role("link", name="Translate", exact=True).click()
    page.locator(".text .other").first.click()
    expect(page.locator(".sources .chip")).to_have_count(5)
