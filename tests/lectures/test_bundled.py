"""The lectures that come with the app: links that hold, numbers that are read, true claims."""

import re
from pathlib import Path

import pytest

from glassformer.app.runs.scenes import trace_of
from glassformer.app.runs.traces import get_trace
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State, clamp
from glassformer.core.lectures.check import check_lecture
from glassformer.core.lectures.lecture import Scene
from glassformer.core.lectures.read import bundled_lectures, load_lecture, read_lecture
from glassformer.core.lectures.truth import fill_texts, find_truth
from glassformer.core.lectures.write import write_lecture
from tests.architecture.sources import ROOT
from tests.lectures.claims import CLAIMS, Claim
from tests.lectures.learning_claims import DECODER, LEARNING

NAMES = bundled_lectures()
SCENES = [(name, scene.name) for name in NAMES for scene in load_lecture(name).scenes]
BENCHES = {  # with numbers of no run
    ("attention", "pull"), ("average", "pull"), ("decoding", "build"), ("learning", "gradient"),
    ("transformer", "gradient"), ("transformer", "scaling"),
}  # fmt: skip
# Numbers of runs are written in braces; these are arithmetic, or claims of their own.
TYPED = {"2.7", "0%", "0 %", "0.5"}
MINUTES = {  # as they are said
    "attention": 15, "average": 20, "decoder": 15, "decoding": 35, "heads": 30, "learning": 20,
    "transformer": 60,
}  # fmt: skip
SHORT = {"average": 12, "transformer": 30}  # of the short path of those that have one
VOTE = 1  # minutes of a scene that go to its question
TWICE = 0.75  # of a question that is asked before and after: its answer is told but once
WAYS = re.compile(r"(?:Say|Point|Do|Ask): |[讲指做问]：")  # how a line of notes begins
LONGEST = {"en": 34, "zh": 75}  # words, and characters, of a text that the last row can read


def good(page: str, query: object) -> tuple[str, ...]:
    """What of a link the app drops."""
    assert (ROOT / "app" / "pages" / (page or "translate") / "page.py").is_file(), page
    return State.from_query(query)[1]  # type: ignore[arg-type]


def test_every_lecture_says_how_long_it_is() -> None:
    assert set(NAMES) == set(MINUTES), "a lecture needs a row in MINUTES of this file"


@pytest.mark.parametrize("name", NAMES)
def test_a_lecture_holds_in_the_app(name: str) -> None:
    lecture = load_lecture(name)
    assert not [
        (each.scene, each.language, str(each.error))
        for each in check_lecture(lecture, good, trace_of)
    ]
    assert {"en", "zh"} <= set(lecture.languages) <= set(LANGUAGES)
    assert read_lecture(write_lecture(lecture)) == lecture
    for scene in lecture.scenes:
        for language in lecture.languages:
            state, dropped = State.from_query(scene.link(language)[1])
            trace = trace_of(scene, language)
            assert not dropped and not clamp(state, trace)[1], (scene.name, language)


@pytest.mark.parametrize(("name", "minutes"), MINUTES.items())
def test_the_minutes_are_those_of_the_title(name: str, minutes: int) -> None:
    """Votes included: whoever keeps to the plan is done in time."""
    lecture = load_lecture(name)
    assert minutes - 1 <= lecture.minutes <= minutes
    asked = [each for each in lecture.scenes if each.question]
    short = [each.name for each in asked if each.minutes < (TWICE if each.asked else 1 + VOTE)]
    assert not short, "too short for a vote"


@pytest.mark.parametrize("name", NAMES)
def test_a_short_path_is_as_long_as_it_says_and_has_its_answers(name: str) -> None:
    lecture = load_lecture(name)
    kept = [each for each in lecture.scenes if each.short]
    left_out = len(kept) < len(lecture.scenes)
    assert left_out == (name in SHORT)
    assert not left_out or sum(each.minutes for each in kept) == SHORT[name]
    answered = {each.question.truth.scene for each in kept if each.question}
    assert answered - {""} <= {each.name for each in kept}


def test_every_scene_fills_the_stage_with_its_subject() -> None:
    assert not [(name, at) for name, at in SCENES if not load_lecture(name).scene(at).focus]


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_a_scene_can_be_given(name: str, scene: str) -> None:
    lecture = load_lecture(name)
    each: Scene = lecture.scene(scene)
    assert each.text and each.notes and bool(each.minutes) != each.step
    of = re.sub(r"-\d+$", "", scene) if each.step else scene
    assert bool(each.key) != (bool(each.asked) or (name, of) in BENCHES)
    for language in lecture.languages:
        texts = fill_texts(lecture, each, language, trace_of)
        assert not re.search(r"\{[a-z_]+\}", texts.title + texts.text + texts.notes)
        length = len(texts.text.split()) if language == "en" else len(texts.text)
        assert length <= LONGEST[language], f"the last row reads {LONGEST[language]}: {texts.text}"
        raw = each.text[language] + each.notes[language]
        typed = re.findall(r"\d+\.\d+|\d+ ?%", raw)
        assert set(typed) <= TYPED, f"{typed}: read them in the run"


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_the_notes_ask_for_keys_that_do_it_in_front_of_a_hall(name: str, scene: str) -> None:
    each = load_lecture(name).scene(scene)
    for language, notes in each.notes.items():
        shows = re.search(r"(?<![A-Za-z_])V(?![A-Za-z_])|[Rr]eveal|公布", notes)
        assert bool(shows) == (each.question is not None), f"V is dead here: {language} {notes}"
        assert not re.search("[←→]|arrow key|方向键", notes), f"an arrow leaves the scene: {notes}"


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_a_line_of_the_notes_says_what_to_do_with_it(name: str, scene: str) -> None:
    given = load_lecture(name).scene(scene).notes
    begun = {}
    for language, notes in given.items():
        lines = notes.split("\n")
        begun[language] = [WAYS.match(line) for line in lines]
        assert all(begun[language]), lines
    said = {"讲": "Say", "指": "Point", "做": "Do", "问": "Ask"}
    ways = [[each[0].strip("： :") for each in found if each] for found in begun.values()]
    named = [[said.get(each, each) for each in found] for found in ways]
    assert all(each == named[0] for each in named), "the languages do the same, in the same order"


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_where_the_translation_changes_the_map_beside_it_does(name: str, scene: str) -> None:
    page, query = load_lecture(name).scene(scene).link("en")
    state = State.from_query(query)[0]
    if page != "switch" or not state.edits:
        return
    plain, trace = get_trace(state.text), trace_of(load_lecture(name).scene(scene), "en")
    if plain.output_text == trace.output_text:
        return
    sublayer = "cross_attention" if state.kind == "cross" else "self_attention"
    stack = "encoder" if state.kind == "encoder" else "decoder"
    before, after = (each[f"{stack}/{state.layer}/{sublayer}/weights"] for each in (plain, trace))
    if state.head is not None:
        before, after = before[:, state.head], after[:, state.head]
    assert before.shape != after.shape or float((before - after).abs().max()) > 0.05


@pytest.mark.parametrize(
    "claim",
    [*CLAIMS, *LEARNING, *DECODER],
    ids=lambda each: f"{each.lecture}-{each.scene}-{each.words[:30]}",
)
def test_a_claim_is_true(claim: Claim) -> None:
    lecture = load_lecture(claim.lecture)
    assert lecture.scene(claim.scene)
    for language in lecture.languages:
        assert claim.holds(language), (claim.words, language)


def test_a_key_is_a_number_or_a_word_of_its_own_scene() -> None:
    for name, scene in SCENES:
        lecture = load_lecture(name)
        each = lecture.scene(scene)
        if each.key is None:
            continue
        assert not each.key.scene, "the key is on the screen of its scene"
        for language in lecture.languages:
            assert find_truth(each.key, trace_of(each, language), language).text.strip()


def test_the_files_are_named_as_they_say() -> None:
    for path in Path(ROOT / "assets" / "lectures").glob("*.toml"):
        assert read_lecture(path.read_bytes()).name == path.stem
