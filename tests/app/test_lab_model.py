"""The bench that builds a model, and what it built on the other pages."""

import html
import re

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lab.model.panel import FIELDS, PRESETS, matrix_name
from glassformer.app.runs import untrained
from glassformer.app.runs.models import get_history, get_model, get_taught, selectable_models
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.limits import MOST_BUILT
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.untrained import NOTES, blueprint, build_model
from tests.opened_app import drawn, memory, on_screen, opened, state_of, typed_in_lab

PAGES = ("translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training",
         "tensors")  # fmt: skip
NAME = "untrained:d_model,16,d_ff,32,encoder_layers,1,decoder_layers,2,n_heads,8,seed,3"
SIZES = {"d_model": 16, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 2, "n_heads": 8}
SMALL = {name: str(size) for name, size in SIZES.items()}


def bench(view: str = "ranges", **query: str) -> AppTest:
    inputs = {"inputs": f"model_view:view,{view}"} if view != "ranges" else {}
    return opened("lab", lab="model", **inputs, **query)


def written(app: AppTest) -> str:
    bodies = (each.proto.body for each in app.get("html"))
    return html.unescape("\n".join(b for b in bodies if "lab-" in b and "<style" not in b))


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", ["ranges", "modules", "counts", "start"])
def test_every_view_opens(view: str, language: str) -> None:
    app = bench(view, language=language)
    assert app.button_group(key="widget_lab_model_view").value == view


def test_it_opens_on_the_notes_values_and_the_final_norm_takes_them_back() -> None:
    app = bench()
    assert "**±94.5**" in said(app)
    assert "× 22.6" in said(app)
    app.button(key="lab_model_final").click().run()
    assert "**±94.5**" not in said(app)
    assert re.search(r"\*\*±[45]\.\d+\*\*", said(app))


def test_counts_are_those_of_the_built_model() -> None:
    app = typed_in_lab(bench("counts"), "model", **SMALL)
    count = sum(each.numel() for each in build_model(blueprint(1000, **SIZES)).parameters())
    assert f"= {count:,}" in written(app)
    assert "1 · (4 · 16² + 4 · 16)" in written(app)
    assert "≠" not in written(app)


def test_shared_parts_say_so() -> None:
    app = typed_in_lab(bench("modules"), "model", tie_attention="on", share_embeddings="on")
    assert "one with decoder.layers.0.self_attention" in written(app)
    app.button_group(key="widget_lab_model_view").set_value("counts").run()
    assert written(app).count("shared: nothing of its own") == 2
    assert state_of(app).inputs.count("model_view") == 1


def test_what_cannot_be_is_said_in_place_and_the_picture_stays() -> None:
    app = bench()
    before = written(app)
    typed_in_lab(app, "model", n_heads="7")
    assert written(app) == before
    assert state_of(app).inputs == ""
    typed_in_lab(app, "model", n_heads="8", d_model="1024", d_ff="4096", encoder_layers="12")
    assert written(app) == before


def test_the_readers_sentence_runs_through_it() -> None:
    app = typed_in_lab(bench("modules"), "model", ids="sentence", **SMALL)
    words = len(get_model().tokenizer.vocabulary)
    shape = (1, len(drawn(app).source_tokens), 16)
    assert f"→ {shape}" in written(app)
    assert f"weight ({words}, 16)" in written(app)


def test_presets_say_every_setting() -> None:
    assert all(given.keys() == NOTES.keys() for given in PRESETS.values())
    assert {each.name for each in FIELDS} == {*NOTES, "ids"}
    for given in PRESETS.values():
        blueprint(1000, **given)


def test_matrices_are_the_models_own() -> None:
    plan = blueprint(1000, **SIZES)
    names = {
        matrix_name(plan, matrix, stack, 1)
        for matrix in ("embedding", "W_Q", "W_1", "generator")
        for stack in ("encoder", "decoder", "cross")
    }
    parameters = dict(build_model(plan).named_parameters())
    assert len(names) == 8 and names <= parameters.keys()
    with pytest.raises(GlassformerError):
        matrix_name(plan, "W_Q", "encoder", 2)


def test_it_is_used_on_every_page_and_its_link_opens_it_again() -> None:
    app = typed_in_lab(bench(), "model", seed="3", **SMALL)
    app.button(key="lab_model_use").click().run()
    assert not app.exception
    name = state_of(app).model
    assert name == untrained.name_of(blueprint(1000, seed=3, **SIZES))
    assert app.button(key="lab_model_use").disabled
    for page in PAGES:
        app.switch_page(f"app/pages/{page}/page.py").run()
        assert not app.exception, page
        assert on_screen(app).model == name
    assert "untrained" in said(app)
    again = opened(model=name)
    weights = drawn(app)["encoder/0/self_attention/weights"]
    assert weights.shape[1] == 8
    assert torch.equal(weights, drawn(again)["encoder/0/self_attention/weights"])
    label = "untrained D16 N1/2 H8 F32 seed 3"
    assert label in again.selectbox(key="widget_model_en").options
    again.button(key="widget_way_0").click().run()
    assert state_of(again).model == ""


def test_a_name_is_a_model_and_hostile_ones_are_none() -> None:
    plan = untrained.read_blueprint(NAME)
    assert untrained.read_blueprint(untrained.name_of(plan)) == plan
    assert get_model(NAME) is get_model(untrained.name_of(plan))
    assert (get_history(NAME), get_taught(NAME)) == (None, {})
    for wrong in ("", "d_model,30", "vocabulary,9", "a", "d_model,(1,2)", "d_model,!", "layers,9"):
        with pytest.raises(GlassformerError):
            untrained.read_blueprint(f"untrained:{wrong}")
        assert f"untrained:{wrong}" not in selectable_models()
    app = opened(model="untrained:d_model,30")
    assert "d\\_model is 30; it must be 8 × n" in said(app)
    assert drawn(app).model_name == "translator"


def test_a_session_keeps_few() -> None:
    app = bench()
    for seed in range(MOST_BUILT + 2):
        typed_in_lab(app, "model", seed=str(seed), **SMALL)
        app.button(key="lab_model_use").click().run()
    assert len(memory(app).built) == MOST_BUILT
    assert memory(app).built[-1] == state_of(app).model
    app.switch_page("app/pages/translate/page.py").run()
    options = app.selectbox(key="widget_model_en").options
    assert sum(each.startswith("untrained") for each in options) == MOST_BUILT


def test_the_python_of_a_tensor_makes_the_same() -> None:
    address = "encoder/0/self_attention/weights"
    app = opened("tensors", model=NAME, text="I like you", address=address)
    code = next(each.value for each in app.code if "blueprint(" in each.value)
    found: dict[str, object] = {}
    exec(code.rpartition("\n")[0], found)
    trace = found["trace"]
    assert torch.equal(trace[address], drawn(app)[address])  # type: ignore[index]
