"""Switch, Lab, Training and Lectures with models that are no translators of ours."""

from pathlib import Path
from typing import Any

import pytest

from glassformer.app.pages.switch.concepts.panel import concept_rows
from glassformer.app.words import say
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.padding import padded_sides
from glassformer.core.weights.opened_model import open_model
from tests.opened_app import drawn, memory, on_screen, opened
from tests.weights import folders

GROUPS = ("examples", "masks", "heads", "concepts", "tensors", "patching", "batch", "texts")
TEXT = {"bert": "The cat ___ on the mat.", "gpt2": "The cat sat on"}
STACK = {"bert": "encoder", "gpt2": "decoder"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    for kind in ("gpt2", "bert"):
        folders.whole(kind, folder / kind)
    return folder


@pytest.fixture(autouse=True)
def _named(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_MODELS", str(library))


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("group", GROUPS)
def test_every_group_opens_with_a_head_off(kind: str, group: str) -> None:
    off = f"heads_off:{STACK[kind]}/0/self_attention,(0)"
    app = opened("switch", model=kind, text=TEXT[kind], switches=group, edits=off)
    assert drawn(app).model_name == kind
    pair = on_screen(app).pair
    assert pair is not None and pair.second.edits
    if group == "batch" and kind == "gpt2":
        assert "no word for padding" in app.info[0].value


@pytest.mark.parametrize("kind", TEXT)
def test_the_effect_by_layer_has_its_only_stack(kind: str) -> None:
    off = f"heads_off:{STACK[kind]}/0/self_attention,(0)"
    query: dict[str, str] = {"switches": "heads", "result": "by_layer", "edits": off}
    app = opened("switch", model=kind, text=TEXT[kind], **query)
    assert any(f"{STACK[kind]}/0/self_attention/context" in each.value for each in app.markdown)


@pytest.mark.parametrize("kind", ["marian", "gpt2", "llama 3", "bert", "t5"])
def test_every_concept_that_is_offered_can_be_run(kind: str, tmp_path: Path) -> None:
    folders.whole(kind, tmp_path / "model")
    model = open_model(tmp_path / "model")
    text = TEXT.get(kind, "the cat sat")
    trace = model.trace(text)
    lengths = len(trace.source_tokens), len(trace.target_tokens)
    rows = [row for rows in concept_rows(model.config).values() for row in rows]
    names = {row.name for row in rows}
    assert ("no_cross_attention" in names) == model.config.has_both
    assert ("unscaled" in names) == (kind != "t5")
    assert any(name.startswith("norm_") for name in names) == (kind not in ("t5", "llama 3"))
    for row in rows:
        experiment = Experiment((row.switch(row.first),))
        assert not experiment.misfits(model.config, *lengths), row.name
        moved = run(experiment, model, text)
        assert moved.edits or moved.config != trace.config, row.name


def test_padding_is_masked_where_there_is_a_word_for_it(library: Path) -> None:
    gpt, bert = (open_model(library / kind).config for kind in ("gpt2", "bert"))
    assert padded_sides(gpt) == () and padded_sides(bert) == ("source",)


@pytest.mark.parametrize("kind", TEXT)
def test_a_pair_is_patched(kind: str) -> None:
    pairs = {
        "gpt2": ("The cat sat on", "The dog sat on"),
        "bert": ("The cat sat on the mat.", "The mat sat on the cat."),
    }
    first, second = pairs[kind]
    query: dict[str, str] = {"switches": "patching", "second": second}
    app = opened("switch", model=kind, text=first, **query)
    (tracing,) = memory(app).patched_runs.values()
    assert tracing.done == tracing.total > 0
    side: Any = STACK[kind]
    grid = tracing.grid(side)
    assert grid is not None and tracing.grid("encoder" if side == "decoder" else "decoder") is None
    restored = grid.restored.nan_to_num()
    # At the input the word that differs carries it all; of two words one carries the most of it.
    assert float(restored[0].max()) > (0.99 if kind == "gpt2" else 0.5)


def test_many_texts_run_and_are_kept() -> None:
    off = "heads_off:decoder/0/self_attention,(0)"
    query: dict[str, str] = {"switches": "texts", "edits": off, "texts": "the cat\nthe dog sat"}
    app = opened("switch", model="gpt2", text=TEXT["gpt2"], **query)
    assert not memory(app).over_texts
    app.button(key="texts_run").click().run()
    assert not app.exception
    (found,) = memory(app).over_texts.values()
    assert [each.result.text for each in found] == ["the cat", "the dog sat"]
    assert all(each.result.divergence is not None and each.heads for each in found)
    assert len(app.dataframe[0].value) == 2


def test_examples_say_that_they_leave_the_model() -> None:
    app = opened("switch", model="gpt2", text=TEXT["gpt2"])
    assert any("belong to the bundled translators" in each.value for each in app.get("html"))


def test_training_says_why_there_is_nothing_and_goes_back() -> None:
    app = opened("training", model="gpt2", text=TEXT["gpt2"])
    assert app.info[0].value == say("training.no_history_opened")
    app.button(key="training_back").click().run()
    assert not app.exception and not app.info


BUNDLED = (
    "order", "one_matrix", "mask_steps", "skips", "memory", "weighted_values", "nearest_words",
)  # fmt: skip


@pytest.mark.parametrize("bench", BUNDLED)
def test_benches_go_on_with_the_bundled_translator(bench: str) -> None:
    app = opened("lab", model="gpt2", text=TEXT["gpt2"], lab=bench)
    assert say("lab.bundled") in [each.value for each in app.caption]
    assert not app.warning and not app.error
    app = opened("lab", lab=bench)
    assert say("lab.bundled") not in [each.value for each in app.caption]


def test_lectures_open() -> None:
    assert not opened("lectures", model="gpt2", text=TEXT["gpt2"]).exception
