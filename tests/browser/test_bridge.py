"""Clicks on heat maps and images reach Python, also after a chart has been drawn again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import driver


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with driver.serving(script="tests/browser/bridge_page.py") as url:
        page = driver.open_page(browser, url, height=1200)
        yield page
        page.close()


def click_cell(page: Page, chart: str, column: int, row: int) -> None:
    plot = page.locator(f".st-key-{chart} .nsewdrag")
    box = plot.bounding_box()
    assert box is not None
    x, y = box["width"] * (column + 0.5) / 5, box["height"] * (row + 0.5) / 5
    plot.hover(position={"x": x, "y": y})
    plot.click(position={"x": x, "y": y})


def test_cell_of_a_heat_map(page: Page) -> None:
    click_cell(page, "matrix", 1, 3)
    expect(page.get_by_text("matrix 1 3 16", exact=True)).to_be_visible()


def test_forbidden_cell_under_the_hatching(page: Page) -> None:
    click_cell(page, "matrix", 4, 0)
    expect(page.get_by_text("matrix 4 0 4", exact=True)).to_be_visible()


def test_cell_of_an_image(page: Page) -> None:
    click_cell(page, "picture", 2, 4)
    expect(page.get_by_text("picture 2 4 None", exact=True)).to_be_visible()


def test_same_cell_twice_and_after_new_data(page: Page) -> None:
    page.get_by_label("turn").fill("3")
    page.get_by_label("turn").press("Enter")
    driver.wait_until_idle(page)
    for _ in range(2):
        click_cell(page, "matrix", 0, 0)
        expect(page.get_by_text("matrix 0 0 0", exact=True)).to_be_visible()
        click_cell(page, "picture", 3, 3)
        expect(page.get_by_text("picture 3 3 None", exact=True)).to_be_visible()


def test_labels_are_shown_as_typed(page: Page) -> None:
    labels = page.locator(".st-key-matrix .xtick text").all_text_contents()
    assert labels == ["<s>", "a", "b", "&lt;", "动物"]
