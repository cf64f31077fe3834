"""The stage: a panel fills it, step by step, readable from the last row."""

from playwright.sync_api import Browser, expect

from glassformer.core.lectures.read import read_lecture
from tests.browser.last_row import seen_from_the_last_row
from tests.browser.test_presenting import at_scene, open_stage

STAGED = """
name = "staged"
title.en = "Staged"
[[scene]]
name = "map"
link = "attention?text=I+have+a+cat&layer=1&head=1"
title.en = "A map"
focus = "attention_picture"
[[scene.step]]
set = { head = 2 }
text.en = "Another head."
[[scene.step]]
set = { head = 3 }
focus = ["attention_picture", "attention_bars"]
[[scene]]
name = "nowhere"
link = "attention?text=I+have+a+cat&layer=1&head=4"
title.en = "None"
focus = "no_such_panel"
"""


def test_a_panel_fills_the_stage_step_by_step(browser: Browser, app_url: str) -> None:
    page, _ = open_stage(browser, app_url, read_lecture(STAGED))
    shown = page.locator("iframe.seen").content_frame
    picture, grid = (
        shown.locator(f"[class*=st-key-{name}]") for name in ("attention_pic", "head_g")
    )
    for place, told in enumerate(("1 of 2", "1.1 of 2", "1.2 of 2")):
        at_scene(page, place)
        expect(page.locator("#place")).to_have_text(told)
        expect(picture.first).to_be_visible()
        expect(grid.first).to_be_hidden()
        expect(shown.locator(".stAppHeader")).to_be_hidden()
        box, stage = picture.first.bounding_box(), page.locator("iframe.seen").bounding_box()
        assert box is not None and stage is not None
        assert box["height"] > 0.85 * stage["height"]
        assert box["width"] > (0.4 if place == 2 else 0.85) * stage["width"]
        assert seen_from_the_last_row(page) == []
        page.keyboard.press("PageDown")
    at_scene(page, 3)
    expect(grid.first).to_be_visible()  # a page without it is shown as it is
    expect(page.locator("#mode")).to_have_text("This page has no panel “no_such_panel”")
    page.keyboard.press("PageUp")
    at_scene(page, 2)
    page.keyboard.press("e")  # who explores has the whole page
    expect(grid.first).to_be_visible()
    page.keyboard.press("s")
    expect(grid.first).to_be_hidden()
    assert page.locator("#sentence b").all_inner_texts() == "I have a cat".split()
    assert page.locator("#sentence small").last.inner_text() == "猫"  # as the run has aligned it
    page.close()
