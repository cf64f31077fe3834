"""A lecture of fifteen minutes, by mouse and keys: what it shows, and how few moves it takes."""

from dataclasses import dataclass

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import driver
from tests.browser.test_decoding_steps import click_candidate, expect_step, written

MOVES = 13  # clicks and keys; at first they were 25, and a sentence to type


@dataclass
class Lecturer:
    """Counts the clicks; nothing is typed."""

    page: Page
    moves: int = 0

    def click(self, thing: Locator) -> None:
        thing.click()
        self.moves += 1
        driver.wait_until_idle(self.page)

    def turn_to(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True))


def walk_by_itself(lecturer: Lecturer) -> None:
    """The Walkthrough, played to the first residual."""
    page = lecturer.page
    lecturer.turn_to("Walkthrough")
    page.clock.install()
    lecturer.click(page.get_by_role("button", name="Play: a step every four seconds"))
    titles = [""]
    while "Residual" not in titles[-1]:
        titles.append(page.locator(".scene .title").inner_text())
        assert len(titles) < 60, titles
        page.clock.run_for(1000)  # of a second some passes by itself meanwhile
    page.clock.resume()


def test_the_lecture_takes_half_the_clicks(browser: Browser, app_url: str) -> None:
    page = driver.open_page(browser, app_url)  # its clock is its own
    lecturer = Lecturer(page)
    body = page.locator("body")

    # What a word was translated from.
    page.locator(".sources .chip", has_text="animal").hover()
    expect(page.locator(".word.linked, .word.lit, .chip").first).to_be_visible()
    # The same with another last word: what "it" stands for changes, and the noun with it.
    lecturer.click(page.locator(".st-key-widget_second_open button").first)
    second = page.locator(".st-key-widget_second input")
    expect(second).to_have_value("The animal didn't cross the street because it was too wide")
    expect(body).to_contain_text("因为马路太宽")
    lecturer.click(page.locator(".st-key-widget_second_close button").first)
    expect(second).to_have_count(0)

    walk_by_itself(lecturer)

    lecturer.turn_to("Attention")
    lecturer.click(page.locator(".st-key-widget_attention_kind").get_by_text("Cross", exact=True))
    lecturer.click(page.get_by_role("button", name="Layer 2 · mean of its heads"))
    expect(page.locator(".st-key-attention_title")).to_contain_text("Layer 2")

    lecturer.turn_to("Decoding")
    lecturer.click(page.get_by_role("button", name="Play"))
    page.get_by_text("Step 11 of 11", exact=True).wait_for(timeout=60_000)  # it plays for a while
    expect_step(page, 11, 11)
    before = written(page)
    click_candidate(page, 1)  # another word than the model's
    lecturer.moves += 1
    expect(page.locator(".steps .writes").nth(10)).not_to_have_text(before[10])

    lecturer.turn_to("Switch")
    lecturer.click(page.locator(".card").first)
    expect(page.locator(".sentence + .side").first).to_be_visible()

    lecturer.turn_to("Training")
    expect(body).to_contain_text("After 19,000 steps it will write")
    assert lecturer.moves == MOVES
