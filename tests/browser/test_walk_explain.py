"""The column beside a step in a real browser: symbols and variables lead to their steps."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser import driver

CODE = "[class*=st-key-walk_code_place--]"


def overlaps(upper: Locator, lower: Locator) -> bool:
    above, below = upper.bounding_box(), lower.bounding_box()
    assert above is not None
    assert below is not None
    return above["y"] + above["height"] > below["y"] + 1


def test_symbols_and_variables_lead_to_their_steps(open_page: Callable[..., Page]) -> None:
    page = open_page("walkthrough", "walk=encoder.0.self_attention.softmax")
    code = page.locator(CODE)
    marked = code.locator(".line.marked")
    expect(marked).to_contain_text("masked.softmax(dim=-1)")
    expect(marked).to_be_in_viewport()
    expect(marked.locator(".shapes")).to_contain_text("H 4")
    caption = page.locator(".walk-formula .cell")
    numbers = page.locator(".walk-formula .numbers")
    expect(numbers.locator(".katex")).to_be_visible()
    assert not overlaps(caption, numbers)
    marked.locator("button", has_text="masked").first.click()
    expect(code.locator(".line.marked").first).to_contain_text("mask.expand_as")
    page.wait_for_url("**walk=encoder.0.self_attention.mask*")
    driver.wait_until_idle(page)
    code.get_by_role("tab", name="apply_mask").click()
    expect(code.locator(".place")).to_contain_text("core/model/masks.py")
    code.locator(".symbols button", has_text="S′").click()
    expect(code.locator(".line.marked").first).to_contain_text("math.sqrt(")
    page.get_by_role("button", name="Where does it come from?").click()
    expect(page.locator("[class*=st-key-trail_number--]")).to_contain_text("✓")


def test_code_lies_at_the_same_place_when_its_font_comes_late(
    browser: Browser, app_url: str
) -> None:
    home = browser.new_context()
    late: list[str] = []

    def wait(route: Route) -> None:
        late.append(route.request.url)
        time.sleep(1)
        route.continue_()

    home.route("**/SourceCode*", wait)
    page = driver.open_page(home, f"{app_url}/walkthrough", width=1280, height=720)
    source = page.locator(f"{CODE} .source")
    expect(source.locator(".line.marked")).to_be_in_viewport()
    first = source.evaluate("(each) => each.scrollTop")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    driver.wait_until_idle(page)
    assert late
    assert first == source.evaluate("(each) => each.scrollTop") > 0
    home.close()
