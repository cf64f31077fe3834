"""A lecture is given: what its notes ask to do is done, and stands while one talks about it.

One talks for a second each time; `LECTURE_MINUTES=10` gives the whole for ten minutes.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from glassformer.core.lectures.lecture import Scene
from glassformer.core.lectures.read import bundled_lectures, load_lecture
from tests.browser import driver
from tests.browser.test_decoding_steps import WORDS
from tests.browser.test_presenting import at_scene, pooled
from tests.hall.halls import open_at

SCENES = ("loop", "unsure", "build", "sampling")  # of the lecture about decoding, each with a "Do:"
MINUTES = float(os.environ.get("LECTURE_MINUTES", "0"))
LEAST = 1.0  # seconds that one talks after a copy of the scene is there, which could take its place
# A screen that somebody works on, once a copy of its scene is drawn beside it.
COPIED = """() => pool.frames.some((each) =>
  each !== pool.shown && each.scene === pool.at && each.ready)"""
ROW = """(chart, row) => {
  const {xaxis, yaxis} = chart._fullLayout;
  return {x: xaxis._offset + xaxis.l2p(0.6), y: yaxis._offset + yaxis.l2p(row)};
}"""

Check = Callable[[], None]
Act = Callable[
    [FrameLocator], Check
]  # does one thing on a scene; what it gives sees that it stands


def steps_on(frame: FrameLocator) -> Check:
    for _ in range(3):
        frame.get_by_role("button", name="One step on").click()
    return lambda: expect(frame.get_by_text("Step 4 of 5", exact=True)).to_be_visible()


def takes_nice(frame: FrameLocator) -> Check:
    chart = frame.locator(f'{WORDS}[data-heard="yes"]')
    place = chart.evaluate(ROW, 1)
    chart.hover(position=place)
    chart.click(position=place)
    return lambda: expect(frame.locator(".steps li.forced .writes")).to_have_text("nice")


def gives_back(frame: FrameLocator) -> Check:
    frame.get_by_role("button", name="Back to the model").click()

    def check() -> None:
        expect(frame.locator(".steps li.forced")).to_have_count(0)
        expect(frame.locator(".steps .writes").nth(7)).to_have_text("good")

    return check


def hides_the_diagonal(frame: FrameLocator) -> Check:
    field = frame.get_by_role("textbox", name="first hidden diagonal")
    field.click()
    field.press("ControlOrMeta+a")
    field.press_sequentially("0")
    bench = frame.locator("[class*=st-key-lab_bench--]")
    return lambda: expect(bench).to_contain_text("diagonal=0")


def draws_again(frame: FrameLocator) -> Check:
    seed = frame.get_by_role("spinbutton", name="Seed")
    for drawn in (5, 6, 7):
        frame.get_by_role("button", name="Draw again").click()
        expect(seed).to_have_value(str(drawn))
    return lambda: expect(seed).to_have_value("7")


def heats(to: float) -> Act:
    def act(frame: FrameLocator) -> Check:
        drag(frame.get_by_role("slider", name="Temperature T"), to)
        return lambda: expect(frame.get_by_text(f"T = {to:g}, no cut", exact=True)).to_be_visible()

    return act


def drag(slider: Locator, to: float) -> None:
    """Its knob, of 12 pixels, to a number."""
    way = slider.locator("xpath=ancestor::*[@data-testid='stSlider']").bounding_box()
    knob, mouse = slider.bounding_box(), slider.page.mouse
    low, high = (float(slider.get_attribute(each) or 0) for each in ("min", "max"))
    assert way is not None
    assert knob is not None
    mouse.move(knob["x"], knob["y"])
    mouse.down()
    share = (to - low) / (high - low)
    mouse.move(way["x"] + 6 + share * (way["width"] - 12), knob["y"], steps=8)
    mouse.up()


DOES: dict[str, tuple[Act, ...]] = {
    "click › two or three times; the picture below changes with each step.": (steps_on,),
    "click “nice” below: it goes on from there, your word in pink. Then Back to the model.": (
        takes_nice,
        gives_back,
    ),
    "set the first hidden diagonal to 0. Now a row may not even see the current word, and the "
    "first row may look at nothing at all.": (hides_the_diagonal,),
    "draw again a few times. Then temperature to 2, and look at the row Temperature: nonsense. "
    "To 0.5: sense again, with “good” or with “nice”.": (draws_again, heats(2), heats(0.5)),
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
