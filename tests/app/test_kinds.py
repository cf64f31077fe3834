"""Every family of other people's models on every page, and five of them with numbers of a run."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels.attention import focus as attention_focus
from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.plots.labels import format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import DECODING, VECTORS, State
from glassformer.core.analysis.attention_cell import cell_terms
from glassformer.core.analysis.attention_row import attention_row
from glassformer.core.analysis.attention_views import (
    attention_at,
    attention_overview,
    attention_sides,
    kinds_of,
    part_of,
    stages_of,
)
from glassformer.core.analysis.inside_positions import bias_by_distance, rotary_angles
from glassformer.core.analysis.logit_lens import lens
from glassformer.core.analysis.neurons import most_active
from glassformer.core.decoding.timeline import cache_difference, time_decoding, time_greedy
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.opened_app import drawn, opened, state_of
from tests.weights.folders import MAKERS, whole

KINDS = ("marian", "gpt2", "llama 3", "bert", "t5")
TEXTS = dict.fromkeys(("bert", "distilbert"), "the cat ___")
PAGES = ("walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab", "tensors")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("library")
    for kind in KINDS:
        (folder := root / kind.replace(" ", "-")).mkdir()
        whole(kind, folder)
    return root


@pytest.fixture
def page(library: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    monkeypatch.setenv("GLASSFORMER_MODELS", str(library))

    def open_page(name: str, kind: str, /, **query: str) -> AppTest:
        return opened(name, model=kind.replace(" ", "-"), text=text_of(kind), **query)

    return open_page


def text_of(kind: str) -> str:
    return TEXTS.get(kind, "the cat sat")


@cache
def _model(folder: Path) -> OpenedModel:
    return open_model(folder)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def model(kind: str, library: Path) -> OpenedModel:
    return _model(library / kind.replace(" ", "-"))


@pytest.fixture
def trace(kind: str, model: OpenedModel) -> Trace:
    return model.trace(text_of(kind))


def texts(app: AppTest) -> str:
    shown = (*app.markdown, *app.caption, *app.info, *app.warning)
    return "\n".join(each.value for each in shown) + "".join(
        str(each.proto.body) for each in app.get("html")
    )


@pytest.mark.parametrize("family", MAKERS)
def test_every_family_on_every_page(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / family.replace(" ", "-")).mkdir()
    whole(family, folder)
    monkeypatch.setenv("GLASSFORMER_MODELS", str(tmp_path))
    app = opened("translate", model=folder.name, text=TEXTS.get(family, "the cat sat"))
    for name in PAGES:
        app.switch_page(f"app/pages/{name}/page.py").run()
        assert not app.exception and not app.error, name
        assert drawn(app).model_name == folder.name


@pytest.mark.parametrize("view", ["matrix", "lines", "heads", "motion"])
def test_attention(
    page: Callable[..., AppTest], kind: str, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention_focus, "measured_heads", tuple)  # as of a run without a session
    app = page("attention", kind, view=view, head="2", stage="biased")
    trace, now = drawn(app), state_of(app)
    assert now.kind in kinds_of(trace.config)
    focus = AttentionFocus(now, trace, FigureStyle())
    if view == "matrix":
        query, key = focus.cell
        weight = trace[f"{attention_at(focus.kind, 0)}/weights"][0, 1, query, key]
        assert format_percent(float(weight)) in texts(app)
    choices = [each.key for each in app.get("button_group")]
    assert any("kind" in str(each) for each in choices) == trace.config.has_both


def test_another_kind_has_fewer_heads(library: Path, page: Callable[..., AppTest]) -> None:
    (folder := library / "bart").mkdir()
    whole("bart", folder)
    app = page("attention", "bart", kind="encoder", layer="2", head="6")
    app.segmented_control(key="widget_attention_kind").set_value("decoder").run()
    now = state_of(app)
    assert not app.exception and (now.kind, now.layer, now.head) == ("decoder", 1, 3)
    assert not app.warning
    app.switch_page("app/pages/switch/page.py").run()
    assert not app.exception and drawn(app).config.of("encoder").n_heads == 6


def test_a_cell_is_the_product_of_what_meets(trace: Trace) -> None:
    for kind in kinds_of(trace.config):
        for head in range(trace.config.n_heads):
            cell = cell_terms(trace, kind, 0, head, 1, 0)
            assert cell.products.sum() == pytest.approx(cell.score, rel=1e-4, abs=1e-5)
            if "biased" in stages_of(trace, kind):
                assert cell.scaled + (cell.bias or 0) == pytest.approx(cell.biased, abs=1e-6)
            assert attention_row(trace, kind, 0, head, 1).changed == frozenset()


def test_shared_keys_are_named(page: Callable[..., AppTest]) -> None:
    app = page("attention", "llama 3", head="4")
    config = drawn(app).config
    focus = AttentionFocus(state_of(app), drawn(app), FigureStyle())
    size = config.n_heads // config.key_heads
    assert size > 1 and len(focus.group) == size and 3 in focus.group
    assert f"Heads {focus.group[0] + 1}–{focus.group[-1] + 1} share" in texts(app)


def test_long_maps_are_seen_through_a_window(library: Path) -> None:
    trace = _model(library / "gpt2").trace("the cat sat on it " * 16)
    count = len(trace.target_tokens)
    assert count > 128
    small = attention_overview(trace, "decoder").levels
    assert small.nbytes <= 72_000 and max(small.shape[2:]) <= 32
    now = State(kind="decoder", head=1, query=70, key=3, part=(("query", 64),))
    focus = AttentionFocus(now, trace, FigureStyle())
    rows, columns = focus.window
    assert (rows, columns) == (range(64, 128), range(64))
    seen = part_of(focus.view, rows, columns)
    assert seen.values.shape == (64, 64)
    assert (seen.entropy == focus.view.entropy[64:128]).all()  # of the whole rows
    assert attention_sides(trace, "decoder")[0].part(rows).first == 64
    weights = trace["decoder/0/self_attention/weights"][0, 1, 64:128, columns.start : columns.stop]
    assert (seen.values == weights.numpy()).all()


@pytest.mark.parametrize("question", VECTORS)
def test_vectors(page: Callable[..., AppTest], kind: str, question: str) -> None:
    for language in LANGUAGES:
        app = page("vectors", kind, vectors=question, language=language)
        assert drawn(app).task == _task(kind)


def _task(kind: str) -> str:
    return {"bert": "fill_in", "gpt2": "continue", "llama 3": "continue"}.get(kind, "translate")


def test_positions_inside_attention_are_those_of_the_run(library: Path) -> None:
    turned = _model(library / "llama-3").trace("the cat sat")
    angles, half = rotary_angles(turned.config, 3), turned.config.d_k // 2
    q, after = (turned[f"decoder/0/self_attention/{name}"][0, 1, 2] for name in ("q", "q_rotated"))
    for pair in range(half):
        cosine, sine = math.cos(angles[2, pair]), math.sin(angles[2, pair])
        assert float(q[pair]) * cosine - float(q[pair + half]) * sine == pytest.approx(
            float(after[pair]), abs=1e-5
        )
    model = _model(library / "t5")
    biased = model.trace("the cat sat")["encoder/0/self_attention/position_bias"][0]  # (H, S, S)
    distances, table = bias_by_distance(model.transformer, "encoder", 2)
    assert distances.tolist() == [-2, -1, 0, 1, 2]
    for column, distance in enumerate(distances):
        at = 2
        assert table[:, column] == pytest.approx(biased[:, at, at + distance].numpy())


def test_the_lens_ends_in_the_run(trace: Trace, model: OpenedModel) -> None:
    seen = lens(trace, model.transformer, sublayers=True)
    assert seen.error <= 1e-4
    last = trace["output/probabilities"][0].max(dim=-1).values
    assert seen.probabilities[-1, :, 0] == pytest.approx(last.numpy(), abs=1e-5)


def test_gated_units_are_what_the_network_reads(library: Path) -> None:
    model = _model(library / "llama-3")
    trace = model.trace("the cat sat")
    best = most_active(trace, model.transformer, "decoder", 0, 1, 3)
    row = trace["decoder/0/feed_forward/gated"][0, 1]
    assert abs(best[0].activation) == pytest.approx(float(row.abs().max()))


def test_tensors(page: Callable[..., AppTest], kind: str) -> None:
    app = page("tensors", kind)
    trace = drawn(app)
    stack = "encoder" if trace.config.encoder_layers else "decoder"
    for name in ("k", "weights"):
        address = f"{stack}/0/self_attention/{name}"
        app = page("tensors", kind, address=address, head=str(trace.config.n_heads))
        assert address in texts(app)
        code = "\n".join(each.value for each in app.code)
        assert "load_model(" in code and kind.replace(" ", "-") in code


@pytest.mark.parametrize("question", DECODING)
def test_decoding(page: Callable[..., AppTest], kind: str, question: str) -> None:
    app = page("decoding", kind, decoding=question)
    if kind == "bert":
        best = drawn(app).candidates(3, 1)
        assert "no word after word" in texts(app)
        assert best[0].probability > 0
    elif question == "timeline":
        assert "Step" in texts(app)


def test_what_a_step_computes_is_what_the_cache_holds(kind: str, model: OpenedModel) -> None:
    if kind == "bert":
        return
    trace = model.trace(text_of(kind))
    task = model.task_of(trace)
    moments = time_decoding(model.transformer, task, trace.steps or trace.output_ids)
    first = len(task.given) if model.kind == "continue" else 0
    for moment in moments[first:]:
        # An encoder computes keys and values of its own at the first step, which nobody keeps.
        if moment.position > first or model.kind == "continue":
            assert moment.cache.added == moment.cache.with_cache.keys_and_values
    if trace.steps:
        told = time_greedy(model.transformer, task, trace.steps)
        assert [each.cache for each in told] == [each.cache for each in moments]
    words = [moment.step.chosen for moment in moments]
    assert cache_difference(model.transformer, task, words) <= 1e-5
    assert all(moment.cache.added == 0 for moment in moments[:first])
