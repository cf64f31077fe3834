"""*Why here?* and *Which word?* in a real browser: opened, another place, a link followed."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

WRITERS = "[class*=st-key-attention_writers]"
LINK = "kind=encoder&layer=2&head=1&query=8&key=2"


def test_why_a_head_looks_there_and_where_a_part_was_written(led: Callable[..., Page]) -> None:
    page = led("attention", LINK)
    expect(page.locator(WRITERS)).to_have_count(0)  # nothing of it before it is looked at
    page.get_by_role("radio", name="Why here?").or_(
        page.get_by_role("button", name="Why here?")
    ).first.click()
    table = page.locator(WRITERS)
    expect(table).to_contain_text("all together")
    expect(page.get_by_text("chiefly because")).to_contain_text("animal")
    expect(page).to_have_url(re.compile("terms=writers"))
    table.get_by_role("button", name="head 1·2").first.click()
    expect(page).to_have_url(re.compile(r"/tensors\?.*self_attention(%2F|/)context"))
    expect(page.get_by_text("encoder/0/self_attention/context").first).to_be_visible()


def test_which_word_follows_the_step(led: Callable[..., Page]) -> None:
    page = led("decoding", "decoding=from_words&moment=3")
    shares = page.locator(".which-word")
    expect(shares.locator("b", has_text="cross")).to_contain_text("+")
    expect(page.get_by_text("is written chiefly because of")).to_contain_text("穿过")
    expect(page.locator("[class*=st-key-which_word_bars]")).to_contain_text("integrated gradients")
    page.get_by_role("button", name="What each method says").click()
    expect(page.get_by_text("Sundararajan")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("[class*=st-key-which_word_steps] button", has_text="马路").last.click()
    expect(page.get_by_text("is written chiefly because of")).to_contain_text("马路")
    expect(shares.locator("b", has_text="street")).to_contain_text("+")
