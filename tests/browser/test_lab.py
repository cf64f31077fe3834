"""The Lab in a browser: choose an example, type, be refused, grow a matrix, go back."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from glassformer.core.lab.code_errata import code_errata
from glassformer.core.lab.errata import errata
from tests.browser.driver import wait_until_idle

OpenPage = Callable[..., Page]
MESSAGE = ".typed .message"


def cell(page: Page, name: str, row: int, column: int) -> None:
    page.get_by_label(f"{name} {row}, {column}", exact=True).click()


def result(page: Page, name: str, title: str, at: int = 0) -> None:
    found = page.locator(f'[class*="st-key-lab_result_"][class*="_{name}"] td').nth(at)
    expect(found).to_have_attribute("title", title)


def test_one_types_and_every_result_follows(open_page: OpenPage) -> None:
    page = open_page("lab", "example=self-attention-3x4")
    result(page, "Q", "4")
    below = page.locator(".st-key-lab_results").bounding_box()
    cell(page, "X", 1, 1)
    page.keyboard.type("31")
    result(page, "Q", "34")  # 31 + 3: columns 1 and 3 of X, while one types
    expect(page.locator(MESSAGE)).to_contain_text("Changed inputs")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("x")
    expect(page.locator(MESSAGE)).to_contain_text("“x”, which is not a number")
    result(page, "Q", "34")  # the last good result stays
    after = page.locator(".st-key-lab_results").bounding_box()
    assert below is not None
    assert after is not None
    assert (below["y"], below["height"]) == (after["y"], after["height"])
    page.get_by_role("button", name="reset").click()
    result(page, "Q", "4")
    expect(page.get_by_label("X 2, 1", exact=True)).to_have_value("5")


def test_what_must_fit_grows_together(open_page: OpenPage) -> None:
    page = open_page("lab", "example=self-attention-3x4")
    page.get_by_role("button", name="One column more: X").click()
    expect(page.get_by_label("W_Q 5, 2", exact=True)).to_have_value("0")
    cell(page, "X", 1, 5)
    page.keyboard.type("7")
    cell(page, "W_Q", 5, 1)
    page.keyboard.type("10")
    result(page, "Q", "74")  # 1 + 3 + 70


def test_a_whole_matrix_is_pasted(open_page: OpenPage) -> None:
    page = open_page("lab", "example=softmax-4x4")
    page.get_by_label("S 1, 1", exact=True).evaluate(
        """(input) => {
          const data = new DataTransfer();
          data.setData("text", "[[0, 0], [0, 0]]".replace("], [", "; "));
          input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        }"""
    )
    result(page, "weights", "0.5")
    expect(page.get_by_label("S 3, 1", exact=True)).to_have_count(0)


def test_what_is_typed_is_still_there_on_return(open_page: OpenPage) -> None:
    page = open_page("lab", "example=softmax-alternatives")
    cell(page, "S", 1, 1)
    page.keyboard.type("1")
    result(page, "softmax", "0.5")
    page.get_by_role("button", name="Causal mask").click()
    expect(page.get_by_label("S 3, 3", exact=True)).to_have_value("1")
    page.get_by_role("button", name="Instead of softmax").click()
    expect(page.get_by_label("S 3, 3", exact=True)).to_have_count(0)  # the other bench is gone
    expect(page.get_by_label("S 1, 1", exact=True)).to_have_value("1")
    result(page, "softmax", "0.5")


def test_the_errata_at_a_glance(open_page: OpenPage) -> None:
    page = open_page("lab", "lab=examples")
    page.get_by_role("button", name="All errata").click()
    rows = len(errata()) + len(code_errata()) + 2 + 2  # two headings, a head for each table
    expect(page.locator(".lab-errata tr")).to_have_count(rows)
    wait_until_idle(page)
    across = "node => node.scrollWidth - node.clientWidth"
    assert page.locator("[class*=st-key-lab_example--]").evaluate(across) <= 0  # nothing is cut off
    page.wait_for_url("**example=errata*")
