"""All bundled lectures played by keyboard: each scene shows what it speaks of, for the last row."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from glassformer.app.runs.scenes import trace_of
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.read import bundled_lectures
from glassformer.core.lectures.truth import find_truth
from tests.browser.last_row import SIZES, seen_from_the_last_row
from tests.browser.test_presenting import SMALL, at_scene, lecture_of, open_stage

# What a scene is about, where its screen is larger than the room below the scene's texts.
POINTS = {"decoding-beam": ".node.now", "decoding-padding": ".x3title"}
# All that a frame says, in components and drawings, too; a canvas by its label.
SAID = """(frame) => {
  const roots = [frame.contentDocument];
  for (const root of roots)
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) roots.push(each.shadowRoot);
  const texts = (each) => each.tagName === "CANVAS" ? [each.ariaLabel ?? ""] : [...each.childNodes]
    .filter((node) => node.nodeType === 3).map((node) => node.data);
  return roots.flatMap((root) => [...root.querySelectorAll("*")])
    .filter((each) => !["STYLE", "SCRIPT"].includes(each.tagName)).flatMap(texts).join(" ");
}"""


def join(name: str) -> tuple[Scene, ...]:
    """The scenes of a lecture, under names that are unique beside those of the others.

    What it asks before and after stays in its place: of all of them it would be asked at the ends.
    """
    scenes = []
    for scene in lecture_of(name).scenes:
        if (asked := scene.question) and (other := asked.truth.scene):
            asked = replace(asked, truth=replace(asked.truth, scene=f"{name}-{other}"))
        facts = {
            word: replace(each, scene=each.scene and f"{name}-{each.scene}")
            for word, each in scene.facts.items()
        }
        own = f"{name}-{scene.name}"
        scenes.append(replace(scene, name=own, asked="", question=asked, facts=facts))
    return tuple(scenes)


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
    keys, faults = ("ArrowRight", "PageDown", " ", "ArrowDown"), list[Any]()
    for place, scene in enumerate(lecture.scenes):
        if place:
            page.keyboard.press(keys[place % len(keys)])
        at_scene(page, place)
        shown = page.locator("iframe.seen")
        expect(shown).to_have_count(1)
        said = " ".join(str(shown.evaluate(SAID)).split())
        if not scene.step:  # a step may have gone on to other numbers
            assert (key := key_of(lecture, scene, language)) in said, f"{scene.name} lacks {key}"
        if point := POINTS.get(scene.name):
            page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
            expect(shown.content_frame.locator(point).first).to_be_in_viewport(ratio=0.99)
        # Every scene of a bundled lecture has a focus: tests/lectures/test_bundled.py.
        if scene.focus and (not scene.step or scene.focus != lecture.scenes[place - 1].focus):
            faults += [(scene.name, *fault) for fault in seen_from_the_last_row(page)]
        # The chrome of the app is gone, the scene's title stands on top, "…" stands nowhere.
        assert not shown.content_frame.locator(".stAppHeader").first.is_visible()
        assert "…" not in page.locator("#band").inner_text().replace("……", "")
    page.keyboard.press("Home")
    at_scene(page, 0)
    page.close()
    assert faults == []
