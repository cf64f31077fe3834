"""A lecture of one's own: screens become scenes, ordered and edited; the browser keeps it."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from glassformer.core.lectures.read import read_lecture
from tests.browser import driver
from tests.browser.test_presenting import at_scene

ANIMAL = (
    '{ address = "encoder/1/self_attention/weights", at = { head = 0, query = "it" }, '
    'read = "argmax", axis = "key" }'
)
TITLE = "Where <b>it</b> looks & why"


def save_scene(page: Page, title: str) -> None:
    page.locator(".st-key-widget_saving button").first.click()
    page.locator(".st-key-widget_scene_title input").fill(title)
    page.locator(".st-key-widget_scene_save button").click()
    expect(page.get_by_text("Saved: “My lecture”")).to_be_visible()
    page.keyboard.press("Escape")
    driver.wait_until_idle(page)


def turn_to(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    driver.wait_until_idle(page)


def titles(page: Page) -> list[str]:
    driver.wait_until_idle(page)
    return page.locator(".row .title").all_inner_texts()


def kept(page: Page) -> str:
    return str(page.evaluate("localStorage.getItem('glassformer.lecture.my-lecture')"))


def saved_two(open_page: Callable[..., Page]) -> Page:
    page = open_page("attention", "layer=2&head=1")
    save_scene(page, TITLE)
    turn_to(page, "Decoding")
    save_scene(page, "Word by word")
    turn_to(page, "Lectures")
    page.get_by_role("button", name="My lecture").click()
    expect(page.locator(".row")).to_have_count(2)
    return page


def edit_first(page: Page) -> None:
    """The first scene in Chinese, with a question that the run answers; no truth is told."""
    chinese = page.get_by_label("Title · 中文").first
    chinese.fill("“it”看向哪里")
    chinese.press("Tab")
    driver.wait_until_idle(page)
    page.locator('[class*="st-key-lecture_kind"] input').first.click()
    page.get_by_role("option", name="choose a word").click()
    expect(page.get_by_text("The run answers")).to_be_visible()
    truth = page.get_by_role("textbox", name="Where the answer is read")
    truth.fill(ANIMAL)
    truth.press("Tab")
    expect(page.get_by_text("The run answers animal")).to_be_visible()
    truth.fill("{ address = ")
    truth.press("Tab")
    expect(page.locator("[role=alert]").filter(has_text="ine")).to_be_visible()  # its line is named


def test_screens_become_scenes_that_are_ordered_edited_and_kept(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = saved_two(open_page)
    assert titles(page) == [TITLE, "Word by word"]  # as it was typed

    # Ordered by button, and back by keyboard.
    page.get_by_role("button", name=f"Later: {TITLE}").click()
    expect(page.locator(".row .title").first).to_have_text("Word by word")
    page.get_by_role("button", name=f"2 {TITLE}").press("Alt+ArrowUp")
    expect(page.locator(".row .title").first).to_have_text(TITLE)

    edit_first(page)
    # Exported, removed, brought back, reloaded: nothing is lost.
    with page.expect_download() as download:
        page.get_by_role("button", name="Export TOML").click()
    file = tmp_path / "mine.toml"
    download.value.save_as(file)
    lecture = read_lecture(file.read_bytes())
    assert [scene.page for scene in lecture.scenes] == ["attention", "decoding"]
    assert lecture.scenes[0].query == {"layer": "2", "head": "1"}
    assert lecture.scenes[0].title == {"en": TITLE, "zh": "“it”看向哪里"}
    page.get_by_role("button", name="Remove: Word by word").click()
    expect(page.locator(".row")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".row")).to_have_count(2)
    page.reload()
    driver.wait_until_idle(page)
    expect(page.locator(".row .title")).to_have_text([TITLE, "Word by word"])
    assert read_lecture(kept(page)) == lecture

    # Imported under a name of its own; a file with a mistake names its line.
    page.get_by_role("button", name="All lectures").click()
    chooser = page.locator('input[type="file"]').first
    chooser.set_input_files(file)
    expect(page.locator(".row")).to_have_count(2)
    assert "my-lecture-2" in page.url
    page.get_by_role("button", name="All lectures").click()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(file.read_text("utf-8").replace("minutes = 1", "minutes = soon", 1), "utf-8")
    line = 1 + wrong.read_text("utf-8").split("\n").index("minutes = soon")
    chooser.set_input_files(wrong)
    expect(page.locator("[role=alert]").filter(has_text="not imported")).to_contain_text(f"{line}")


def test_a_scene_is_opened_here_and_the_lecture_tried(open_page: Callable[..., Page]) -> None:
    page = saved_two(open_page)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Try").click()
    shell = opened.value
    shell.wait_for_function("() => typeof pool !== 'undefined' && pool?.isThere", timeout=60_000)
    expect(shell.locator("#title")).to_have_text(TITLE)
    shell.keyboard.press("PageDown")
    shell.wait_for_function("() => pool.isThere && pool.shown.scene === 1", timeout=60_000)
    expect(shell.locator("#title")).to_have_text("Word by word")
    shell.keyboard.press("n")
    expect(shell.locator("#notes")).to_contain_text("No notes for this scene.")
    shell.reload()  # the browser has it still, and where it was
    expect(shell.locator("#title")).to_have_text("Word by word", timeout=60_000)
    shell.close()

    page.get_by_role("button", name=f"Open this screen: {TITLE}").click()
    expect(page).to_have_url(re.compile("attention.*layer=2"))
    driver.wait_until_idle(page)
    expect(page.locator("body")).to_contain_text("looks from")


def test_a_room_asks_for_the_presenters_key_where_others_come_in(browser: Browser) -> None:
    text = Path(__file__).with_name("presented.toml").read_text("utf-8")
    with driver.server(GLASSFORMER_HALL="key") as server:
        page = driver.open_page(browser, f"{server.url}/lectures")
        page.evaluate("(text) => localStorage.setItem('glassformer.lecture.presented', text)", text)
        page.goto(f"{server.url}/lectures?lecture=presented")
        driver.wait_until_idle(page)
        page.locator(".st-key-widget_lecture_present button").first.click()
        field = page.locator(".st-key-widget_presenter_key input")
        found = re.search(r"this key: (\S+)", server.log())
        assert found is not None
        for given in ("WRONG", found[1].lower()):
            field.fill(given)
            page.get_by_role("button", name="Open the room").click()
            if given == "WRONG":
                expect(page.get_by_text("This needs the presenter's key")).to_be_visible()
        link = page.get_by_role("link", name="Open the screen for the projector")
        expect(link).to_have_attribute("href", re.compile(r"/hall/[A-Z]{6}/present#[0-9a-f]{32}$"))
        page.close()


def test_without_a_hall_it_is_presented_all_the_same(browser: Browser) -> None:
    text = Path(__file__).with_name("presented.toml").read_text("utf-8")
    with driver.server(GLASSFORMER_HALL="off") as server:
        page = driver.open_page(browser, f"{server.url}/lectures")
        page.evaluate("(text) => localStorage.setItem('glassformer.lecture.presented', text)", text)
        page.goto(f"{server.url}/lectures?lecture=presented")
        driver.wait_until_idle(page)
        expect(page.get_by_text("HALL=off")).to_be_visible()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Present").click()
        shell = opened.value
        shell.set_default_timeout(60_000)
        at_scene(shell, 0)
        shell.keyboard.press("PageDown")
        at_scene(shell, 1)
        expect(shell.locator("#text")).to_contain_text("98.2%")
        shell.keyboard.press("v")
        expect(shell.locator("#question")).to_contain_text("Where does “it” look?")
        shell.keyboard.press("n")  # the notes: line by line, with this picture and the next
        expect(shell.locator("#notes .line b")).to_have_text(["Point", "Ask"])
        expect(shell.locator("#notes")).to_contain_text("let them vote: where does it look?")
        expect(shell.locator("#notes img")).to_have_count(2, timeout=60_000)
        expect(shell.locator("#clock")).to_contain_text("of 7 min")
        shell.keyboard.press("t")  # the short path leaves out the fourth
        expect(shell.locator("#clock")).to_contain_text("of 6 min, short path")
        for key, scene in (("PageDown", 2), ("PageDown", 4), ("PageUp", 2)):
            shell.keyboard.press(key)
            at_scene(shell, scene)
        shell.keyboard.press("v")  # it is open still
        expect(shell.locator("#question .from")).to_have_text("Which word does “it” look at?")
        expect(shell.locator("#question .sentence")).to_contain_text("The animal didn't cross")
        shell.keyboard.press("v")
        expect(shell.locator("#question .answer")).to_contain_text("animal")
        shell.keyboard.press("PageUp")
        at_scene(shell, 1)
        # The server is killed: Streamlit has its say, unseen, and the scene stands.
        frame = shell.locator("iframe.seen").content_frame
        os.kill(server.pid, signal.SIGKILL)
        expect(frame.get_by_text("Connection error")).to_be_attached(timeout=60_000)
        expect(frame.get_by_test_id("stDialog")).to_be_hidden()
        expect(frame.locator("[data-stale=true]")).to_have_count(0)
        expect(frame.get_by_text("looks from").first).to_be_visible()
        page.close()
