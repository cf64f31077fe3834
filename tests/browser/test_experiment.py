"""The experiment by mouse: taken back, kept, compared, saved, opened, shared, and one's own."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from glassformer import load_model
from glassformer.app.panels.provenance.panel import LONG
from glassformer.app.plots.labels import format_number
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.concepts import PositionTable
from glassformer.core.interventions.heads import HeadsOff, HeadsRedirected
from glassformer.core.interventions.masks import Causal, Fill, Lines
from tests.browser import driver

FIRST = "The animal didn't cross the street because it was too tired"
PLACE = "encoder/0/self_attention"
OFF, CAUSAL = HeadsOff(PLACE, (1, 2)), Causal()
BOTH = Experiment((OFF, CAUSAL))
REDIRECT = Experiment((HeadsRedirected(PLACE, (), 1),))
BAR, ROW = ".switched-line", "[class*=st-key-switch_bar--]"


def query(experiment: Experiment, **more: str) -> str:
    return urlencode({"edits": experiment.text, **more})


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button").first.click()
    driver.wait_until_idle(page)


def test_steps_back_and_forth_by_mouse(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", query(BOTH, switches="tensors"))
    chips = page.locator(f"{ROW} .chip")
    expect(chips).to_have_count(2)
    page.get_by_role("button", name="causal mask off").click()
    expect(chips).to_have_count(1)
    expect(chips).to_have_text(["heads 2, 3 of encoder layer 1 off×"])
    expect(page.locator(BAR)).to_have_count(0)  # this page says it once, in its own row
    driver.wait_until_idle(page)
    press(page, "widget_bar_undo")
    expect(chips).to_have_count(2)
    press(page, "widget_bar_redo")
    expect(chips).to_have_count(1)
    press(page, "widget_bar_reset")
    expect(chips).to_have_count(0)
    expect(page.locator(".st-key-widget_stage_undo")).to_have_count(0)
    press(page, "widget_bar_undo")
    expect(chips).to_have_count(1)
    page.go_back()  # the browser's own way back is a step, too
    expect(chips).to_have_count(0)
    page.get_by_role("link", name="Tensors").click()
    driver.wait_until_idle(page)
    press(page, "widget_stage_undo")
    expect(page.locator(BAR)).to_have_text("switched: heads 2, 3 of encoder layer 1 off")


def test_kept_ones_are_gone_back_to_and_compared(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", query(REDIRECT, switches="tensors"))
    press(page, "switch_kept")
    name = page.locator(".st-key-widget_experiment_name input")
    name.fill("all at <b>animal</b>")
    press(page, "widget_keep")
    expect(page.locator(".st-key-switch_kept")).to_contain_text("Kept: 1")
    page.keyboard.press("Escape")
    press(page, "widget_bar_reset")
    press(page, "widget_compare")
    dialog = page.get_by_role("dialog")
    after = dialog.get_by_role("combobox", name="and this one")
    expect(after).to_have_value("all at <b>animal</b>")
    expect(dialog).to_contain_text("encoder layer 1: every query to key 2")
    for each in (REDIRECT, Experiment()):
        expect(dialog).to_contain_text(run(each, load_model(), FIRST).full_text)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    press(page, "switch_kept")
    press(page, "widget_load_0")
    said = "encoder layer 1: every query to key 2 “animal”×"
    expect(page.locator(f"{ROW} .chip")).to_have_text([said])


def test_a_file_is_saved_and_opened(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("switch", query(BOTH, switches="tensors"))
    press(page, "switch_share")
    with page.expect_download() as saved:
        page.locator(".st-key-widget_experiment_download button").first.click()
    path = tmp_path / "saved.json"
    saved.value.save_as(path)
    assert Experiment.from_json(path.read_text("utf-8"), load_model()).switches == BOTH.switches
    other = tmp_path / "other.json"
    about = json.loads(path.read_text("utf-8"))
    about["model"] = {"name": "my own", "fingerprint": "0" * 16}
    other.write_text(json.dumps(about), "utf-8")
    empty = open_page("switch", "switches=tensors&text=I+love+you")
    press(empty, "widget_open_file")
    for file, told in ((other, "made on my own"), (path, "")):
        with empty.expect_file_chooser() as chooser:
            empty.locator(".st-key-open_file section button").first.click()
        chooser.value.set_files(file)
        expect(empty.get_by_test_id("stAlert")).to_have_count(1 if told else 0)
        if told:
            expect(empty.get_by_test_id("stAlert")).to_contain_text(told)
        driver.wait_until_idle(empty)
    expect(empty.locator(".st-key-widget_sentence input")).to_have_value(FIRST)
    expect(empty.locator(f"{ROW} .chip")).to_have_count(2)


def number(page: Page) -> str:
    return page.locator("[class*=st-key-trail_number--]").inner_text()


def test_two_readers_at_once_see_their_own(browser: Browser, app_url: str) -> None:
    trail = f"{PLACE}/context@1,1,3,4"
    runs = {each.text: run(each, load_model(), FIRST) for each in (REDIRECT, BOTH)}
    pages = {text: driver.new_page(browser, locale="en-GB") for text in runs}
    try:
        for text, page in pages.items():  # both are loading at the same time
            page.goto(f"{app_url}/attention?{urlencode({'edits': text, 'trail': trail})}")
        for text, page in pages.items():
            driver.wait_until_idle(page)
            recorded = format_number(float(runs[text][f"{PLACE}/context"][0, 0, 2, 3]), LONG)
            assert recorded in number(page)
            assert len({number(each) for each in pages.values()}) == 2
        one, two = pages.values()
        one.locator(".st-key-widget_stage_reset button").first.click()
        two.locator(".st-key-widget_stage_reset button").first.click()
        expect(two.locator(BAR)).to_have_count(0)  # else there is nothing to undo yet
        two.locator(".st-key-widget_stage_undo button").first.click()
        expect(one.locator(BAR)).to_have_count(0)
        expect(two.locator(BAR)).to_have_attribute(
            "title", "heads 2, 3 of encoder layer 1 off · causal mask off"
        )
        driver.wait_until_idle(two)
        fresh = driver.open_page(browser, two.url)  # the link, somewhere else
        assert fresh.locator(BAR).inner_text() == two.locator(BAR).inner_text()
        assert number(fresh) == number(two)
        fresh.close()
    finally:
        for page in pages.values():
            page.close()


def test_a_pair_opens_where_it_differs_most(open_page: Callable[..., Page]) -> None:
    page = open_page("attention")
    press(page, "widget_second_open")
    expect(page.locator(".st-key-widget_second input")).to_have_value(re.compile("too wide$"))
    expect(page.locator(".on-top")).to_contain_text("Largest difference of all heads")
    page.wait_for_url(re.compile("second=.*wide"))
    page.wait_for_url(re.compile("query=8"))  # it: at animal in one, at street in the other
    expect(page.locator(".st-key-widget_beside_go")).to_have_count(0)


def test_a_second_sentence_and_which_run_is_seen(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=I+like+you")
    press(page, "widget_second_open")
    second = page.locator(".st-key-widget_second input")
    expect(second).to_have_value("I like you")
    second.fill("I like cats")
    second.press("Enter")
    runs = page.locator(".st-key-stage_switched")
    expect(runs).to_contain_text("side by side")
    runs.get_by_role("radio", name="second").or_(runs.get_by_role("button", name="second")).click()
    page.wait_for_url("**run=second*")
    driver.wait_until_idle(page)
    press(page, "widget_second_close")
    expect(second).to_have_count(0)
    page.wait_for_function("!/second|run/.test(location.search)")
    assert "text=I+like+you" in page.url


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_the_bar_keeps_its_two_lines(led: Callable[..., Page], size: tuple[int, int]) -> None:
    closed = Lines("encoder/1/self_attention", (2,), (1,))
    lost = Experiment((OFF, closed, Fill("minus_infinity"), PositionTable(), CAUSAL))
    long = "The animal didn't cross the street because it was too wide and the dog was old"
    boxes = set()
    for more in (
        "", query(BOTH), query(BOTH, second=long, query="9", key="2", kind="encoder"), query(lost),
    ):  # fmt: skip
        page = led("attention", more, width=size[0], height=size[1])
        box = page.locator("[class*=st-key-stage_bar]").bounding_box()
        assert box is not None
        boxes.add((box["x"], box["y"], box["width"], box["height"]))
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        right = page.locator(".st-key-stage_switched")
        if more:
            end = right.bounding_box()
            assert end is not None
            assert end["x"] + end["width"] <= box["x"] + box["width"] + 1
    assert len(boxes) == 1
    expect(page.locator(".st-key-stage_focus")).to_contain_text("The numbers end (NaN)")
    page.get_by_role("button", name="Fill −1e9").click()
    expect(page.locator(".st-key-stage_focus")).not_to_contain_text("The numbers end")
