"""Two runs beside each other in a real browser: words, a number by hover, a pin by click."""

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from glassformer.app.plots.labels import format_number
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.interventions import Experiment, run
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace
from tests.browser import driver

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the old street because it was too wide"
TWO = f"text={quote(TIRED)}&second={quote(WIDE)}"
PLACE = """([key, axis, row, column]) => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const box = chart.getBoundingClientRect();
  const {[`xaxis${axis}`]: x, [`yaxis${axis}`]: y} = chart._fullLayout;
  return [box.left + x._offset + x.l2p(column), box.top + y._offset + y.l2p(row)];
}"""


@pytest.fixture(scope="module")
def causal() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), run(Experiment.from_text("causal"), model, TIRED)


def cell(page: Page, key: str, picture: int, row: int, column: int) -> tuple[float, float]:
    page.wait_for_selector(f'.st-key-{key} .js-plotly-plot[data-heard="yes"]', state="attached")
    axis = "" if picture == 0 else str(2 * picture + 1)
    found: tuple[float, float] = driver.read(page, PLACE, [key, axis, row, column])
    return found


def hover(page: Page, key: str, picture: int, row: int, column: int) -> str:
    x, y = cell(page, key, picture, row, column)
    page.mouse.move(x + 2, y + 2)
    page.mouse.move(x, y)
    label = page.locator(f".st-key-{key} .hovertext").first
    expect(label).to_be_visible()
    return label.text_content() or ""


def rounded(told: str) -> list[str]:
    """The numbers of a hover with three decimals, without their signs."""
    return [f"{float(each):.3f}" for each in re.findall(r"\d+\.\d+(?:e-\d+)?", told)]


def test_two_sentences_on_three_pages(open_page: Callable[..., Page]) -> None:
    page = open_page("", TWO)
    for run_, word in ((0, "tired"), (1, "wide")):
        lines = page.locator(f".st-key-beside_lines_{run_}")
        expect(lines.get_by_text(word, exact=True)).to_be_visible()
    expect(page.locator(".beside-words").get_by_text("宽", exact=True)).to_be_visible()

    page = open_page("attention", f"{TWO}&head=2")
    told = hover(page, "beside_attention", 1, 5, 4)
    assert "old" in told
    assert "the" in told
    told = hover(page, "beside_attention", 0, 5, 4)
    assert "only the second sentence" in told
    grid = page.locator(".st-key-beside_grid_difference")
    grid.get_by_role("button", name="Layer 2 · Head 3", exact=True).click()
    expect(page.get_by_text("Layer 2 · Head 3 · How much")).to_be_visible()

    page = open_page("vectors", f"{TWO}&vectors=stream")
    expect(page.locator(".st-key-beside_stream_grid").get_by_text("tired|wide")).to_be_visible()


def test_an_experiment_by_hover_and_click(
    open_page: Callable[..., Page], causal: tuple[Trace, Trace]
) -> None:
    key, query = "beside_attention", "edits=causal&run=both&kind=decoder&layer=2&head=2"
    page = open_page("attention", query)
    one, two = (float(t["decoder/1/self_attention/weights"][0, 1, 7, 5]) for t in causal)
    for picture in range(3):  # every picture tells all three numbers
        told = hover(page, key, picture, 7, 5)
        for number in (one, two, two - one):
            assert f"{abs(number):.3f}" in rounded(told)
    assert "forbidden" in hover(page, key, 0, 0, 6)
    page.mouse.click(*cell(page, key, 2, 7, 5))
    change = f"{format_number(one)} → {format_number(two)}"
    expect(page.locator(f"[class*=st-key-{key}_notes--]").get_by_text(change)).to_be_visible()
    page.wait_for_url("**query=8*")
    page.wait_for_url("**key=6*")

    page = open_page("switch", "edits=causal&kind=decoder&layer=2&head=2&query=8&key=6")
    expect(page.locator(".st-key-beside_switch").get_by_text(change)).to_be_visible()
    page.get_by_text("side by side", exact=True).click()
    page.get_by_role("link", name="Tensors").click()
    expect(page.locator(".st-key-beside_tensor .js-plotly-plot")).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_way_to_the_first_change_moves_nothing(
    open_page: Callable[..., Page], language: str
) -> None:
    page = open_page("switch", f"edits=causal&language={language}")  # the encoder is in view
    title = page.locator(".st-key-beside_switch_title")
    picture = page.locator("[class*=st-key-beside_switch_picture--]")
    before = title.bounding_box(), picture.bounding_box()
    button = page.locator(".st-key-beside_to_first button").first
    menu = page.locator("[class*=st-key-beside_pickers_switch_what--] [data-testid=stSelectbox]")
    one, other = button.bounding_box(), menu.bounding_box()
    assert one is not None
    assert other is not None
    assert other["y"] <= one["y"] + one["height"] / 2 <= other["y"] + other["height"]
    button.click()
    page.wait_for_url("**address=decoder%2F0%2Fself_attention%2Fmask*")
    expect(button).to_have_count(0)
    driver.wait_until_idle(page)
    assert (title.bounding_box(), picture.bounding_box()) == before
