"""Two runs beside each other on every page, with the bundled model and without a browser."""

import base64
import json
from html import unescape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.interventions import Experiment, run
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace
from tests.opened_app import opened, state_of

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the old street because it was too wide"
PAGES = ("translate", "attention", "tensors", "walkthrough", "vectors", "decoding")
LARGEST = 256 * 1024


def charts(app: AppTest, key: str) -> dict[str, Any]:
    found = [each.proto for each in app.get("plotly_chart") if each.proto.id.endswith(key)]
    assert len(found) == 1
    assert len(found[0].spec) <= LARGEST
    spec: dict[str, Any] = json.loads(found[0].spec)
    return spec


def numbers(array: dict[str, str]) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(array["bdata"]), np.dtype(array["dtype"]))
    return values.reshape([int(side) for side in array["shape"].split(",")])


def pictures(app: AppTest, key: str) -> list[np.ndarray]:
    return [numbers(trace["z"]) for trace in charts(app, key)["data"][:3]]


def said(app: AppTest) -> str:
    parts = (*app.markdown, *app.caption, *app.get("html"))
    return unescape("\n".join(str(each.value) for each in parts if hasattr(each, "value")))


def html(app: AppTest) -> str:
    return unescape("\n".join(each.proto.body for each in app.get("html")))


@pytest.fixture(scope="module")
def two() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), model.trace(WIDE)


@pytest.fixture(scope="module")
def causal() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), run(Experiment.from_text("causal"), model, TIRED)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_draws_two_sentences_of_any_length(page: str, language: str) -> None:
    app = opened(page, text=TIRED, second=WIDE, language=language)
    assert not app.warning
    keys = [each.proto.id for each in app.get("plotly_chart")]
    components = [each.proto.component_name for each in app.get("bidi_component")]
    assert any("beside" in key for key in keys) or page == "translate"
    assert all(len(each.proto.spec) <= LARGEST for each in app.get("plotly_chart"))
    assert len([name for name in components if "word_lines" in name]) == 2 * (page == "translate")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_draws_a_run_before_and_after(page: str) -> None:
    app = opened(page, edits="causal", run="both")
    assert not app.warning
    assert "Before" in said(app) + html(app) + "".join(
        each.proto.spec for each in app.get("plotly_chart")
    )


@pytest.mark.parametrize("question", ["positions", "stream", "lens", "neurons"])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_question_about_vectors(question: str, stack: str) -> None:
    app = opened("vectors", text=TIRED, second="I like you", vectors=question, stack=stack)
    assert not app.warning
    assert all(len(each.proto.spec) <= LARGEST for each in app.get("plotly_chart"))


@pytest.mark.parametrize("page", ["training", "lab", "switch"])
def test_these_pages_are_as_always(page: str) -> None:
    app = opened(page, text=TIRED, second=WIDE)
    keys = [each.proto.id for each in app.get("plotly_chart")]
    assert not [key for key in keys if "beside" in key and "beside_switch" not in key]


def test_one_run_is_drawn_alone() -> None:
    app = opened("attention", text=TIRED, second=WIDE, run="first")
    assert not [each for each in app.get("plotly_chart") if "beside" in each.proto.id]


def test_the_three_pictures_are_the_runs(causal: tuple[Trace, Trace]) -> None:
    query = {"kind": "decoder", "layer": "2", "head": "2"}
    app = opened("attention", edits="causal", run="both", **query)
    one, two, step = pictures(app, "beside_attention")
    maps = [trace["decoder/1/self_attention/weights"][0, 1].numpy() for trace in causal]
    rows, columns = maps[0].shape
    lower = np.tril(np.ones((rows, columns), bool))
    assert (one[:rows, :columns][lower] == maps[0][lower]).all()
    assert np.isnan(one[0, 1])  # forbidden before
    assert (two == maps[1]).all()
    assert (step[:rows, :columns] == maps[1][:rows, :columns] - maps[0]).all()
    data = charts(app, "beside_attention")["data"]
    assert data[0]["zmax"] == data[1]["zmax"] == max(maps[0].max(), maps[1].max())
    assert data[2]["zmin"] == -data[2]["zmax"]


def test_a_framed_cell_is_spelled_out(causal: tuple[Trace, Trace]) -> None:
    query = {"kind": "decoder", "layer": "2", "head": "2", "query": "8", "key": "3"}
    app = opened("attention", edits="causal", run="both", **query)
    one, two = (float(t["decoder/1/self_attention/weights"][0, 1, 7, 2]) for t in causal)
    written = said(app).replace("\\", "")
    assert f"{format_number(one)} → {format_number(two)}" in written
    shapes = charts(app, "beside_attention")["layout"]["shapes"]
    assert {(shape["x0"], shape["y0"]) for shape in shapes} == {(1.5, 6.5)}


def test_tensors_hold_a_head_and_an_axis(two: tuple[Trace, Trace]) -> None:
    address = "encoder/1/self_attention/q"
    app = opened("tensors", text=TIRED, second=WIDE, address=address, head="3")
    one, other, step = pictures(app, "beside_tensor")
    assert one.shape == (13, 28)  # thirteen lines: "old" stands alone
    assert (one[:5] == two[0][address][0, 2, :5].numpy()).all()
    assert np.isnan(one[5]).all()
    assert (other == two[1][address][0, 2].numpy()).all()
    assert (step[6:] == (two[1][address][0, 2, 6:] - two[0][address][0, 2, 5:]).numpy()).all()


def test_probabilities_word_by_word(two: tuple[Trace, Trace]) -> None:
    table = html(opened("translate", text=TIRED, second=WIDE))
    ids = {piece: index for index, piece in enumerate(two[0].vocabulary)}
    row = two[1].output_pieces.index("宽")
    chance = float(two[1]["output/probabilities"][0, row, ids["宽"]])
    assert f"<td>{format_percent(chance)}</td>" in table
    assert "<td style='color:" in table


def test_a_step_shows_its_result(two: tuple[Trace, Trace]) -> None:
    step = "decoder.0.cross_attention.softmax"
    app = opened("walkthrough", text=TIRED, second=WIDE, walk=step, head="2")
    one = pictures(app, "beside_walk")[0]
    recorded = two[0]["decoder/0/cross_attention/weights"][0, 1].numpy()
    assert one[0, 0] == recorded[0, 0]
    assert np.isnan(one[:, 5]).all()


def test_the_switch_page_shows_before_and_after(causal: tuple[Trace, Trace]) -> None:
    app = opened("switch", edits="causal", kind="decoder", layer="1", head="4")
    maps = [trace["decoder/0/self_attention/weights"][0, 3].numpy() for trace in causal]
    _, two, step = pictures(app, "beside_switch")
    assert (two == maps[1]).all()
    place = np.unravel_index(np.nanargmax(np.abs(step)), step.shape)
    written = [note["text"] for note in charts(app, "beside_switch")["layout"]["annotations"]]
    one, two_ = (format_number(float(each[place])) for each in maps)
    assert any(f"{one} → {two_}" in text for text in written)


def test_with_nothing_switched_the_switch_page_draws_the_plain_run_alone() -> None:
    app = opened("switch", switches="masks")
    spec = charts(app, "beside_switch")
    texts = [note["text"] for note in spec["layout"]["annotations"]]
    assert not any("Difference" in text for text in texts)
    assert sum(trace["type"] == "heatmap" for trace in spec["data"]) == 1


def test_another_tensor_on_the_switch_page(causal: tuple[Trace, Trace]) -> None:
    app = opened("switch", edits="causal")
    app.selectbox(key="widget_beside_what").select("output/probabilities").run()
    assert state_of(app).address == "output/probabilities"
    one = pictures(app, "beside_switch")[0]
    assert one.max() == causal[0]["output/probabilities"].max()
    app.selectbox(key="widget_beside_what").select("attention").run()
    assert state_of(app).address == ""


def test_a_tensor_that_one_run_lacks_is_said() -> None:
    query = {"edits": "norm_place:pre,!1", "run": "both", "address": "encoder/norm/output"}
    app = opened("tensors", **query)
    assert "only one of the two runs" in "".join(each.value for each in app.info)


def test_hostile_words_are_shown_as_typed() -> None:
    app = opened("translate", text="<b>x</b> $x$", second="<i>y</i>")
    raw = "".join(each.proto.body for each in app.get("html"))
    assert "<i>y</i>" not in raw
    assert "&lt;" in raw
    for page in PAGES:
        assert not opened(page, text="<b>x</b> $x$", second="<i>y</i>").exception


def test_numbers_that_are_lost_are_said() -> None:
    app = opened("attention", edits="mask_fill;lines:*,(),(3)", run="both", opens="picked")
    written = said(app).replace("\\", "")
    assert "NaN or ∞ (12 cells)" in written
    assert "Not one number differs" not in written
    one, two, step = pictures(app, "beside_attention")
    assert np.isfinite(one).all()
    assert np.isnan(two[3]).all()
    assert np.isnan(step[3]).all()
