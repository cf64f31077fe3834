"""The Training page and the whole app at a step, without a browser, on a model made for it."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from glassformer.app.runs import models as stored
from glassformer.app.runs import traces
from glassformer.app.runs.traces import get_replay
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.ui.components.word_lines import NO_STEP
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models import checkpoints
from glassformer.core.text_models.checkpoints import load_model, save_model, save_snapshot
from glassformer.core.text_models.history import CurvePoint, History, SnapshotMetrics, save_history
from tests.architecture.sources import ROOT
from tests.opened_app import drawn

STEPS = (0, 50, 100, 400)
SENTENCE = "I like you"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled weights with three snapshots on the way from a random start, and one without."""
    top = tmp_path_factory.mktemp("checkpoints")
    end = load_model()
    save_model(top / "plain", end.transformer, end.tokenizer)
    save_model(top / "translator", end.transformer, end.tokenizer)
    torch.manual_seed(3)
    start = Transformer(end.config).requires_grad_(False)
    for step, share in zip(STEPS[:-1], (0.0, 0.05, 0.8), strict=True):
        mixed = Transformer(end.config).requires_grad_(False)
        for name, weight in mixed.named_parameters():
            goal = end.transformer.get_parameter(name)
            weight.copy_(torch.lerp(start.get_parameter(name), goal, share))
        save_snapshot(top / "translator", mixed, step)
    curve = tuple(CurvePoint(step, 400 / step, 0.1) for step in range(50, 401, 50))
    metrics = ({"loss": 8.0}, {"loss": 6.0, "alignment": 0.25}, {"alignment": 0.5}, {"loss": 1.25})
    snapshots = tuple(map(SnapshotMetrics, STEPS, metrics))
    save_history(top / "translator", History(curve, snapshots))
    return top


@pytest.fixture
def models(folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy that a test may damage, in the place of the bundled models."""
    copy = tmp_path / "checkpoints"
    shutil.copytree(folders, copy)
    monkeypatch.setattr(checkpoints, "CHECKPOINTS", copy)
    forget()
    yield copy
    forget()


def forget() -> None:
    for known in (
        stored._load,
        stored.get_heads,
        stored._taught,
        stored._history,
        stored.get_exact_match,
    ):
        known.cache_clear()
    for cache in (traces._traces, stored._snapshots, traces._replays):
        cache.clear()


@pytest.fixture
def open_page(models: Path) -> Callable[..., AppTest]:
    def run(page: str = "training", **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for name, value in {"text": SENTENCE, **query}.items():
            app.query_params[name] = value
        if page != "translate":
            app._page_hash = calc_hash(page)  # `switch_page` knows no URL before the first run
        app.run()
        assert not app.exception
        return app

    return run


def state_of(app: AppTest) -> State:
    state: State = app.session_state["state"]
    return state


def markdown(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.info]
    return "\n".join(element.value for element in shown)


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def component(app: AppTest, name: str) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith(name))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


def slider(app: AppTest) -> Any:
    return app.select_slider(key="widget_training_step")


def test_the_slider_drives_the_state_the_link_and_the_panels(
    open_page: Callable[..., AppTest],
) -> None:
    app = open_page()
    assert slider(app).value == 0  # without a step the page begins where the training began
    assert not {"step", "course"} & set(app.query_params)
    assert component(app, "steps")["now"] == 0
    assert drawn(app).model_name == "translator@0"
    assert "of its training" not in markdown(app)  # on no other page is it the untrained model
    slider(app).set_value(50).run()
    assert not app.exception
    assert state_of(app).step == "50"
    assert app.query_params["step"] == "50"
    assert component(app, "steps")["now"] == 1
    assert "at step 50 of its training" in markdown(app)
    assert drawn(app).model_name == "translator@50"
    slider(app).set_value(400).run()
    assert (state_of(app).step, state_of(app).course) == ("", "end")
    assert component(app, "steps")["now"] == 3
    assert "of its training" not in markdown(app)


def test_few_curves_are_drawn_until_all_are_asked_for(open_page: Callable[..., AppTest]) -> None:
    exact = {"exact_en_zh": 0.5, "exact_zh_en": 0.25, "alignment": 0.75, "loss": 2.0}
    metrics = tuple(SnapshotMetrics(step, exact) for step in STEPS)
    curve = (CurvePoint(50, 8.0, 0.1),)
    save_history(checkpoints.CHECKPOINTS / "translator", History(curve, metrics))
    forget()
    app = open_page()
    shown = html(app)
    assert "50.0%" in shown and "25.0%" in shown
    assert "75.0%" not in shown and "2.00" not in shown
    app.segmented_control(key="widget_training_curves").set_value("all").run()
    assert app.query_params["curves"] == "all"
    assert "75.0%" in html(app) and "2.00" in html(app)


def test_each_row_is_what_the_model_of_that_step_writes(open_page: Callable[..., AppTest]) -> None:
    app = open_page()
    assert component(app, "word_lines")["step"] == NO_STEP  # no candidates stand on this page
    rows = component(app, "steps")["rows"]
    assert [row["step"] for row in rows] == [str(step) for step in STEPS]
    for row, step in zip(rows, STEPS, strict=True):
        written = load_model(f"translator@{step}").translate(SENTENCE)
        assert "".join(text for text, _ in row["parts"]) == written
    assert all(kept for _, kept in rows[-1]["parts"])
    assert not all(kept for _, kept in rows[0]["parts"])


@pytest.mark.parametrize("page", ["translate", "attention", "tensors"])
def test_every_page_works_at_a_step_and_says_so(
    open_page: Callable[..., AppTest], page: str
) -> None:
    app = open_page(page, step="50")
    assert "at step 50 of its training" in markdown(app)
    trace = drawn(app)
    expected = load_model("translator@50").trace(SENTENCE)
    address = "encoder/1/self_attention/weights"
    assert torch.equal(trace[address], expected[address])
    app.button(key="widget_to_end").click().run()
    assert state_of(app).step == ""
    assert drawn(app).model_name == "translator"
    assert "of its training" not in markdown(app)


@pytest.mark.parametrize("step", ["70", "401", "x", "-1", "1e2"])
def test_an_unknown_step_is_left_out_and_said(open_page: Callable[..., AppTest], step: str) -> None:
    app = open_page("attention", step=step)
    assert state_of(app).step == ""
    assert f"training step “{step}”" in markdown(app).replace("\\", "")


def test_the_last_step_is_the_end(open_page: Callable[..., AppTest]) -> None:
    app = open_page(step="400")
    assert state_of(app).step == ""
    assert ":material/error:" not in markdown(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_without_history_is_said_in_place(
    open_page: Callable[..., AppTest], language: str
) -> None:
    app = open_page(model="plain", language=language)
    assert ("make train" in app.info[0].value) and len(app.info) == 1
    assert not app.select_slider
    with_step = open_page(model="plain", step="50", language=language)
    assert "“50”" in markdown(with_step).replace("\\", "")


def test_a_damaged_history_or_snapshot_is_said_in_place(
    open_page: Callable[..., AppTest], models: Path
) -> None:
    snapshot = models / "translator" / "snapshots" / "step-000050.safetensors"
    snapshot.write_bytes(b"nothing")
    assert "cannot be read" in open_page().info[0].value
    (models / "translator" / "history.json").write_text("{", encoding="utf-8")
    assert "it is not JSON" in open_page().info[0].value


@pytest.mark.parametrize("panel", ["attention", "film", "positions", "words", "lengths"])
@pytest.mark.parametrize("step", ["0", ""])
def test_every_panel_is_drawn(open_page: Callable[..., AppTest], panel: str, step: str) -> None:
    query = {"step": step} if step else {}
    app = open_page(replay=panel, kind="cross", head="2", language="zh", **query)
    assert state_of(app).replay == panel
    charts = {"attention": 1, "film": 0, "positions": 2, "words": 1, "lengths": 2}
    assert len(app.get("plotly_chart")) == 1 + charts[panel]  # the curves stand above
    if panel == "film":
        assert component(app, "steps")["shots"]


def test_the_film_strip_has_a_map_a_step(open_page: Callable[..., AppTest]) -> None:
    app = open_page(replay="film", kind="decoder", layer="2", head="1", step="100")
    strip = component(app, "steps")
    assert [shot["step"] for shot in strip["shots"]] == [str(step) for step in STEPS]
    assert strip["now"] == 2
    assert len(strip["rows"]) == strip["shots"][0]["size"][0]
    assert len({shot["levels"] for shot in strip["shots"]}) == len(STEPS)
    app.segmented_control(key="widget_training_head").set_value(2).run()
    assert state_of(app).head == 2
    assert component(app, "steps")["shots"] != strip["shots"]


def test_numbers_are_those_of_the_step(open_page: Callable[..., AppTest]) -> None:
    app = open_page(step="50")
    assert "Step 50 of 400" in markdown(app)
    shown = html(app)
    assert "25.0%" in shown
    assert "6.00" in shown
    assert "Pronouns" not in shown  # never measured
    (about,) = (each.help for each in app.markdown if "Step 50 of 400" in each.value)
    assert "**Alignment**" in about
    assert "Pronouns right**" not in about
    assert "–" in html(open_page(step="100"))  # its loss was not measured
    assert "--training-share: 0.33333" in shown


@pytest.mark.parametrize("text", ["<b>x</b> $y$", "喜欢", "🙂 cat", "a"])
def test_odd_sentences_are_replayed(open_page: Callable[..., AppTest], text: str) -> None:
    app = open_page(text=text, step="50")
    assert len(component(app, "steps")["rows"]) == len(STEPS)


@pytest.mark.parametrize(
    ("panel", "shown", "part"),
    [("translation", "steps", "rows"), ("attention", "head_grid", "items"),
     ("film", "steps", "shots")],
)  # fmt: skip
def test_a_sentence_that_cannot_be_translated_leaves_the_last_one(
    open_page: Callable[..., AppTest], panel: str, shown: str, part: str
) -> None:
    app = open_page(step="50", replay=panel)
    before = component(app, shown)[part]
    app.text_input(key="widget_sentence").set_value("。").run()
    assert not app.exception
    assert ":material/error:" in markdown(app)
    assert component(app, shown)[part] == before


def test_replays_are_made_once_and_bounded(models: Path) -> None:
    first = get_replay(SENTENCE)
    assert first is get_replay(SENTENCE)
    assert first is not None
    assert 0 < first.nbytes < 2**20 and first.steps == STEPS
    assert get_replay(SENTENCE, model="plain") is None
