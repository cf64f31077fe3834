"""The workshop in a real browser: fill in, start, leave and come back, stop, go on, keep, use."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.app.session.languages import LANGUAGES
from glassformer.core.text_models.checkpoints import load_model
from tests.browser import driver

PAGE = "training"
WORKSHOP = "training=workshop"
PATIENCE = 120_000  # milliseconds: a training shares its core with the tests
PAIRS = "\n".join(f"word{i % 9} is {i}\t{i} 是 词{i % 9}" for i in range(40))


def press(page: Page, name: str) -> None:
    main = page.get_by_test_id("stMain")  # Streamlit has a "Stop" of its own above
    main.get_by_role("button", name=name, exact=True).click()


def choose(page: Page, widget: str, option: str) -> None:
    page.locator(f".st-key-widget_{widget}").get_by_text(option, exact=True).click()
    driver.wait_until_idle(page)


def select(page: Page, widget: str, option: str) -> None:
    page.locator(f".st-key-widget_{widget} [data-baseweb=select], "
                 f".st-key-widget_{widget} input").first.click()  # fmt: skip
    page.get_by_role("option", name=option, exact=True).click()
    driver.wait_until_idle(page)


def fill(page: Page, widget: str, text: str) -> None:
    page.locator(f".st-key-widget_{widget}").locator("input, textarea").first.fill(text)
    page.keyboard.press("Control+Enter" if widget == "workshop_text" else "Enter")
    driver.wait_until_idle(page)


def rows(page: Page) -> int:
    return page.locator(".lesson .row").count()


def said(page: Page) -> Locator:
    return page.locator(".lesson .headline")


@pytest.mark.slow
def test_the_whole_way(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page(PAGE, WORKSHOP)
    fill_in(page)
    see_it_grow(page)
    go_away_and_come_back(page)
    stop_and_go_on(page)
    press(page, "Keep")
    expect(page.locator(".st-key-workshop_form")).to_contain_text("Kept. Choose “mine-1”")
    take_away(page, tmp_path)
    fill(page, "sentence", "word3 is 12")
    select(page, "model_en", "mine-1")
    page.get_by_role("link", name="Translate").click()
    page.wait_for_url(lambda url: "/training" not in url)
    driver.wait_until_idle(page)
    own = load_model(tmp_path / "mine-1").translate("word3 is 12", "en-zh")
    expect(page.locator(".headline .text")).to_have_text(own)
    link = page.url
    page.goto("about:blank")  # its owner is gone, for now
    elsewhere = page.context.browser
    assert elsewhere is not None
    stranger = driver.open_page(elsewhere, link)
    expect(stranger.locator(".headline .text")).to_have_text(own)  # whoever has the link
    stranger.close()
    page.goto(link)
    expect(page.locator(".headline .text")).to_have_text(own)


def fill_in(page: Page) -> None:
    choose(page, "workshop_source", "My pairs")
    fill(page, "workshop_text", PAIRS)
    expect(page.locator("[class*=st-key-workshop_report--]")).to_contain_text(
        "40 pairs can be used"
    )
    choose(page, "workshop_n_heads", "2")
    fill(page, "workshop_steps", "5000")


def see_it_grow(page: Page) -> None:
    """Curve and translations grow, and nothing moves to the side for that."""
    places = [
        page.locator(".st-key-workshop_form"),
        page.locator("[class*=st-key-workshop_place--]"),
    ]
    before = [place.bounding_box() for place in places]
    press(page, "Start training")
    expect(page.locator(".lesson .row").nth(2)).to_be_visible(timeout=PATIENCE)
    line = page.locator(".lesson polyline")
    first, count = line.get_attribute("points"), rows(page)
    expect(page.locator(".lesson .row")).not_to_have_count(count, timeout=PATIENCE)
    assert line.get_attribute("points") != first
    after = [place.bounding_box() for place in places]
    assert [box and box["x"] for box in after] == [box and box["x"] for box in before]


def go_away_and_come_back(page: Page) -> None:
    page.get_by_role("link", name="Attention").click()
    page.wait_for_url("**/attention*")
    driver.wait_until_idle(page)
    page.get_by_role("link", name="Training").click()
    expect(said(page)).to_contain_text("of 5,000", timeout=PATIENCE)


def stop_and_go_on(page: Page) -> None:
    press(page, "Stop")
    expect(said(page)).to_contain_text("Stopped", timeout=PATIENCE)
    page.reload()  # the link finds the run again
    expect(said(page)).to_contain_text("Stopped", timeout=PATIENCE)
    driver.wait_until_idle(page)
    stopped_at = said(page).text_content()
    press(page, "Go on")
    expect(said(page)).to_contain_text("Step", timeout=PATIENCE)
    press(page, "Stop")
    expect(said(page)).to_contain_text("Stopped", timeout=PATIENCE)
    assert said(page).text_content() != stopped_at
    driver.wait_until_idle(page)


def take_away(page: Page, folder: Path) -> None:
    with page.expect_download() as waiting:
        press(page, "Download")
    assert waiting.value.suggested_filename == "mine-1.zip"
    waiting.value.save_as(folder / "mine-1.zip")
    zipfile.ZipFile(folder / "mine-1.zip").extractall(folder)


def test_a_broken_file_is_told_line_by_line(open_page: Callable[..., Page]) -> None:
    page = open_page(PAGE, WORKSHOP)
    choose(page, "workshop_source", "My pairs")
    broken = PAIRS.encode() + b"\nno tab <b>x</b>\n\tempty\n" + "hello\t你好".encode("gb18030")
    page.set_input_files(
        "input[type=file]", {"name": "mine.tsv", "mimeType": "text/plain", "buffer": broken}
    )
    report = page.locator("[class*=st-key-workshop_report--]")
    expect(report).to_contain_text("mine.tsv")
    expect(report).to_contain_text("Line 41: no tab")
    expect(report).to_contain_text("<b>x</b>")
    expect(report).to_contain_text("Line 42: the first side is empty")
    expect(report).to_contain_text("Line 43: not UTF-8")
    start = page.get_by_role("button", name="Start training")
    expect(start).to_be_disabled()
    page.get_by_text("Leave out the lines").click()
    expect(start).to_be_enabled()


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_without_scrolling(
    open_page: Callable[..., Page], size: tuple[int, int], language: str
) -> None:
    page = open_page(PAGE, f"{WORKSHOP}&language={language}", width=size[0], height=size[1])
    main = '[data-testid="stMain"]'
    high, seen = page.evaluate(
        f"(e => [e.scrollHeight, e.clientHeight])(document.querySelector('{main}'))"
    )
    assert high <= seen
