"""The tensors page in a real browser: find, pick, turn, read a number, take a file away."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.app.session.languages import LANGUAGES
from tests.browser import driver

CROSS = "decoder/0/cross_attention/weights"
MASKED = "decoder/0/self_attention/masked"
FIRST = "address=encoder/0/self_attention/weights"
PICTURE = ".st-key-tensor_picture .js-plotly-plot"


def leaf(page: Page, address: str) -> Locator:
    return page.locator(f'.leaf[data-address="{address}"]')


def picked(page: Page) -> list[str | None]:
    """The addresses that are marked in the tree."""
    marked = page.locator(".leaf[aria-selected='true']").all()
    return [each.get_attribute("data-address") for each in marked]


def code(page: Page) -> Locator:
    return page.locator(".st-key-tensors_code")


def hover_cell(page: Page, row: int, column: int) -> None:
    """The mouse over a cell, by the axes of the drawn picture."""
    place = driver.read(
        page,
        """([selector, row, column]) => {
          const chart = document.querySelector(selector);
          const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
          const {xaxis, yaxis} = chart._fullLayout;
          return [box.left + xaxis.l2p(column), box.top + yaxis.l2p(row)];
        }""",
        [PICTURE, row, column],
    )
    page.mouse.move(place[0] + 3, place[1])
    page.mouse.move(*place)


def test_search_pick_and_come_back_by_the_link(open_page: Callable[..., Page]) -> None:
    page = open_page("tensors")
    page.locator(".card", has_text="What the encoder made of it").click()
    expect(code(page)).to_contain_text('trace["memory"]')
    page.go_back()
    card = page.locator(".card", has_text="Who looks at whom")
    card.focus()
    page.keyboard.press("Enter")
    expect(code(page)).to_contain_text("encoder/1/self_attention/weights")
    page.locator(".search").fill("cross layer 1 looks other")
    expect(page.locator(".leaf:visible")).to_have_count(1)
    leaf(page, CROSS).click()
    page.wait_for_url("**address=decoder*")
    expect(code(page)).to_contain_text(f'trace["{CROSS}"][0, 0]')
    again = open_page("tensors", page.url.partition("?")[2])
    expect(leaf(again, CROSS)).to_have_attribute("aria-selected", "true")
    expect(leaf(again, CROSS)).to_be_in_viewport()


def test_the_tree_marks_what_is_picked_wherever_that_was_done(
    open_page: Callable[..., Page],
) -> None:
    page, own = open_page("tensors", FIRST), FIRST.partition("=")[2]
    expect(leaf(page, own)).to_have_attribute("aria-selected", "true")
    page.locator(".search").fill("cross layer 1 looks other")
    leaf(page, CROSS).click()
    driver.wait_until_idle(page)
    assert picked(page) == [CROSS]
    for turn, address in ((page.go_back, own), (page.go_forward, CROSS)):
        turn()
        driver.wait_until_idle(page)
        expect(code(page)).to_contain_text(f'trace["{address}"]')
        assert picked(page) == [address]
    driver.lead(page, "vectors")
    expect(page.locator(".leaf")).to_have_count(0)
    driver.lead(page, "tensors", FIRST)
    expect(code(page)).to_contain_text(f'trace["{own}"]')
    assert picked(page) == [own]


def test_search_finds_nothing_and_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("tensors")
    page.locator(".search").fill("<b>nose")
    expect(page.locator(".nothing")).to_be_visible()
    page.locator(".search").fill("")
    expect(page.locator(".nothing")).to_be_hidden()


def test_the_tree_by_keyboard(open_page: Callable[..., Page]) -> None:
    page = open_page("tensors")
    page.locator(".search").press("ArrowDown")
    first = page.locator('.branch[data-branch="source"]')
    expect(first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(code(page)).to_contain_text('trace["source/ids"]')


def test_hover_says_the_words_and_the_exact_value(led: Callable[..., Page]) -> None:
    page = led("tensors", f"{FIRST}&text=I+like+you")
    page.wait_for_selector(f"{PICTURE} .nsewdrag", state="attached")
    exact = driver.read(page, f"document.querySelector('{PICTURE}')._fullData[0].z[1][2]")
    hover_cell(page, 1, 2)
    label = page.locator(f"{PICTURE} .hovertext")
    expect(label).to_contain_text("2 like")
    expect(label).to_contain_text("3 you")
    said = label.text_content() or ""
    assert float(said.rpartition("value")[2].replace("−", "-")) == pytest.approx(exact, rel=1e-7)


def test_masked_cells_say_so(led: Callable[..., Page]) -> None:
    page = led("tensors", "address=decoder/0/self_attention/masked&text=I+like+you")
    page.wait_for_selector(f"{PICTURE} .nsewdrag", state="attached")
    hover_cell(page, 0, 2)
    expect(page.locator(f"{PICTURE} .hovertext")).to_contain_text("masked")


def test_nothing_jumps_when_axes_and_form_change(led: Callable[..., Page]) -> None:
    page = led("tensors", FIRST)
    places = [
        page.locator("[class*=st-key-tensors_picture--], [class*=st-key-tensors_table--]"),
        code(page),
        page.locator(".search"),
    ]
    before = [place.bounding_box() for place in places]
    page.locator(".st-key-widget_form").get_by_text("table", exact=True).click()
    expect(page.locator('[data-testid="stDataFrame"]')).to_be_visible()
    page.wait_for_url("**form=table*")
    driver.wait_until_idle(page)
    assert [place.bounding_box() for place in places] == before
    page.locator(".st-key-widget_form").get_by_text("picture", exact=True).click()
    driver.wait_until_idle(page)  # nobody presses a key while the page is being drawn
    slider = page.locator(".st-key-widget_tensor_pin_head").get_by_role("slider")
    slider.press("ArrowRight")
    page.wait_for_url("**head=2*")
    expect(code(page)).to_contain_text("[0, 1]")
    driver.wait_until_idle(page)
    assert [place.bounding_box() for place in places] == before


def test_csv_is_made_on_the_click(led: Callable[..., Page], tmp_path: Path) -> None:
    page = led("tensors", f"address={CROSS}&text=I+like+you")
    with page.expect_download() as waiting:
        page.locator(".st-key-download_csv button").first.click()
    assert waiting.value.suggested_filename == "decoder.0.cross_attention.weights.csv"
    path = tmp_path / "weights.csv"
    waiting.value.save_as(path)
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert {row["key_token"] for row in rows} == {"I", "like", "you", "<eos>"}
    first = [float(row["value"]) for row in rows if row["head"] == "0" and row["query"] == "0"]
    assert sum(first) == pytest.approx(1, abs=1e-5)


def test_odd_words_are_drawn_literally(led: Callable[..., Page]) -> None:
    page = led("tensors", f"{FIRST}&text=the+%3Cb%3Ex%3C%2Fb%3E+%3Cs%3E+%24x%24+%26lt%3B")
    labels = page.locator(f"{PICTURE} .y2tick text")
    expect(labels.filter(has_text="<b>x</b>")).to_have_count(1)
    expect(labels.filter(has_text="$x$")).to_have_count(1)
    expect(labels.filter(has_text="&lt;")).to_have_count(1)


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_the_page_is_not_scrolled(led: Callable[..., Page], size: tuple[int, int]) -> None:
    page = led("tensors", FIRST, width=size[0], height=size[1])
    page.wait_for_selector(f"{PICTURE} .nsewdrag", state="attached")
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("main => main.scrollHeight - main.clientHeight") <= 2
    assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0


def test_a_table_says_what_its_masked_cells_hold(led: Callable[..., Page]) -> None:
    page = led("tensors", f"address={MASKED}&text=I+like+you&form=table")
    expect(page.locator('[data-testid="stDataFrame"]')).to_be_visible()
    expect(page.get_by_text("cells, each −1×10⁹")).to_be_visible()


CUT = """() => [...document.querySelectorAll(
  ".leaf .first, .leaf .numbers, .leaf .memory, .branch .name, .branch .address, .branch"
)].filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1
  && getComputedStyle(each).display !== "inline").map((each) => each.textContent)"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("size", "window"), [(125, (1440, 900)), (150, (1920, 1080))])
def test_nothing_is_cut_in_large_type(
    led: Callable[..., Page], language: str, size: int, window: tuple[int, int]
) -> None:
    query = f"address={MASKED}&size={size}&language={language}"
    page = led("tensors", query, width=window[0], height=window[1])
    expect(leaf(page, MASKED)).to_be_visible()
    assert driver.read(page, CUT) == []
    beyond = page.locator(".statistics").evaluate(
        "each => each.scrollWidth - each.parentElement.clientWidth"
    )
    assert beyond <= 1
    page.wait_for_selector(f"{PICTURE} .nsewdrag", state="attached")
    picture = page.locator(PICTURE).bounding_box()
    assert picture is not None
    assert picture["y"] + picture["height"] <= window[1]


@pytest.mark.parametrize(
    "address", ["source/positions", MASKED, "encoder/0/self_attention_norm/std"]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_equation_is_whole(led: Callable[..., Page], address: str, language: str) -> None:
    page = led("tensors", f"address={address}&language={language}")
    title = page.locator(".st-key-tensors_title h4")
    expect(title.locator(".katex").last).to_be_visible()
    over = "each => [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight]"
    wide, high = title.evaluate(over)
    assert wide <= 0
    assert high <= 0
