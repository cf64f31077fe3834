"""The workshop without a browser: the form, what is told about pairs, and a run from end to end."""

import json
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import serve
from glassformer.app.pages.training import workshop
from glassformer.app.pages.training.figures.workshop import curve_drawing, head_figure
from glassformer.app.pages.training.workshop import data, live
from glassformer.app.pages.training.workshop.form import PRESETS, Form
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import trainings
from glassformer.app.runs.kept_models import folder_of_model, plain_name
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.corpus import load_grammar
from glassformer.core.lectures.links import unpack_query as opened_link
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.history import CurvePoint, SnapshotMetrics
from glassformer.core.training.queue.lessons import (
    examples_of,
    family_names,
    narrow_grammar,
    pronoun_families,
)
from glassformer.core.training.queue.pairs import Problem
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.training_queue import TrainingQueue
from tests.opened_app import drawn, opened, state_of
from tests.visitor import run

WAIT = 200
PAIRS = "\n".join(f"word{i % 9} is {i}\t{i} 是 词{i % 9}" for i in range(40))


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., AppTest]]:
    desk = TrainingQueue(lambda _: True, slots=1, root=tmp_path)
    monkeypatch.setattr(trainings, "training_desk", lambda: desk)
    monkeypatch.setenv("GLASSFORMER_NICE", "0")  # nice ones wait long on a busy machine
    yield partial(opened, "training", training="workshop")
    desk.close()


def button(app: AppTest, name: str) -> object:
    return app.button(key=f"workshop_{name}")


def said(app: AppTest) -> str:
    written = "\n".join(element.value for element in (*app.markdown, *app.caption))
    return re.sub(r"\\([^\w\s])", r"\1", written)


def lesson(app: AppTest) -> dict[str, object]:
    found = [e.proto for e in app.get("bidi_component")]
    proto = next(p for p in found if p.component_name.endswith("lesson_view"))
    shown: dict[str, object] = json.loads(proto.bytes)
    return shown


def set_form(app: AppTest, **values: object) -> None:
    form = Form(**values)  # type: ignore[arg-type]
    app.session_state["state"] = replace(state_of(app), recipe=form.text)
    app.run()
    assert not app.exception


def run_until(app: AppTest, status: str, rows: int = 0) -> None:
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        app.run()
        assert lesson(app)["tone"] != "bad", lesson(app)["headline"]
        if lesson(app)["tone"] == status and len(lesson(app)["rows"]) >= rows:  # type: ignore[arg-type]
            return
        time.sleep(0.3)
    raise AssertionError(f"not {status}")


def test_presets_fill_the_form_and_a_change_leaves_them(open_page: Callable[..., AppTest]) -> None:
    app = open_page()
    preset = app.button_group(key="widget_workshop_preset")
    assert preset.value == "tiny"
    preset.set_value("small").run()
    assert app.number_input(key="widget_workshop_steps").value == PRESETS["small"]["steps"]
    assert app.selectbox(key="widget_workshop_d_model").value == PRESETS["small"]["d_model"]
    app.number_input(key="widget_workshop_steps").set_value(1200).run()
    assert app.button_group(key="widget_workshop_preset").value is None
    assert Form.read(state_of(app).recipe).steps == 1200
    assert app.number_input(key="widget_workshop_steps").max == 5000


def test_the_form_survives_a_page_change(open_page: Callable[..., AppTest]) -> None:
    app = open_page()
    app.number_input(key="widget_workshop_seed").set_value(77).run()
    app.switch_page("app/pages/attention/page.py").run()
    app.switch_page("app/pages/training/page.py").run()
    assert app.number_input(key="widget_workshop_seed").value == 77


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_family_has_examples(open_page: Callable[..., AppTest], language: str) -> None:
    app = open_page(language=language)
    names = family_names(load_grammar())
    set_form(app, source="all")
    table = next(e.proto.body for e in app.get("html") if "workshop-families" in e.proto.body)
    assert table.count('<th scope="row">') == len(names)
    # A pattern is shown by its number and its sentences, not by its name in the files.
    assert not any(name in table for name in names if "_" in name)
    set_form(app, source="chosen")
    assert button(app, "start").disabled  # type: ignore[attr-defined]
    offered = app.multiselect(key="widget_workshop_families").options
    side = int(language == "zh")  # the pair's second, for whoever reads it
    assert offered[0] == examples_of(load_grammar(), names[0], 1)[0][side]
    assert len(set(offered)) == len(names)
    app.multiselect(key="widget_workshop_families").set_value([names[0]]).run()
    assert not button(app, "start").disabled  # type: ignore[attr-defined]


def test_pronouns_are_part_of_the_grammar() -> None:
    grammar = load_grammar()
    assert 0 < len(pronoun_families(grammar)) < len(family_names(grammar))
    narrow = narrow_grammar(grammar, pronoun_families(grammar))
    assert {rule.name for rule in narrow.templates.rules} == set(pronoun_families(grammar))
    assert len(grammar.templates.rules) > len(narrow.templates.rules)


def test_broken_pairs_are_told_and_nothing_is_lost(open_page: Callable[..., AppTest]) -> None:
    app = open_page()
    set_form(app, source="own", steps=300)
    assert button(app, "start").disabled  # type: ignore[attr-defined]
    broken = PAIRS + "\n" + "\n".join(f"bad <b>{i}</b> $x$" for i in range(14))
    app.text_area(key="widget_workshop_text").set_value(broken).run()
    assert not app.exception
    shown = said(app)
    assert "Line 41: no tab" in shown and "bad <b>0</b> $x$" in shown
    assert "Line 50" in shown and "Line 51" not in shown and "and 4 more" in shown
    assert button(app, "start").disabled  # type: ignore[attr-defined]
    app.checkbox(key="widget_workshop_leave_out").check().run()
    assert not button(app, "start").disabled  # type: ignore[attr-defined]
    app.switch_page("app/pages/attention/page.py").run()
    app.switch_page("app/pages/training/page.py").run()
    assert app.text_area(key="widget_workshop_text").value == broken
    app.button_group(key="widget_language").set_value("zh").run()
    assert "第 41 行" in said(app) and "还有 4 处" in said(app)


def test_the_example_can_be_trained(open_page: Callable[..., AppTest]) -> None:
    app = open_page()
    set_form(app, source="own")
    button(app, "example").click().run()  # type: ignore[attr-defined]
    assert "60 pairs can be used" in said(app)
    assert not button(app, "start").disabled  # type: ignore[attr-defined]


def test_every_problem_and_note_has_words() -> None:
    for key in ("empty", "utf16", "quotes"):
        assert data.problem_text(Problem(key)).strip()
    assert data.problem_text(Problem("side_empty", 3, {"side": 2})) == (
        "Line 3: the second side is empty."
    )


def test_buttons_and_view_say_the_same(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page()
    set_form(app, source="own", d_model=16, n_heads=2, d_ff=32, steps=5000)
    app.text_area(key="widget_workshop_text").set_value(PAIRS).run()
    button(app, "start").click().run()  # type: ignore[attr-defined]
    shown: list[str] = []
    monkeypatch.setattr(live, "show", shown.append)
    for looks in range(12):  # it stops while the page is drawn
        statuses = iter(["stopping"] * looks + ["stopped"] * 99)
        monkeypatch.setattr(TrainingRun, "status", property(lambda _, read=statuses: next(read)))
        app.run()
        assert not app.exception
        ended = any(each.key == "workshop_discard" for each in app.button)
        assert ended == (shown[-1] == "stopped")
    assert set(shown) == {"stopping", "stopped"}


@pytest.mark.slow
def test_start_stop_go_on_keep_use_and_take_away(
    open_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    app = open_page()
    set_form(app, source="own", d_model=16, n_heads=2, d_ff=32, steps=5000)
    app.text_area(key="widget_workshop_text").set_value(PAIRS).run()
    button(app, "start").click().run()  # type: ignore[attr-defined]
    assert opened_link(dict(app.query_params))["mine"] == state_of(app).mine != ""
    assert app.number_input(key="widget_workshop_steps").disabled
    run_until(app, "run", rows=2)
    assert "words that are not in your pairs" in said(app)
    button(app, "stop").click().run()  # type: ignore[attr-defined]
    run_until(app, "rest")
    first, rows = state_of(app).mine, lesson(app)["rows"]
    button(app, "resume").click().run()  # type: ignore[attr-defined]
    assert lesson(app)["tone"] == "run" and lesson(app)["rows"] == rows
    app.switch_page("app/pages/attention/page.py").run()
    app.switch_page("app/pages/training/page.py").run()
    assert state_of(app).mine == first
    button(app, "stop").click().run()  # type: ignore[attr-defined]
    run_until(app, "rest")
    button(app, "keep").click().run()  # type: ignore[attr-defined]
    assert "mine-1" in app.selectbox(key="widget_model_en").options
    app.text_input(key="widget_sentence").set_value("word3 is 12").run()
    app.selectbox(key="widget_model_en").select("mine-1").run()
    assert not app.exception and drawn(app).model_name == "mine-1"
    button(app, "discard").click().run()  # type: ignore[attr-defined]
    assert "mine-1" in app.selectbox(key="widget_model_en").options
    kept = folder_of_model(link := state_of(app).model)
    assert plain_name(link) == "mine-1"
    packed = zipfile.ZipFile(BytesIO(workshop.pack(kept, "mine-1")))
    packed.extractall(tmp_path / "unpacked")
    own = load_model(tmp_path / "unpacked" / "mine-1")
    assert own.translate("word3 is 12", "en-zh") == drawn(app).output_text
    other = open_page()
    assert "mine-1" not in other.selectbox(key="widget_model_en").options
    see_as_a_stranger(link, first)
    app.run()
    assert drawn(app).model_name == "mine-1"


def see_as_a_stranger(link: str, token: str) -> None:
    """Whoever opens the link that its owner copied reads it, and a name alone opens nothing."""
    stranger = opened("attention", model=link, mine=token)
    assert drawn(stranger).model_name == "mine-1"
    assert "mine-1" in stranger.selectbox(key="widget_model_en").options
    stranger = opened("attention", model="mine-1", mine=token)
    assert "mine-1" in said(stranger)
    assert drawn(stranger).model_name != "mine-1"
    assert "mine-1" not in stranger.selectbox(key="widget_model_en").options


@pytest.mark.slow
def test_the_second_one_waits_for_the_first(open_page: Callable[..., AppTest]) -> None:
    first, second = open_page(), open_page()
    for app in (first, second):
        set_form(app, source="own", d_model=16, n_heads=2, d_ff=32, steps=100)
        app.text_area(key="widget_workshop_text").set_value(PAIRS).run()
        button(app, "start").click().run()  # type: ignore[attr-defined]
    assert "number 1 in the line" in str(lesson(second)["headline"])
    run_until(first, "good")
    assert (shown := lesson(first))["share"] == 1 and len(shown["drawing"]["line"]) == 100  # type: ignore[call-overload,index,arg-type]
    run_until(second, "run")
    button(second, "stop").click().run()  # type: ignore[attr-defined]
    run_until(second, "rest")


def test_the_end_of_the_server_ends_the_trainings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    desk = TrainingQueue(lambda _: True, slots=1, root=tmp_path)
    monkeypatch.setattr(trainings, "training_desk", lambda: desk)
    monkeypatch.setattr(serve, "_load", lambda: None)

    async def live() -> None:
        async with serve._warm_up(None):
            assert list(tmp_path.iterdir())

    run(live())
    assert not list(tmp_path.iterdir())


def test_the_curve_lies_in_its_frame() -> None:
    points = [CurvePoint(10, 6.0, 0.1), CurvePoint(20, 3.0, 0.1)]
    drawing = curve_drawing(points, [SnapshotMetrics(0, {"loss": 7.2}), SnapshotMetrics(5)], 40)
    assert drawing["line"] == [(0.25, 0.75), (0.5, 0.375)] and drawing["marks"] == [(0.0, 0.9)]
    assert [label for _, label in drawing["across"]] == ["0", "10", "20", "30", "40"]
    assert drawing["up"][0] == (0.0, "0") and drawing["up"][-1] == (1.0, "8")
    assert curve_drawing([], [], 100)["line"] == []


def test_the_head_says_its_words_literally() -> None:
    weights = np.array([[0.25, 0.75]], dtype=np.float32)
    figure = head_figure(
        weights, ["<b>x</b>"], ["a", "&lt;"], "{row}>{column}:{value}", FigureStyle(), (300, 300)
    )
    assert figure.data[0].customdata[0][1] == "&lt;b&gt;x&lt;/b&gt;>&amp;lt;:0.750"
    assert figure.data[0].z.dtype == np.float32 and figure.data[0].zmax == 1


def test_times_are_said_roughly() -> None:
    assert [live.duration_in_words(s) for s in (1, 33, 56, 95, 600)] == [
        "5 s", "35 s", "1 min", "2 min", "10 min",
    ]  # fmt: skip
