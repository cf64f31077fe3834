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


def test_further_sentences_stand_in_grey_behind_the_one_shown(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(query="text=" + quote("I love you. Do you love me?"))
    expect(page.locator(".why")).to_contain_text("2 sentences, translated one by one")
    expect(page.locator(".text .further")).not_to_be_empty()
    expect(page.locator(".sources .chip")).to_have_count(5)
