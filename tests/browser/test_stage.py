"""The stage: a panel fills it, step by step, readable from the last row."""

from playwright.sync_api import Browser, Page, expect

from glassformer.core.lectures.read import read_lecture
from tests.browser.last_row import seen_from_the_last_row
from tests.browser.test_presenting import (
    SMALL,
    WATCH,
    at_scene,
    lecture_of,
    open_stage,
    open_window,
)

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


def test_a_question_goes_on_and_a_sentence_of_the_hall_is_picked(
    browser: Browser, app_url: str
) -> None:
    page, room = open_stage(browser, app_url, lecture_of(SMALL))
    here = f"{app_url}/hall/{room.code}"
    phone, notes = (
        open_window(browser, here + end, 390, 844) for end in ("", f"/notes#{room.key}")
    )
    page.keyboard.press("PageDown")
    at_scene(page, 1)
    page.keyboard.press("v")
    expect(page.locator("#question .sentence")).to_contain_text("The animal didn't cross")
    screen, beside = (page.locator(each).bounding_box() for each in ("iframe.seen", "#question"))
    assert screen is not None and beside is not None
    assert screen["width"] > 800 and screen["x"] + screen["width"] <= beside["x"] + 1
    phone.get_by_role("button", name="street", exact=True).click()
    expect(page.locator("#question .count b")).to_have_text("1")
    page.keyboard.press("PageDown")
    at_scene(page, 2)
    expect(page.locator("#question")).to_be_hidden()
    expect(phone.locator("#title")).to_have_text("Every sub-layer adds something")
    phone.get_by_role("button", name="animal", exact=True).click()  # it is open still
    page.keyboard.press("v")
    expect(page.locator("#question .from")).to_have_text("Which word does “it” look at?")
    page.keyboard.press("v")
    expect(page.locator("#question .truth")).to_contain_text("1 · 100 %")
    expect(phone.locator("#question .truth .own")).to_be_visible()
    page.keyboard.press("Home")
    at_scene(page, 0)
    pick_a_sentence(page, phone, notes)
    for each in (page, phone, notes):
        each.close()


def pick_a_sentence(page: Page, phone: Page, notes: Page) -> None:
    """What a phone proposes is in front once it is picked, whole, and S brings the scene back."""
    phone.locator("#sends summary").first.click()
    phone.fill("#sends input", "The cat did not sleep.")
    phone.keyboard.press("Enter")
    expect(page.locator("#waiting")).to_have_text("From the hall: 1 (N)")
    shown = page.locator("iframe.seen").content_frame.locator("body")
    expect(shown).to_contain_text("animal")
    page.evaluate(WATCH)
    notes.get_by_role("button", name="Show in front").click()
    expect(page.locator("#mode")).to_contain_text("A sentence from the hall")
    page.wait_for_function("() => pool.isThere && played?.seen")
    expect(shown).to_contain_text("sleep")
    page.keyboard.press("s")
    expect(page.locator("#mode")).to_be_empty()
    at_scene(page, 0)
    expect(shown).to_contain_text("animal")
    page.evaluate("cancelAnimationFrame(watching)")
    assert page.evaluate("halfDrawn") == []
