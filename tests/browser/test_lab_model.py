"""A model built with mouse and keys, used on another page; its eight heads in two lines."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import wait_until_idle

OpenPage = Callable[..., Page]
EIGHT = "untrained:d_model,16,d_ff,32,encoder_layers,2,decoder_layers,1"
OPENED = "encoder_layers,'2,decoder_layers,'1,d_model,'16,d_ff,'32"


def test_a_model_is_built_and_used_on_another_page(open_page: OpenPage) -> None:
    page = open_page("lab", f"lab=model&inputs=model:{OPENED}")
    rows = page.locator(".lab-reach").first.locator("tr")
    last = rows.last.locator("td").last
    before = last.inner_text()
    page.get_by_role("button", name="post-norm").click()
    expect(last).not_to_have_text(before)
    heads = page.locator('.field[data-name="n_heads"] input')
    heads.fill("5")
    expect(page.locator(".typed .message").first).to_contain_text("it must be 10 × n")
    heads.press("ArrowUp")  # six heads are too many as well
    expect(page.locator(".typed .message").first).to_contain_text("6 × n")
    heads.fill("4")
    expect(page.locator(".typed .message").first).to_have_text("")
    page.get_by_role("button", name="Use this model").click()
    expect(page.get_by_role("button", name="In use")).to_be_disabled()
    expect(page.get_by_text("This model is untrained")).to_be_visible()
    page.get_by_role("link", name="Attention").click()
    wait_until_idle(page)
    expect(page).to_have_url(re.compile("model=untrained"))
    expect(page.locator(".heads .head")).to_have_count(2 * 5)
    page.get_by_role("button", name="Use the trained model").click()
    expect(page.get_by_text("This model is untrained")).to_have_count(0)


def test_modules_unfold_by_keys_and_the_link_opens_the_view(open_page: OpenPage) -> None:
    page = open_page("lab", f"lab=model&inputs=model:{OPENED};model_view:view,modules")
    summary = page.locator(".lab-tree summary", has_text="decoder").first
    inside = page.locator(".lab-tree details > details", has_text="decoder").first
    expect(inside).not_to_have_attribute("open", "")
    summary.focus()
    page.keyboard.press("Enter")
    expect(inside).to_have_attribute("open", "")
    page.get_by_role("radio", name="Parameters").or_(
        page.get_by_role("button", name="Parameters")
    ).first.click()
    expect(page.locator(".lab-counts")).to_contain_text("N · (4 · D² + 4 · D)")
    expect(page).to_have_url(re.compile("model_view%3Aview%2Ccounts"))


def test_eight_heads_stand_in_two_lines_and_go_by_keys(open_page: OpenPage) -> None:
    page = open_page("attention", f"model={EIGHT}&text=I+like+you&layer=1&head=5")
    heads = page.locator(".heads .head")
    expect(heads).to_have_count(2 * 9)
    boxes = [each.bounding_box() for each in heads.all()[:9]]
    tops = {round(box["y"]) for box in boxes if box is not None}
    assert len(tops) == 2
    assert all(box is not None and box["width"] >= 40 for box in boxes)
    expect(heads.nth(5)).to_have_text("6")
    heads.nth(4).focus()
    page.keyboard.press("ArrowLeft")
    expect(heads.nth(3)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowDown")  # the one below the fourth: the mean of the layer
    expect(heads.nth(8)).to_have_attribute("aria-pressed", "true")
