"""A click in the moment in which the page asks for what will be needed next, or hears of more."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import driver

BOTH = """(button, askFirst) => {
  const nonce = String(performance.now());
  const ask = () => shownViews.get("bridge_answers").trigger("ask", { version: "", of: "", nonce });
  const acts = [ask, () => button.click()];
  for (const act of askFirst ? acts : acts.reverse()) act();
}"""


@pytest.mark.parametrize("ask_first", [True, False], ids=["asked", "clicked"])
@pytest.mark.parametrize(
    ("path", "clicked", "seen"),
    [
        ("attention?layer=1", "button:has-text('Where does it come from?')", ".st-key-trail"),
        ("lab?lab=scaling", "button:has-text('All questions')", ".tile[data-bench=scaling]"),
        (
            "tensors?address=encoder/0/self_attention/scores",
            "button:has-text('中文')",
            "h3:has-text('设置')",
        ),
    ],
)
def test_both_are_heard(
    open_page: Callable[..., Page], path: str, clicked: str, seen: str, ask_first: bool
) -> None:
    page = open_page(*path.split("?"))
    expect(page.locator(seen)).to_have_count(0)
    page.locator(clicked).first.evaluate(BOTH, ask_first)
    expect(page.locator(seen).first).to_be_visible()


FarAway = tuple[Page, driver.Line]


@pytest.fixture
def far_away(browser: Browser, app_url: str) -> Iterator[FarAway]:
    """A page whose answers can be held up."""
    home = browser.new_context(locale="en-GB")
    line = driver.Line(home)
    yield driver.open_page(home, f"{app_url}/attention?text=I+love+you"), line
    home.close()


def choose_example(page: Page) -> None:
    page.locator(".st-key-widget_example button").click()
    page.get_by_text("The animal").first.click()


def expect_example(page: Page) -> None:
    """The sentence stands in its field, in the link, which goes without the first one, and in the
    picture, and does five seconds later."""
    for pause in (0, 5_000):
        page.wait_for_timeout(pause)
        field = page.locator(".st-key-widget_sentence input")
        expect(field).to_have_value(re.compile("^The animal"))
        expect(page).not_to_have_url(re.compile("text="))
        expect(page.locator(".stMain")).to_contain_text("动物")


@pytest.mark.parametrize("act", ["another kind", "a dialog", "an ask"])
def test_a_click_that_crosses_an_answer_undoes_nothing(far_away: FarAway, act: str) -> None:
    page, line = far_away
    line.hold()
    choose_example(page)
    line.wait_for_runs(page, 1)
    if act == "another kind":
        page.locator(".st-key-widget_attention_kind button").nth(1).click()
    elif act == "a dialog":
        page.locator(".st-key-widget_open_file button").first.click()
    else:
        page.evaluate(
            """() => shownViews.get("bridge_answers")
                 .trigger("ask", { version: "", of: "", nonce: "1" })"""
        )
    line.wait_for_runs(page, 2)
    line.let_go()
    expect_example(page)
    if act == "another kind":
        expect(page).to_have_url(re.compile("kind=decoder"))
    elif act == "a dialog":
        expect(page.get_by_role("dialog")).to_be_visible()


def test_back_and_forward_before_an_answer_end_where_they_began(far_away: FarAway) -> None:
    page, line = far_away
    choose_example(page)
    expect_example(page)
    addresses = page.evaluate("history.length")
    line.hold()
    page.go_back()
    line.wait_for_runs(page, 1)
    page.go_forward()
    line.wait_for_runs(page, 2)
    line.let_go()
    expect_example(page)
    assert page.evaluate("history.length") == addresses
