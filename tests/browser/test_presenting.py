"""The presenter's page: lectures played by keyboard alone, never half drawn, the hall in step."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from glassformer.app.hall.rooms import Room
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import load_lecture, read_lecture
from tests.browser.driver import FAILED
from tests.hall.halls import open_at

Stage = tuple[Page, Room]  # of a presenter
Open = Callable[..., Page]

SMALL = "presented"  # a lecture of this folder, with a page of every kind
# At every frame of the browser: is what is in front alone, under its own title, and was free of the
# scene before it? Once is enough: a page may run again by itself (the Walkthrough fetches what
# comes next), and keeps what it shows.
WATCH = """() => {
  [window.halfDrawn, window.watching] = [[], 0];
  const count = ({ node }, what) => node.contentDocument?.querySelectorAll(what).length ?? 0;
  const note = (frame) => {
    if (frame.ready && !count(frame, '[data-stale="true"]')) frame.clean = frame.turn;
  };
  const { changed } = pool;
  pool.changed = () => { note(pool.shown); changed(); };
  const look = () => {
    const seen = document.querySelectorAll("iframe.seen");
    const { shown } = pool, title = byId("title").textContent;
    const at = shown.scene ?? pool.last;
    const says = told((playedTexts(at) ?? lecture.scenes[at]).title);
    pool.frames.forEach(note);
    const drawn = shown.ready && shown.clean === shown.turn;
    const alone = seen.length === 1 && seen[0] === shown.node;
    if (!alone || !drawn || count(shown, "[data-testid=stSkeleton]") || says !== title)
      halfDrawn.push([shown.scene, alone, shown.ready, shown.clean, shown.turn, title]);
    watching = requestAnimationFrame(look);
  };
  look();
}"""


def lecture_of(name: str) -> Lecture:
    if name == SMALL:
        return read_lecture(Path(__file__).with_name("presented.toml").read_bytes())
    return load_lecture(name)


def open_window(browser: Browser, url: str, width: int = 1280, height: int = 720) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height}, locale="en-GB")
    page.set_default_timeout(60_000)
    page.goto(url)
    return page


def open_stage(browser: Browser, app_url: str, lecture: Lecture, language: str = "en") -> Stage:
    """A room of a lecture, and the page in front of it with its first scene."""
    room = open_at(app_url, lecture, language)
    page = open_window(browser, f"{app_url}/hall/{room.code}/present#{room.key}")
    at_scene(page, 0)
    return page, room


@pytest.fixture
def opened(browser: Browser, app_url: str) -> Iterator[Open]:
    """Pages of one test, closed after it."""
    pages = list[Page]()

    def open_one(place: str, width: int = 1280, height: int = 720) -> Page:
        pages.append(open_window(browser, f"{app_url}{place}", width, height))
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def stages() -> Iterator[list[Stage]]:
    """The one of `stage`, once it is open."""
    yield (found := list[Stage]())
    for page, _ in found:
        page.close()


@pytest.fixture
def stage(
    browser: Browser, app_url: str, stages: list[Stage], request: pytest.FixtureRequest
) -> Iterator[Stage]:
    """The small lecture at its first scene, in the room of the tests before, where its screens are
    loaded already. After a test that failed it is a new one."""
    if not stages:
        stages.append(open_stage(browser, app_url, lecture_of(SMALL)))
    page, _ = stages[0]
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    at_scene(page, 0)
    yield stages[0]
    if stages and request.node.nodeid in FAILED:
        stages.pop()[0].close()


def at_scene(page: Page, at: int) -> None:
    """Wait until a scene is in front, and nothing else."""
    asked = "(at) => typeof pool !== 'undefined' && pool?.isThere && pool.shown.scene === at"
    page.wait_for_function(asked, arg=at)


def pooled(page: Page) -> None:
    """Wait until the scenes beside the one in front are drawn."""
    page.wait_for_function("() => pool.frames.every((each) => each.ready && each.scene !== null)")


def resting(page: Page) -> None:
    """Wait until the scenes beside it are drawn and the overview has its pictures."""
    page.wait_for_function(
        "() => pool.pictures.size === pool.count && pool.wanted.every("
        "(scene) => pool.frames.some((each) => each.ready && each.scene === scene))"
    )


def test_of_twenty_keys_a_second_the_last_one_counts(stage: Stage) -> None:
    page, _ = stage
    pooled(page)
    page.evaluate(WATCH)
    last = len(lecture_of(SMALL).scenes) - 1
    for _ in range(20):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(50)
    at_scene(page, last)
    for _ in range(20):
        page.keyboard.press("PageUp")
        page.wait_for_timeout(50)
    for _ in range(3):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(50)
    at_scene(page, 3)
    expect(page.locator("#place")).to_have_text("4 of 6")
    page.evaluate("cancelAnimationFrame(watching)")
    assert page.evaluate("halfDrawn") == []


def test_black_overview_explore_and_back(stage: Stage) -> None:
    page, _ = stage
    for key in "b.":
        page.keyboard.press(key)
        expect(page.locator("#black")).to_be_visible()
        page.keyboard.press(key)
        expect(page.locator("#black")).to_be_hidden()
    page.keyboard.press("b")
    page.keyboard.press("PageDown")  # a step is seen
    expect(page.locator("#black")).to_be_hidden()
    at_scene(page, 1)

    page.keyboard.press("o")
    expect(page.locator("#overview button")).to_have_count(6)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    at_scene(page, 2)
    expect(page.locator("#overview")).to_be_hidden()

    page.keyboard.press("e")
    frame = page.locator("iframe.seen").content_frame
    expect(frame.locator(".stAppHeader")).to_be_visible()
    frame.get_by_text("Logit lens", exact=True).click()
    expect(frame.locator("body")).to_contain_text("would write")
    page.keyboard.press("ArrowRight")  # the page's, not the lecture's
    page.keyboard.press("s")
    page.keyboard.press("q")
    at_scene(page, 2)
    expect(page.locator("#join")).to_be_visible()  # it was opened before the scene was back
    shown = page.locator("iframe.seen").content_frame
    expect(shown.locator(".stAppHeader")).to_be_hidden()
    expect(shown.locator("body")).to_contain_text("How long each word's vector is")

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("full screen")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("q")
    expect(page.locator("#join img")).to_be_visible()


def test_what_is_done_on_a_scene_stays(stage: Stage) -> None:
    page, _ = stage
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    at_scene(page, 2)
    resting(page)
    # The overview is drawn, of the scenes that no frame holds, too.
    page.keyboard.press("o")
    page.wait_for_function(
        """() => [...document.querySelectorAll("#overview button > span:first-child")]
          .every((each) => getComputedStyle(each).backgroundImage !== "none")"""
    )
    page.keyboard.press("Escape")
    led = page.evaluate("pool.serial")
    frame = page.locator("iframe.seen").content_frame
    for key, look, shown in (
        ("Tab", "Logit lens", "would write"),
        ("e", "Positions", "Every position adds a pattern"),
    ):
        page.keyboard.press(key)
        frame.get_by_text(look, exact=True).click()
        expect(frame.locator("body")).to_contain_text(shown)
        page.wait_for_function("(led) => pool.serial > led", arg=led)  # a copy, to go back to
        pooled(page)
        led = page.evaluate("pool.serial")
        page.wait_for_timeout(5_000)
        expect(frame.locator("body")).to_contain_text(shown)
        assert not frame.get_by_text("How long each word's vector is").is_visible()
        page.keyboard.press("s")
        at_scene(page, 2)
        frame = page.locator("iframe.seen").content_frame
        expect(frame.locator("body")).to_contain_text("How long each word's vector is")
        resting(page)
        led = page.evaluate("pool.serial")
    page.wait_for_timeout(10_000)
    assert page.evaluate("pool.serial") == led, "screens are led though nobody touches anything"


# A field of its own kind, in a scene or beside it, that has the keyboard.
FIELD = """(document, markup) => {
  document.body.insertAdjacentHTML("beforeend", `<section class="tried">${markup}</section>`);
  document.body.lastElementChild.firstElementChild.focus();
}"""
FIELDS = (
    "<input>", "<textarea></textarea>", '<div contenteditable="plaintext-only">typed</div>',
    "<select><option>no</option><option>go on</option></select>",
    '<div role="combobox" tabindex="0">chosen</div>',
)  # fmt: skip


def test_what_is_typed_into_a_scene_is_no_key_of_the_lecture(stage: Stage) -> None:
    page, _ = stage

    def untouched(place: int) -> bool:
        shown = page.locator("#black, .over").locator("visible=true").count()
        return page.evaluate("pool.at") == place and not shown

    page.keyboard.press("End")
    at_scene(page, 5)
    frame = page.locator("iframe.seen").content_frame
    field = frame.get_by_role("textbox", name="q · k 1, 2")  # in the tree of a component
    field.fill("")
    page.keyboard.type("a boq of .5 ")
    expect(field).to_have_value("a boq of .5 ")
    page.keyboard.press("Home")
    for markup in FIELDS:
        for home in (page.locator("iframe.seen"), page.locator("html")):
            inside = "each.contentDocument" if home.get_attribute("src") else "document"
            home.evaluate(f"(each, markup) => ({FIELD})({inside}, markup)", markup)
            page.keyboard.type(" bo.nv")
            for key in ("ArrowRight", "ArrowUp", "Home", "End"):
                page.keyboard.press(key)
            assert untouched(5), markup
    page.keyboard.press("Escape")  # out of the field: keys are the lecture's again
    page.locator("section.tried").evaluate_all("(all) => all.forEach((each) => each.remove())")
    page.keyboard.press("b")
    expect(page.locator("#black")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    at_scene(page, 4)
    slider = page.locator("iframe.seen").content_frame.get_by_role("slider", name="α")
    slider.focus()
    before = slider.get_attribute("aria-valuenow")
    page.keyboard.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuenow", before or "")
    assert untouched(4)
    page.keyboard.press("PageUp")  # of a clicker
    at_scene(page, 3)


# The size of the smallest type of what an element says.
SMALLEST = """(box) => Math.min(...[...box.querySelectorAll("*")]
  .filter((each) => [...each.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
  .map((each) => parseFloat(getComputedStyle(each).fontSize)))"""


def test_a_question_is_asked_and_its_answer_shown(stage: Stage, opened: Open) -> None:
    page, room = stage
    page.keyboard.press("PageDown")
    at_scene(page, 1)
    phones = [opened(f"/hall/{room.code}", 390, 844) for _ in range(2)]
    page.keyboard.press("v")
    expect(page.locator("#question")).to_contain_text("Where does “it” look?")
    screen, beside = (page.locator(each).bounding_box() for each in ("iframe.seen", "#question"))
    assert screen is not None and beside is not None
    assert screen["width"] > 800 and screen["x"] + screen["width"] <= beside["x"] + 1
    page.evaluate("byId('question').style.setProperty('--shrink', 0.6)")  # as of a long question
    assert page.locator("#question").evaluate(SMALLEST) >= 0.022 * 720
    for phone, word in zip(phones, ("animal", "street"), strict=True):
        phone.get_by_role("button", name=word, exact=True).click()
    expect(page.locator("#question .count b")).to_have_text("2")
    assert page.locator("#question .bars").count() == 0  # not before the reveal
    late = list[tuple[Route, APIResponse]]()  # the room's answers, behind what it tells all screens
    for path in ("move", "reveal"):
        page.route(f"**/{path}", lambda route: late.append((route, route.fetch())))
    page.keyboard.press("PageDown")
    at_scene(page, 2)
    expect(page.locator("#question")).to_be_hidden()
    phones[1].get_by_role("button", name="animal", exact=True).click()  # it is open still
    phones[1].get_by_role("button", name="street", exact=True).click()
    page.keyboard.press("v")
    late[0][0].fulfill(response=late[0][1])
    expect(page.locator("#question .from")).to_have_text("Which word does “it” look at?")
    page.keyboard.press("v")
    expect(page.locator("#question .truth")).to_contain_text("animal")
    expect(page.locator("#question .bars li")).to_have_count(2)
    expect(phones[1].locator(".bars .truth")).to_contain_text("animal")
    page.keyboard.press("v")
    expect(page.locator("#question")).to_be_hidden()
    late[1][0].fulfill(response=late[1][1])
    page.unroute_all()


def test_a_sentence_of_the_hall_is_in_front_once_it_is_picked(stage: Stage, opened: Open) -> None:
    page, room = stage
    phone = opened(f"/hall/{room.code}", 390, 844)
    notes = opened(f"/hall/{room.code}/notes#{room.key}", 390, 844)
    phone.locator("#sends summary").first.click()
    phone.fill("#sends input", "The cat did not sleep.")
    phone.keyboard.press("Enter")
    expect(page.locator("#waiting")).to_have_text("From the hall: 1 (N)")
    shown = page.locator("iframe.seen").content_frame.locator("body")
    expect(shown).to_contain_text("animal")
    page.evaluate(WATCH)
    notes.get_by_role("button", name="Show in front").click()
    expect(page.locator("#mode")).to_contain_text("A sentence from the hall")
    page.wait_for_function("() => pool.isThere && played?.seen")
    expect(shown).to_contain_text("sleep")
    # Nothing is said in front that is true of the scene's own sentence alone.
    band, own = page.locator("#band"), str(page.evaluate("told(lecture.scenes[0].text)"))
    expect(band).to_contain_text("The cat did not sleep.")
    expect(band).to_contain_text("A sentence from the hall.")
    expect(band).not_to_contain_text(own)
    expect(band).not_to_contain_text("animal")
    expect(phone.locator("#text")).to_be_hidden()
    page.keyboard.press("s")
    expect(page.locator("#mode")).to_be_empty()
    at_scene(page, 0)
    expect(shown).to_contain_text("animal")
    expect(band).to_contain_text(own)
    page.evaluate("cancelAnimationFrame(watching)")
    assert page.evaluate("halfDrawn") == []


def test_presenter_notes_and_three_phones_are_in_step(
    browser: Browser, app_url: str, opened: Open
) -> None:
    lecture = lecture_of(SMALL)
    page, room = open_stage(browser, app_url, lecture)  # whose pictures are not made yet
    notes = opened(f"/hall/{room.code}/notes#{room.key}", 390, 844)
    everybody = [notes, *(opened(f"/hall/{room.code}", 390, 844) for _ in range(3))]

    def in_step(place: int) -> None:
        at_scene(page, place)
        for each in (page, *everybody):
            expect(each.locator("h1#title")).to_have_text(lecture.scenes[place].title["en"])

    in_step(0)
    for place, key in enumerate(("PageDown", "ArrowRight", " "), start=1):
        page.keyboard.press(key)
        in_step(place)
    notes.get_by_role("button", name="Back").click()  # the remote drives, too
    in_step(2)
    page.keyboard.press("PageDown")
    in_step(3)
    # The picture of the screen in front has come to the phones.
    expect(everybody[1].locator("#picture")).to_be_visible(timeout=40_000)
    page.keyboard.press("b")
    expect(everybody[2].locator("#black")).to_be_visible()
    page.reload()  # the presenter's browser is closed and opened again
    in_step(3)
    page.close()


def test_the_screen_follows_who_drives_now(stage: Stage, stages: list[Stage], opened: Open) -> None:
    page, room = stage
    answer: Any = page.evaluate("send('handover', {}, key)")
    expect(page.locator("#told")).to_contain_text("Somebody else drives now")
    for key in ("PageDown", "End", "b"):  # its own keys move it no more
        page.keyboard.press(key)
    page.wait_for_timeout(1_000)
    at_scene(page, 0)
    expect(page.locator("#black")).to_be_hidden()
    notes = opened(f"/hall/{room.code}/notes#{answer['key']}", 390, 844)
    notes.get_by_role("button", name="Forward").click()
    at_scene(page, 1)
    stages.pop()[0].close()  # whose key opens nothing any more
