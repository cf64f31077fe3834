"""Saving pictures: what is saved is what is on screen, and its words are words."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from glassformer import load_model
from tests.browser import driver

SVG = "{http://www.w3.org/2000/svg}"
TYPED = "She saw <b>a dog</b> & it was late"
CLOSE = 24  # of 255: what the edges of letters may differ by


def saved(page: Page, kind: str, name: str, folder: Path) -> Path:
    button = page.get_by_role("button", name=f"{kind}: {name}").first
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def ask(page: Page) -> None:
    page.get_by_role("button", name="Save…").click()
    expect(page.get_by_role("button", name="PDF: The whole page")).to_be_visible()


@pytest.mark.parametrize("path", ["", "walkthrough", "attention"])
def test_a_saved_page_looks_like_the_screen(
    open_page: Callable[..., Page], tmp_path: Path, path: str
) -> None:
    page = open_page(path, width=1280, height=720)
    main = page.locator(".stMainBlockContainer")
    driver.wait_until_idle(page)
    main.screenshot(path=tmp_path / "screen.png")
    ask(page)
    picture = saved(page, "PNG", "The whole page", tmp_path)
    screen = Image.open(tmp_path / "screen.png").convert("L")
    drawn = Image.open(picture).convert("L")
    assert (drawn.width, drawn.height) == (2 * screen.width, 2 * screen.height)
    # Below the header that floats over the page; in squares of 8 pixels, so that a letter half a
    # pixel aside is no difference, and one that is missing is.
    below = (0, 48, screen.width, screen.height)
    small = (screen.width // 8, (screen.height - 48) // 8)
    ours, theirs = (
        np.asarray(each.crop(below).resize(small, Image.Resampling.BOX), dtype=int)
        for each in (drawn.resize(screen.size, Image.Resampling.BOX), screen)
    )
    apart = np.abs(ours - theirs) > CLOSE
    assert apart.mean() < 0.01, np.argwhere(apart)[:20]
    assert theirs.std() > 10  # there was something to compare


def test_words_stay_words_and_numbers_are_those_of_the_run(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page("attention", f"text={TYPED.replace('&', '%26')}&kind=encoder&layer=1&head=2")
    ask(page)
    root = ElementTree.parse(saved(page, "SVG", "The whole page", tmp_path)).getroot()
    words = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert TYPED in words
    assert not list(root.iter(f"{SVG}foreignObject")) and not list(root.iter(f"{SVG}script"))

    chart = saved(page, "CSV", "Attention of Layer 1", tmp_path)
    rows = list(csv.DictReader(io.StringIO(chart.read_text(encoding="utf-8-sig"))))
    trace = load_model().trace(TYPED)
    weights = trace["encoder/0/self_attention/weights"][0, 1].numpy()
    cells = [row for row in rows if row["value"]]
    found = [float(row["value"]) for row in cells]
    assert np.allclose(np.sort(found), np.sort(weights.ravel()), atol=1e-6)
    assert {row["x"] for row in cells} == {row["y"] for row in cells} == set(trace.source_tokens)


def test_on_paper_stands_the_page_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("attention")
    ask(page)
    page.evaluate("window.print = () => { window.sheets = document.head.innerHTML; }")
    page.get_by_role("button", name="PDF: The whole page").click()
    assert "@page { size: 1440px" in page.evaluate("window.sheets")
    page.emulate_media(media="print")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".stAppHeader")).to_be_hidden()
    expect(page.locator(".chart-place").first).to_be_visible()
