"""The Lectures page without a browser: what is kept, refused, made of a scene by its form."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lectures import alone, edit, one
from glassformer.app.panels import drafts
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session import limits
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import load_lecture, read_lecture
from glassformer.core.lectures.truth import fill_texts
from glassformer.core.lectures.write import write_lecture
from tests.opened_app import memory, opened, state_of

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
    changes = memory(app).drafts_changes  # what the browser is to write
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
    app.session_state["state"] = state_of(app).changed(lecture="attention", language=language)
    app.run()
    assert not app.exception
    shown = [each.value for each in [*app.text, *app.markdown]]
    assert not [text for text in shown if re.search(r"\{[a-z_]+\}", text)]
    spoken = language if language in lecture.languages else lecture.languages[0]
    texts = fill_texts(lecture, scene, spoken, trace_of)
    assert texts.text in shown and texts.notes in shown
    assert re.search(r"\d%", texts.text)


def test_alone_a_lecture_has_its_numbers_and_answers() -> None:
    told = alone.lecture_data(LECTURE, "en", "dark")
    assert "98.2%" in told["scenes"][1]["text"]["en"]
    assert told["scenes"][1]["answer"]["answer"]["value"] == "animal"
    wrong = replace(LECTURE.scenes[1], query={"text": "x " * 500}, links={})
    told = alone.lecture_data(LECTURE.having(wrong), "en", "")
    assert "…" in told["scenes"][0]["text"]["en"]
    assert "error" in told["scenes"][0]["answer"]["answer"]
