"""A lecture read alone: an article with live screens, and a sheet of exercises that is marked."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from glassformer.core.lectures.read import load_lecture
from tests.browser import driver

LIVE = '.screen[data-part="{}"][data-screen="live"]'


def test_a_lecture_is_read_with_live_screens_and_answers(open_page: Callable[..., Page]) -> None:
    page = open_page("lectures", "lecture=attention")
    count = sum(not scene.step for scene in load_lecture("attention").scenes)
    expect(page.locator(".part")).to_have_count(count)
    # To the third scene by the keyboard: its screen comes, and can be worked in.
    page.locator('.entry[data-to="wide"]').press("Enter")
    expect(page.locator(LIVE.format("wide"))).to_be_visible(timeout=60_000)
    frame = page.locator('iframe.seen[title^="One word changes"]').content_frame
    expect(frame.locator("body")).to_contain_text("98.2%")
    expect(frame.locator(".stAppHeader")).to_be_hidden()
    frame.locator(".chart-place").locator("visible=true").first.click()
    expect(page.locator('[data-again="wide"]')).to_be_visible()
    # The reader comes by every scene: never are there more than two screens.
    for name in ("value", "heads", "cross"):
        page.locator(f'.entry[data-to="{name}"]').press("Enter")
        assert page.locator(".article iframe").count() <= 2
    expect(page.locator(LIVE.format("cross"))).to_be_visible(timeout=60_000)

    # A question is answered at once, with why; and again after a reload, at the same place.
    question = page.locator('[data-asks="cross"]')
    question.get_by_role("button", name="动物 (animal)").click()
    expect(question.get_by_role("status")).to_contain_text("No: you said “动物 (animal)”.")
    question.get_by_role("button", name="马路 (street)").press("Enter")
    status = question.get_by_role("status")
    expect(status).to_contain_text("✓ Right The run answers: 马路 (street)")
    expect(status).to_contain_text("马路96.6%")
    expect(status.get_by_role("link")).to_have_attribute("href", re.compile("tensors.*trail="))
    here = page.locator(".entry[aria-current]").get_attribute("data-to")
    assert here in ("cross", "heads")
    page.reload()
    expect(page.locator('[data-asks="cross"]').get_by_role("status")).to_contain_text("✓ Right")
    expect(page.locator(f'.entry[data-to="{here}"]')).to_have_attribute("aria-current", "step")
    expect(page.locator(f'.part[data-name="{here}"]')).to_be_in_viewport()
    expect(page.locator(".contents")).not_to_be_in_viewport()


def test_on_a_phone_an_article_is_one_column(browser: Browser, app_url: str) -> None:
    page = driver.open_page(
        browser, f"{app_url}/lectures?lecture=attention&language=zh", width=390, height=844
    )
    page.locator('.entry[data-to="look"]').click()
    expect(page.locator(LIVE.format("look"))).to_be_visible(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = "(each) => each.getBoundingClientRect().width"
    assert page.locator("iframe.seen").first.evaluate(wide) <= 390
    page.close()


def test_a_sheet_is_printed_and_marked(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("lectures", "sheet=17")
    files = {}
    for name in ("Sheets to print", "Their solutions"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        files[name] = tmp_path / f"{name}.html"
        download.value.save_as(files[name])
    # Printed, a sheet is one page of A4; the solutions, typed, are right.
    paper = page.context.new_page()
    paper.goto(files["Sheets to print"].as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b", paper.pdf(prefer_css_page_size=True))) == 1
    paper.goto(files["Their solutions"].as_uri())
    answers = paper.locator(".gap b").all_inner_texts()
    paper.close()
    driver.wait_until_idle(page)
    fields = page.locator('[class*="st-key-widget_gap_17_"] input')
    expect(fields).to_have_count(len(answers))
    for at, answer in enumerate(answers):
        fields.nth(at).fill("99" if at == 0 else answer)
    expect(fields.first).to_have_value("99")
    page.locator(".st-key-widget_sheet_check button").click()
    expect(page.get_by_text(f"{len(answers) - 1} of {len(answers)} are right.")).to_be_visible()
