"""A lecture is given: what its notes ask to do is done, and stands while one talks about it.

One talks for a second each time; `LECTURE_MINUTES=10` gives the whole for ten minutes.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from glassformer.core.lectures.lecture import Scene
from glassformer.core.lectures.read import bundled_lectures, load_lecture
from tests.browser import driver
from tests.browser.test_decoding_steps import WORDS
from tests.browser.test_presenting import at_scene, pooled
from tests.hall.halls import open_at

SCENES = ("loop", "unsure")  # of the lecture about decoding, each with a "Do:"
MINUTES = float(os.environ.get("LECTURE_MINUTES", "0"))
LEAST = 1.0  # seconds that one talks after a copy of the scene is there, which could take its place
# A screen that somebody works on, once a copy of its scene is drawn beside it.
COPIED = """() => pool.frames.some((each) =>
  each !== pool.shown && each.scene === pool.at && each.ready)"""
ROW = """(chart, row) => {
  const {xaxis, yaxis} = chart._fullLayout;
  const {frameElement: screen} = window;
  const scale = screen.getBoundingClientRect().width / screen.offsetWidth;
  return {x: scale * (xaxis._offset + xaxis.l2p(0.6)), y: scale * (yaxis._offset + yaxis.l2p(row))};
}"""

Check = Callable[[], None]
Act = Callable[
    [FrameLocator], Check
]  # does one thing on a scene; what it gives sees that it stands


def steps_on(frame: FrameLocator) -> Check:
    for step in (2, 3, 4):
        frame.locator(".steps .column").nth(step - 1).click()
        expect(frame.get_by_text(f"What could come at step {step}")).to_be_visible()
    return lambda: expect(frame.get_by_text("What could come at step 4")).to_be_visible()


def takes_nice(frame: FrameLocator) -> Check:
    chart = frame.locator(f'{WORDS}[data-heard="yes"]')
    place = chart.evaluate(ROW, 1)
    chart.hover(position=place)
    chart.click(position=place)
    return lambda: expect(frame.locator(".steps li.forced .writes")).to_have_text("nice")


def gives_back(frame: FrameLocator) -> Check:
    frame.get_by_role("button", name="Take this word back").click()

    def check() -> None:
        expect(frame.locator(".steps li.forced")).to_have_count(0)
        expect(frame.locator(".steps .writes").nth(7)).to_have_text("good")

    return check


DOES: dict[str, tuple[Act, ...]] = {
    "click the next columns; the bars below change with each. Or go on with the clicker.": (
        steps_on,
    ),
    "click “nice” below: it goes on from there, your word in pink. Then × takes it back.": (
        takes_nice,
        gives_back,
    ),
}


@dataclass
class Lecturer:
    """In front of a hall; `pause` is how long one talks after each thing that was done."""

    page: Page
    pause: float

    def turn_to(self, place: int) -> None:
        for _ in range(place - int(self.page.evaluate("pool.at"))):
            self.page.keyboard.press("PageDown")
        at_scene(self.page, place)
        pooled(self.page)

    def do(self, act: Act) -> None:
        """And talk: a copy of the scene is there after a while, and is not for those who watch."""
        screen = self.page.evaluate_handle("pool.shown")
        check = act(self.page.locator("iframe.seen").content_frame)
        check()
        self.page.wait_for_function(COPIED)
        self.page.wait_for_timeout(1000 * self.pause)
        assert self.page.evaluate("(before) => pool.shown === before", screen)
        check()


def does(scene: Scene) -> list[Act]:
    """What its notes ask for; one that is not known here fails the test."""
    asked = [line for line in scene.notes["en"].split("\n") if line.startswith("Do: ")]
    assert asked, f"{scene.name} asks for nothing"
    return [act for line in asked for act in DOES[line.removeprefix("Do: ")]]


def test_no_notes_ask_for_what_is_not_done_here() -> None:
    scenes = [scene for name in bundled_lectures() for scene in load_lecture(name).scenes]
    lines = {line for scene in scenes for line in scene.notes["en"].split("\n")}
    asked = {line.removeprefix("Do: ") for line in lines if line.startswith("Do: ")}
    assert asked == DOES.keys()


@pytest.mark.timeout(300 + 60 * MINUTES)
def test_what_the_notes_ask_for_stands(browser: Browser, app_server: driver.Server) -> None:
    lecture = load_lecture("decoding")
    given = {at: does(each) for at, each in enumerate(lecture.scenes) if each.name in SCENES}
    pause = max(LEAST, 60 * MINUTES / sum(map(len, given.values())))
    said_before = len(app_server.log())
    room = open_at(app_server.url, lecture)
    page = browser.new_page(viewport={"width": 1280, "height": 720}, locale="en-GB")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{app_server.url}/hall/{room.code}/present#{room.key}")
    at_scene(page, 0)
    lecturer = Lecturer(page, pause)
    for place, acts in given.items():
        lecturer.turn_to(place)
        for act in acts:
            lecturer.do(act)
        frame = page.locator("iframe.seen").content_frame
        expect(frame.locator("[data-testid=stException], [data-testid=stAlert]")).to_have_count(0)
    page.close()
    assert not wrong
    assert "Traceback" not in app_server.log()[said_before:]
