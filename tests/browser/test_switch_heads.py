"""Heads and concepts of the switch page by mouse: off, alone, which one matters, two concepts."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser import driver

PLAIN = "text=I+like+you"
EDITS = re.compile(r"[?&]edits=([^&]*)")


@pytest.fixture(scope="module")
def shown(context: BrowserContext, app_url: str) -> Iterator[Page]:
    page = driver.open_page(context, f"{app_url}/switch?switches=heads&{PLAIN}")
    yield page
    page.close()


@pytest.fixture
def page(shown: Page) -> Page:
    return shown


def head(page: Page, kind: str, layer: int, number: int) -> Locator:
    place = f'[data-kind="{kind}"][data-layer="{layer - 1}"][data-head="{number - 1}"]'
    return page.locator(f".switches {place}.head")


def says(page: Page, part: str) -> None:
    """Wait until the link carries a switch."""
    page.wait_for_url(re.compile(rf"[?&]edits=[^&]*{re.escape(part)}"))
    driver.wait_until_idle(page)


def row(page: Page, name: str) -> Locator:
    return page.locator(f'.rows [data-row="{name}"]')


def test_a_click_turns_a_head_off_and_on(page: Page) -> None:
    expect(page.locator(".switches .head")).to_have_count(24)
    expect(page.locator(".keys-only").first).to_be_visible()
    expect(page.locator(".fingers-only")).to_be_hidden()
    head(page, "cross", 2, 3).click()
    expect(head(page, "cross", 2, 3)).to_have_class(re.compile(r"\boff\b"))
    says(page, "heads_off")
    expect(head(page, "cross", 2, 3)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[class*=st-key-head_focus--]")).to_contain_text(
        "Cross · Layer 2 · Head 3 · off"
    )
    head(page, "cross", 2, 3).click()
    page.wait_for_url(re.compile(r"^(?!.*edits=)"))
    expect(head(page, "cross", 2, 3)).to_have_attribute("aria-pressed", "false")


def test_a_double_click_leaves_it_alone_in_one_step(page: Page) -> None:
    head(page, "encoder", 1, 2).dblclick()
    says(page, "heads_alone")
    for number in (1, 3, 4):
        expect(head(page, "encoder", 1, number)).to_have_attribute("aria-pressed", "true")
    expect(head(page, "encoder", 1, 2)).to_have_class(re.compile("alone"))
    head(page, "encoder", 1, 2).dblclick()
    page.wait_for_url(re.compile(r"^(?!.*edits=)"))


def test_shift_and_arrow_keys_only_look(page: Page) -> None:
    head(page, "decoder", 1, 1).click(modifiers=["Shift"])
    expect(page.locator("[class*=st-key-head_focus--]")).to_contain_text(
        "Decoder · Layer 1 · Head 1"
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("[class*=st-key-head_focus--]")).to_contain_text(
        "Decoder · Layer 1 · Head 2"
    )
    page.keyboard.press("ArrowDown")
    expect(page.locator("[class*=st-key-head_focus--]")).to_contain_text(
        "Decoder · Layer 2 · Head 2"
    )
    assert not EDITS.search(page.url)


def test_a_layer_off_and_on(page: Page) -> None:
    button = page.get_by_role("button", name="Encoder · Layer 2: layer off")
    button.click()
    says(page, "encoder")
    expect(page.locator(".switches .head.off")).to_have_count(4)
    button.click()
    page.wait_for_url(re.compile(r"^(?!.*edits=)"))


def test_the_head_in_focus_is_turned_to_a_word(page: Page) -> None:
    head(page, "cross", 2, 1).click(modifiers=["Shift"])
    expect(page.locator("[class*=st-key-head_focus--]")).to_contain_text("Cross · Layer 2 · Head 1")
    driver.wait_until_idle(page)
    page.locator(".st-key-widget_head_look").get_by_role("combobox").click()
    page.get_by_role("option", name="at one word").click()
    says(page, "heads_redirected")
    page.locator(".st-key-widget_head_key").get_by_role("combobox").click()
    page.get_by_role("option", name="2 like").click()
    says(page, "1")
    expect(head(page, "cross", 2, 1)).to_have_class(re.compile("steered"))
    page.locator(".st-key-widget_head_look").get_by_role("combobox").click()
    page.get_by_role("option", name="as it does").click()
    page.wait_for_url(re.compile(r"^(?!.*edits=)"))
    driver.wait_until_idle(page)


def test_which_head_matters_and_a_bar_is_a_switch(page: Page) -> None:
    page.locator(".st-key-widget_switch_heads_order").get_by_text("Which head matters?").click()
    lines = page.locator(".switches .line.head")
    expect(lines).to_have_count(24)
    driver.wait_until_idle(page)
    widths = lines.locator(".meter i").evaluate_all("all => all.map((one) => one.offsetWidth)")
    assert widths == sorted(widths, reverse=True) and widths[0] > widths[-1]
    expect(lines.first.locator(".word")).to_contain_text("→")
    place = lines.first.evaluate("one => [one.dataset.layer, one.dataset.head].join()")
    lines.first.locator(".meter").click()
    says(page, "heads_off")
    expect(lines.first).to_have_class(re.compile(r"\boff\b"))
    assert lines.first.evaluate("one => [one.dataset.layer, one.dataset.head].join()") == place
    box = page.locator("[class*=st-key-head_focus--]").bounding_box()
    page.locator(".st-key-widget_switch_heads_order").get_by_text("By layer").click()
    expect(page.locator(".switches .kind")).to_have_count(3)
    driver.wait_until_idle(page)
    assert page.locator("[class*=st-key-head_focus--]").bounding_box() == box  # nothing jumps


def test_two_concepts_and_what_cannot_be(page: Page) -> None:
    page.locator(".st-key-widget_switch_groups").get_by_text("Concepts", exact=True).click()
    row(page, "unscaled").locator(".name").click()
    says(page, "unscaled")
    expect(row(page, "unscaled")).to_have_class(re.compile(r"\bon\b"))
    row(page, "no_residual").locator("select").nth(0).select_option("encoder/0")
    says(page, "residual_off")
    expect(row(page, "no_residual").get_by_role("switch")).to_be_checked()
    row(page, "temperature").locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    says(page, "temperature")
    expect(row(page, "temperature").locator(".shown")).to_have_text("1.5")
    row(page, "no_norm").locator("select").nth(0).select_option("encoder/0")
    says(page, "norm_off")
    row(page, "no_norm").locator("select").nth(1).select_option("cross_attention_norm")
    expect(row(page, "no_norm").locator(".problem")).to_contain_text("only the decoder has")
    row(page, "unscaled").locator(".name").click()
    expect(row(page, "unscaled")).not_to_have_class(re.compile(r"\bon\b"))
    page.wait_for_url(re.compile(r"^(?!.*unscaled)"))
    page.wait_for_url("**residual_off*")


def test_the_attention_page_has_the_switch_too(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", f"{PLAIN}&kind=cross&layer=2&head=3")
    page.get_by_role("button", name="turn off").click()
    says(page, "heads_off")
    struck = page.locator(".grid .head.off")
    expect(struck).to_have_count(1)
    expect(struck).to_have_attribute("data-head", "2")
    page.get_by_role("button", name="turn on").click()
    expect(page.locator(".grid .head.off")).to_have_count(0)
