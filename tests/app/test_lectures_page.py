"""The Lectures page without a browser: what is kept, refused, made of a scene by its form."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lectures import alone, article, edit, exercises, one
from glassformer.app.panels import drafts
from glassformer.app.runs.scenes import trace_of
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import limits
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.takeaway import sheets
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.exercises import make_sheet
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import load_lecture, read_lecture
from glassformer.core.lectures.truth import answer_of, fill_texts
from glassformer.core.lectures.write import write_lecture
from glassformer.core.trace.trace import Trace
from tests.lectures.lectures import GOOD, TWICE
from tests.opened_app import memory, opened, state_of, texts_of

LECTURE = read_lecture((Path(__file__).parents[1] / "browser" / "presented.toml").read_bytes())


def with_draft(lecture: Lecture = LECTURE) -> AppTest:
    """The page with a lecture that the browser has kept, open."""
    app = opened("lectures")
    memory(app).drafts = {lecture.name: write_lecture(lecture)}
    app.session_state["state"] = state_of(app).changed(lecture=lecture.name)
    app.run()
    assert not app.exception
    return app


def kept(app: AppTest) -> Lecture:
    held = memory(app).drafts
    assert held is not None
    return read_lecture(held[LECTURE.name])


def test_a_field_is_kept_as_soon_as_it_is_left_and_undone() -> None:
    app = with_draft()
    app.text_input(f"widget_lecture_{LECTURE.name}_0_title_zh").set_value("新标题 $x$").run()
    assert not app.exception
    assert kept(app).scenes[0].title == {**LECTURE.scenes[0].title, "zh": "新标题 $x$"}
    changes = memory(app).drafts_written.changes  # what the browser is to write
    assert read_lecture(str(changes[LECTURE.name])) == kept(app)
    app.button("widget_lectures_undo").click().run()
    assert kept(app) == LECTURE


def test_a_scene_is_left_out_of_the_short_path() -> None:
    app = with_draft()
    app.checkbox(f"widget_lecture_{LECTURE.name}_0_short").uncheck().run()
    assert not app.exception
    assert [scene.short for scene in kept(app).scenes[:3]] == [False, True, True]


def test_what_no_scene_can_be_is_told_and_nothing_is_kept() -> None:
    app = with_draft()
    link = app.text_input(f"widget_lecture_{LECTURE.name}_0_link_en")
    link.set_value("nowhere?layer=2").run()
    assert [each.value for each in app.error] and "nowhere" in app.error[0].value
    assert kept(app) == LECTURE
    link = app.text_input(f"widget_lecture_{LECTURE.name}_0_link_en")
    link.set_value("http://localhost:8501/attention?layer=2&theme=dark").run()
    assert not app.error
    assert kept(app).scenes[0].link("en") == ("attention", {"layer": "2"})


@pytest.mark.parametrize("kind", ["choice", "number", "word"])
def test_a_question_begins_as_one_that_the_run_answers(kind: str) -> None:
    app = with_draft()
    app.selectbox(f"widget_lecture_{LECTURE.name}_0_kind").set_value(kind).run()
    question = kept(app).scenes[0].question
    assert question is not None and question.kind == kind
    assert not app.error and not app.warning
    assert any("The run answers" in each.value for each in app.caption)


def test_options_are_as_many_as_lines_and_stand_in_every_language() -> None:
    app = with_draft()
    app.selectbox(f"widget_lecture_{LECTURE.name}_0_kind").set_value("choice").run()
    app.text_area(f"widget_lecture_{LECTURE.name}_0_options_en").set_value("a\n\n b \nc").run()
    question = kept(app).scenes[0].question
    assert question is not None
    assert [option["en"] for option in question.options] == ["a", "b", "c"]
    assert all(option["zh"] for option in question.options)
    assert len(question.truth.bounds) == 2


def test_a_link_to_a_lecture_that_is_nowhere_is_left_out() -> None:
    app = opened("lectures", lecture="none-such")
    assert any("Looking for it" in each.value for each in app.caption)  # the browser may have it
    memory(app).drafts = {}
    app.run()
    assert state_of(app).lecture == "" and not app.exception


def test_a_draft_that_cannot_be_read_is_told_with_its_line() -> None:
    app = opened("lectures")
    memory(app).drafts = {"bad": 'name = "bad"\ntitle.en = '}
    app.run()
    assert not app.exception
    app.session_state["state"] = state_of(app).changed(lecture="bad")
    app.run()
    assert not app.exception and "2" in app.error[0].value
    app.button("widget_lecture_remove").click().run()
    assert memory(app).drafts == {}


def test_a_truth_is_read_as_it_is_typed() -> None:
    lecture = edit.with_truth(
        LECTURE, 1, '{ address = "memory", at = { position = 0, feature = 1 } }'
    )
    question = lecture.scenes[1].question
    assert question is not None and question.truth.address == "memory"
    assert lecture.scenes[2:] == LECTURE.scenes[2:]
    for typed in ("", "{", '{ address = "memory", wrong = 1 }', '"""', "1\n[[scene]]"):
        with pytest.raises(GlassformerError):
            edit.with_truth(LECTURE, 1, typed)


def test_scenes_move_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Lecture] = []
    monkeypatch.setattr(drafts, "put_draft", held.append)
    names = [scene.name for scene in LECTURE.scenes]
    assert one.rearrange_scene(LECTURE, "up", 1) == 0
    assert [scene.name for scene in held[-1].scenes] == [names[1], names[0], *names[2:]]
    assert (
        one.rearrange_scene(LECTURE, "up", 0) == 0 and one.rearrange_scene(LECTURE, "down", 5) == 5
    )
    assert one.rearrange_scene(LECTURE, "remove", 5) == 4
    assert [scene.name for scene in held[-1].scenes] == names[:5]
    assert len(held) == 2


def test_more_drafts_than_a_browser_keeps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_draft()
    monkeypatch.setattr(drafts, "MOST_DRAFTS", 1)
    app.button("widget_lecture_copy").click().run()
    assert not app.exception
    assert list(memory(app).drafts or {}) == [LECTURE.name]
    assert any(f"{1}" in each.value for each in app.error)
    assert limits.MOST_DRAFTS > 1


def test_the_presenters_key_is_asked_for_where_others_come_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GLASSFORMER_HALL", "key")
    monkeypatch.setenv("GLASSFORMER_HALL_FOLDER", str(tmp_path))
    app = with_draft()
    app.button("widget_lecture_present").click().run()
    assert app.text_input("widget_presenter_key").value == ""
    assert memory(app).lecture_room is None  # no room before the key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lecture_that_is_read_has_its_numbers(language: str) -> None:
    app, lecture = opened("lectures"), load_lecture("attention")
    scene = lecture.scene("look")
    memory(app).scene_chosen = {"attention": lecture.scenes.index(scene)}
    memory(app).article = {"attention": False}  # for whoever gives it, with the notes
    app.session_state["state"] = state_of(app).changed(lecture="attention", language=language)
    app.run()
    assert not app.exception
    shown = [each.value for each in [*app.text, *app.markdown]]
    assert not [text for text in shown if re.search(r"\{[a-z_]+\}", text)]
    spoken = language if language in lecture.languages else lecture.languages[0]
    texts = fill_texts(lecture, scene, spoken, trace_of)
    assert texts.text in shown and texts.notes in shown
    assert re.search(r"\d%", texts.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lecture_is_an_article_with_its_numbers_answers_and_why(language: str) -> None:
    app, lecture = opened("lectures", lecture="attention", language=language), load_lecture(
        "attention"
    )  # fmt: skip
    look = next(x for x in article_of(app)["parts"] if x["name"] == "look")
    scene = lecture.scene("look")
    assert look["texts"][0] == fill_texts(lecture, scene, language, trace_of).text
    assert look["links"][0] == [scene.page, dict(scene.link(language)[1])]
    assert ["animal", "动物"][:: 1 if language == "en" else -1] in look["glossed"]
    asked = next(x for x in article_of(app)["parts"] if x["name"] == "cross")
    (question,) = asked["questions"]
    answer = answer_of(lecture, lecture.scene("cross"), language, trace_of)
    assert answer is not None and question["right"] == answer.value
    assert question["answer"] == question["options"][int(answer.value)] == answer.text
    # Why: the largest weights of the row that is asked about, in the other scene's run.
    trace = trace_of(lecture.scene("cause"), language)
    row = trace.pick(answer.address, **answer.place)
    assert question["why"][0][1] == f"{row.max():.1%}"
    page, query = question["look"]
    assert page == "tensors" and answer.address in query["trail"]
    state, dropped = State.from_query(query)
    assert not dropped and state.trail is not None
    assert trace[answer.address][state.trail[1]] == row.max()


def test_an_own_lecture_is_edited_and_an_old_file_read() -> None:
    app = with_draft()
    assert not [text for text in texts_of(app) if '"parts"' in text]
    memory(app).article = {LECTURE.name: True}
    app.run()
    parts = article_of(app)["parts"]
    assert [each["name"] for each in parts] == [scene.name for scene in LECTURE.scenes]


def test_steps_of_a_scene_stand_in_it_one_after_the_other() -> None:
    text = GOOD.replace(
        '[[scene]]\nname = "two"',
        '[[scene.step]]\nset = { stage = "scores" }\ntext.en = "Scores."\ntext.zh = "分数。"\n'
        '[[scene.step]]\nset = { stage = "scaled" }\nfocus = ["attention_large"]\n'
        '[[scene]]\nname = "two"',
    )
    lecture = read_lecture(text)
    one, two = article.scenes_with_steps(lecture)
    assert [len(one), len(two)] == [3, 1]
    told = article.part_data(lecture, one, "en")
    assert told["texts"] == ["", "Scores.", ""]  # what was said before is not said again
    assert [query.get("stage") for _, query in told["links"]] == [None, "scores", "scaled"]
    assert told["stages"] == [(), (), ("attention_large",)]
    assert [each["name"] for each in told["questions"]] == ["one"]


def test_a_question_asked_twice_goes_as_a_pair_and_keeps_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[Lecture] = []
    monkeypatch.setattr(drafts, "put_draft", held.append)
    lecture = read_lecture(TWICE)
    assert one.rearrange_scene(lecture, "down", 0) == 0 and not held
    assert one.rearrange_scene(lecture, "up", 2) == 2 and not held  # no scene before the question
    one.rearrange_scene(lecture, "remove", 0)
    names = [scene.name for scene in held[-1].scenes]
    assert names == ["before-word", "one", "two", "after-word"]


def article_of(app: AppTest) -> Any:
    """What the article's component is given."""
    blocks: list[Any] = [app._tree]
    while blocks:
        block = blocks.pop()
        blocks.extend(getattr(block, "children", {}).values())
        if block.type == "bidi_component":
            told = json.loads(block.proto.bytes)
            if isinstance(told, dict) and "parts" in told:
                return told
    raise LookupError


def test_before_it_is_asked_again_a_question_has_no_answer() -> None:
    lecture = read_lecture(TWICE)
    before, after, given = (
        article.question_data(lecture, lecture.scene(name), "en", ())
        for name in ("before-word", "after-word", "after-grows")
    )
    assert "right" not in before and "why" not in before
    assert after["right"] in (0, 1) and after["why"]
    assert given["right"] == 1 and given["given"] and "why" not in given


def test_a_sheet_is_marked_and_its_files_hold_it() -> None:
    app = opened("lectures", sheet="17")
    trace = on_screen_trace(app)
    sheet = make_sheet(trace, 17)
    gaps = [gap for each in sheet for gap in each.gaps]
    given = [gap.shown for gap in gaps]
    given[1], given[2], given[3] = "99", "a half", given[3].replace(".", ",")
    for at, text in enumerate(given):
        app.text_input(f"widget_gap_17_{at}").set_value(text)
    app.button("widget_sheet_check").click().run()
    assert not app.exception
    marks = exercises.mark_answers(sheet, tuple(given))
    assert marks == (True, False, None, *[True] * (len(gaps) - 3))
    assert memory(app).sheet_marked == ((trace.source_text, trace.model_name, 17), marks)
    assert any(f"{len(gaps) - 2} of {len(gaps)} are right" in x.value for x in app.markdown)
    assert "✗" in app.text_input("widget_gap_17_1").label
    app.number_input("widget_sheet_17").set_value(18).run()
    assert state_of(app).sheet == 18 and "✓" not in app.text_input("widget_gap_18_0").label


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheets_to_print_hold_each_seed_and_no_answer(language: str) -> None:
    trace = get_trace("<b>it</b> loves & you very much", "auto", "", "")
    made = {seed: make_sheet(trace, seed) for seed in (3, 4)}
    plain, solved = (
        sheets.sheet_file(trace, made, each, language).decode() for each in (False, True)
    )
    assert plain.count('class="sheet"') == solved.count('class="sheet"') == 2
    assert say("exercises.softmax", language) in plain
    assert "<script" not in plain and "<b>it</b>" not in plain and "default-src 'none'" in plain
    gaps = [gap for sheet in made.values() for each in sheet for gap in each.gaps]
    assert len(re.findall(r'class="gap">\([a-j]\)</td>', plain)) == len(gaps)
    assert len(re.findall(r'class="gap">\([a-j]\) <b>', solved)) == len(gaps)
    for gap in gaps:
        assert f"<b>{gap.shown}</b>" in solved


def on_screen_trace(app: AppTest) -> Trace:
    shown = memory(app).shown
    assert shown is not None
    return shown.trace


def test_alone_a_lecture_has_its_numbers_and_answers() -> None:
    told = alone.lecture_data(LECTURE, "en", "dark")
    assert "98.2%" in told["scenes"][1]["text"]["en"]
    assert told["scenes"][1]["answer"]["answer"]["value"] == "animal"
    wrong = replace(LECTURE.scenes[1], query={"text": "x " * 500}, links={})
    told = alone.lecture_data(LECTURE.having(wrong), "en", "")
    assert "…" in told["scenes"][0]["text"]["en"]
    assert "error" in told["scenes"][0]["answer"]["answer"]
