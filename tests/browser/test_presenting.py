"""The presenter's page: lectures played by keyboard alone, never half drawn, the hall in step."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from glassformer.app.hall.rooms import Room
from glassformer.app.runs.scenes import trace_of
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.read import bundled_lectures, load_lecture, read_lecture
from glassformer.core.lectures.truth import find_truth
from tests.browser.last_row import seen_from_the_last_row
from tests.hall.halls import open_at

Stage = tuple[Page, Room]  # of a presenter
Open = Callable[..., Page]

SMALL = "presented"  # a lecture of this folder, with a page of every kind
# What a scene is about, where its screen is larger than the room below the scene's texts.
POINTS = {"decoding-beam": ".node.now", "decoding-padding": ".x3title"}
# All that a frame says, in components and drawings, too.
SAID = """(frame) => {
  const roots = [frame.contentDocument];
  for (const root of roots)
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) roots.push(each.shadowRoot);
  const texts = (each) => [...each.childNodes]
    .filter((node) => node.nodeType === 3).map((node) => node.data);
  return roots.flatMap((root) => [...root.querySelectorAll("*")])
    .filter((each) => !["STYLE", "SCRIPT"].includes(each.tagName)).flatMap(texts).join(" ");
}"""
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
    const says = told(lecture.scenes[shown.scene].title);
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


def join(name: str) -> tuple[Scene, ...]:
    """The scenes of a lecture, under names that are unique beside those of the others."""
    scenes = []
    for scene in lecture_of(name).scenes:
        if (asked := scene.question) and (other := asked.truth.scene):
            asked = replace(asked, truth=replace(asked.truth, scene=f"{name}-{other}"))
        facts = {
            word: replace(each, scene=each.scene and f"{name}-{each.scene}")
            for word, each in scene.facts.items()
        }
        scenes.append(replace(scene, name=f"{name}-{scene.name}", question=asked, facts=facts))
    return tuple(scenes)


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
    failed = request.session.testsfailed
    yield stages[0]
    if request.session.testsfailed != failed and stages:
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


def key_of(lecture: Lecture, scene: Scene, language: str) -> str:
    """The number or the word that is to be seen on the scene, from the run; "" without one."""
    if scene.key is None:
        return ""
    trace = trace_of(lecture.source(scene, scene.key), language)
    return find_truth(scene.key, trace, language).text


NAMES = (*bundled_lectures(), SMALL)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("names", [NAMES[:4], NAMES[4:]], ids=" ".join)
def test_the_lectures_are_played_by_keyboard_alone(
    browser: Browser, app_url: str, names: tuple[str, ...], language: str
) -> None:
    """Several of them in one room: the screens are loaded once."""
    scenes = [scene for name in names for scene in join(name)]
    lecture = lecture_of(SMALL).having(*scenes)
    page, _ = open_stage(browser, app_url, lecture, language)
    keys = ("ArrowRight", "PageDown", " ", "ArrowDown")
    for place, scene in enumerate(lecture.scenes):
        if place:
            page.keyboard.press(keys[place % len(keys)])
        at_scene(page, place)
        shown = page.locator("iframe.seen")
        expect(shown).to_have_count(1)
        said = " ".join(str(shown.evaluate(SAID)).split())
        assert (key := key_of(lecture, scene, language)) in said, f"{scene.name} lacks {key}"
        if point := POINTS.get(scene.name):
            expect(shown.content_frame.locator(point).first).to_be_in_viewport(ratio=0.99)
        if scene.focus and (not scene.step or scene.focus != lecture.scenes[place - 1].focus):
            assert seen_from_the_last_row(page) == [], scene.name
        # The chrome of the app is gone, the scene's title stands on top, "…" stands nowhere.
        assert not shown.content_frame.locator(".stAppHeader").first.is_visible()
        assert "…" not in page.locator("#band").inner_text().replace("……", "")
    page.keyboard.press("Home")
    at_scene(page, 0)
    page.close()


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
    pictures = page.locator("#overview button > span:first-child")
    assert "none" not in pictures.evaluate_all(
        "(all) => all.map((each) => getComputedStyle(each).backgroundImage)"
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
    "<input>",
    "<textarea></textarea>",
    '<div contenteditable="plaintext-only">typed</div>',
    "<select><option>no</option><option>go on</option></select>",
    '<div role="combobox" tabindex="0">chosen</div>',
)


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


def test_a_question_is_asked_and_its_answer_shown(stage: Stage, opened: Open) -> None:
    page, room = stage
    page.keyboard.press("PageDown")
    at_scene(page, 1)
    phones = [opened(f"/hall/{room.code}", 390, 844) for _ in range(2)]
    page.keyboard.press("v")
    expect(page.locator("#question")).to_contain_text("Where does “it” look?")
    for phone, word in zip(phones, ("animal", "street"), strict=True):
        phone.get_by_role("button", name=word, exact=True).click()
    expect(page.locator("#question .count b")).to_have_text("2")
    assert page.locator("#question .bars").count() == 0  # not before the reveal
    page.keyboard.press("v")
    expect(page.locator("#question .truth")).to_contain_text("animal")
    expect(page.locator("#question .bars li")).to_have_count(2)
    expect(phones[1].locator(".bars .truth")).to_contain_text("animal")
    page.keyboard.press("v")
    expect(page.locator("#question")).to_be_hidden()


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
