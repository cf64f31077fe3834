"""Charts are updated in place; clicks on them reach Python, also after they have new data."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import driver


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Iterator[Page]:
    with driver.serving(script="tests/browser/chart_serve.py") as url:
        page = driver.open_page(context, url, height=1200)
        yield page
        page.close()


def turn_to(page: Page, turn: str) -> None:
    page.get_by_label("turn").fill(turn)
    page.get_by_label("turn").press("Enter")
    driver.wait_until_idle(page)


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


def test_a_click_right_after_a_move_is_heard(page: Page) -> None:
    """Released when plotly.js, which looks once in 50 ms, has looked while the button was down."""
    for row in (1, 2):
        page.evaluate(CLICK_SOON, [".st-key-matrix .nsewdrag", 2.5 / 5, (row + 0.5) / 5])
        expect(page.get_by_text(f"matrix 2 {row} {2 + 5 * row}", exact=True)).to_be_visible()


def test_plotly_begins_with_our_kinds_of_traces_alone(page: Page) -> None:
    kinds = page.evaluate("Object.keys(Plotly.PlotSchema.get().traces).sort()")
    assert kinds == ["bar", "heatmap", "scatter"]
    text = page.evaluate(
        "fetch(document.querySelector('script[src*=plotly]').src).then((it) => it.text())"
    )
    assert "root.moduleName" not in text  # nothing of the wrapper for other loaders


def test_forbidden_cell_under_the_hatching(page: Page) -> None:
    click_cell(page, "matrix", 4, 0)
    expect(page.get_by_text("matrix 4 0 4", exact=True)).to_be_visible()


def test_cell_of_a_plain_map(page: Page) -> None:
    click_cell(page, "picture", 2, 4)
    expect(page.get_by_text("picture 2 4 None", exact=True)).to_be_visible()


def test_same_cell_twice_and_after_new_data(page: Page) -> None:
    turn_to(page, "3")
    for _ in range(2):
        click_cell(page, "matrix", 0, 0)
        expect(page.get_by_text("matrix 0 0 0", exact=True)).to_be_visible()
        click_cell(page, "picture", 3, 3)
        expect(page.get_by_text("picture 3 3 None", exact=True)).to_be_visible()


def test_labels_are_shown_as_typed(page: Page) -> None:
    labels = page.locator(".st-key-matrix .xtick text").all_text_contents()
    assert labels == ["<s>", "a", "b", "&lt;", "动物"]


def test_new_data_update_the_chart_that_is_there(page: Page) -> None:
    turn_to(page, "0")
    page.evaluate(MARK)
    turn_to(page, "6")
    found = driver.read(page, FOUND)
    assert found == {"chart": "ours", "svg": "ours", "z": pytest.approx(0.7)}


def test_a_chart_that_did_not_change_is_not_drawn_again(page: Page) -> None:
    turn_to(page, "1")
    page.evaluate(COUNT)
    turn_to(page, "6")  # the picture's colour goes round after five turns
    assert driver.read(page, "() => window.drawn") == ["matrix"]


def test_whole_screen_and_back(page: Page) -> None:
    page.locator(".st-key-matrix .chart-place").hover()
    page.locator('.st-key-matrix [data-title^="Whole screen"]').click()
    page.wait_for_function("() => document.fullscreenElement?.className.includes('chart-place')")
    page.wait_for_function(HIGH, arg=page.evaluate("() => innerHeight"))
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function(HIGH, arg=400)


def test_its_picture_is_saved_under_its_name(page: Page) -> None:
    for turn in ("2", "3"):
        turn_to(page, turn)
        page.locator(".st-key-matrix .chart-place").hover()
        with page.expect_download() as saved:
            page.locator('.st-key-matrix [data-title="Save the picture (SVG)"]').click()
        assert saved.value.suggested_filename == f"matrix_{turn}.svg"


def test_a_script_that_does_not_come_is_said(browser: Browser) -> None:
    with driver.serving(script="tests/browser/chart_serve.py") as url:
        page = driver.new_page(browser)
        page.route("**/scripts/plotly-*", lambda route: route.abort())
        page.goto(url)
        expect(page.get_by_text("could not be drawn").first).to_be_visible(timeout=60_000)
        page.close()


MARK = """() => {
  const chart = document.querySelector(".st-key-matrix .js-plotly-plot");
  chart.mark = chart.querySelector(".main-svg").mark = "ours";
}"""
CLICK_SOON = """async ([selector, across, down]) => {
  const cells = document.querySelector(selector);
  const box = cells.getBoundingClientRect();
  const at = { clientX: box.left + across * box.width, clientY: box.top + down * box.height };
  const act = (name, node) => node.dispatchEvent(new MouseEvent(name, { ...at, bubbles: true }));
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  act("mousemove", cells);
  await wait(200);
  act("mousemove", cells);
  act("mousemove", cells);  // looked at in 50 ms
  act("mousedown", cells);
  await wait(60);
  act("mouseup", document.querySelector(".dragcover"));
}"""
FOUND = """() => {
  const chart = document.querySelector(".st-key-matrix .js-plotly-plot");
  const svg = chart.querySelector(".main-svg");
  return { chart: chart.mark, svg: svg.mark, z: chart._fullData[0].z[0][0] };
}"""
COUNT = """() => {
  window.drawn = [];
  for (const key of ["matrix", "picture"]) {
    const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    chart.on("plotly_afterplot", () => window.drawn.push(key));
  }
}"""
HIGH = """(high) => {
  const chart = document.querySelector(".st-key-matrix .js-plotly-plot");
  return chart.dataset.chart === "drawn" && chart._fullLayout.height === high;
}"""
