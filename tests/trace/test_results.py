"""Results: tables and arrays with words that come twice, ten lines in print, pictures escaped."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from glassformer import Trace, load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.trace.results import GridAxis, ResultGrid
from tests.traces import small_trace

WORDS = ("the", "<b>", "the")
GRID = ResultGrid(
    "a test", "score", np.arange(12.0).reshape(4, 3) - 6,
    (GridAxis("layer", (0, 1, 2, 3)), GridAxis("position", WORDS, counted=True)), {"plain": 2.5},
)  # fmt: skip


def test_a_table_tells_every_place_and_ten_lines_are_printed() -> None:
    table = GRID.table()
    assert list(table.columns) == ["layer", "position", "position_token", "score"]
    assert table["score"].tolist() == list(range(-6, 6))
    assert table["position_token"].tolist() == list(WORDS) * 4
    assert GRID.top(2)["score"].tolist() == [-6, -5]
    assert len(repr(GRID).splitlines()) == 12 and "plain 2.5" in repr(GRID)
    assert GRID.over("position").values.tolist() == [-5, -2, 1, 4]
    with pytest.raises(GlassformerError) as caught:
        GRID.over("head")
    assert caught.value.key == "unknown_axis"


def test_words_are_coordinates_and_may_come_twice() -> None:
    array = GRID.to_xarray()
    assert array.sel(position="the").shape == (4, 2)
    assert array.sel(position="the", layer=3).values.tolist() == [3, 5]
    assert array["position_position"].values.tolist() == [0, 1, 2]
    assert array.name == "score" and array.attrs["plain"] == 2.5


def test_without_xarray_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(GlassformerError) as caught:
        GRID.to_xarray()
    assert caught.value.key == "no_xarray" and "pip install xarray" in str(caught.value)


def test_a_picture_holds_words_as_they_are_and_a_file_the_table(tmp_path: Path) -> None:
    html = GRID.picture().html
    assert "<b>" not in html.replace("&lt;b&gt;", "") and "&lt;b&gt;" in html
    assert html == GRID._repr_html_() == GRID.picture().html and html.count("<td") == 12
    GRID.picture().save(tmp_path / "page.html")
    assert html in (tmp_path / "page.html").read_text("utf-8")
    GRID.save(tmp_path / "table.csv")
    assert pd.read_csv(tmp_path / "table.csv")["score"].tolist() == GRID.table()["score"].tolist()


def test_grids_of_one_axis_and_of_three_are_drawn() -> None:
    line = GRID.over("position")
    assert line.picture().html.count("<td") == 4
    axes = (GridAxis("kind", ("a", "b")), *GRID.axes)
    cube = ResultGrid("a test", "score", np.stack([GRID.values] * 2), axes)
    assert cube.picture().html.count("<table") == 2 and "kind b" in cube.picture().html


def test_a_runs_tensor_is_an_array_with_its_words() -> None:
    trace: Trace = small_trace()
    address = "decoder/1/cross_attention/weights"
    array = trace.to_xarray(address, head=0)
    assert array.dims == ("query", "key")
    assert np.array_equal(array.values, trace.pick(address, head=0).double().numpy())
    assert array.sel(key="<eos>").shape == (len(trace.target_tokens),)
    assert array["key"].values.tolist() == list(trace.source_tokens)
    picked = trace.sel(address, head=0, query=2)
    assert picked.table()["key_token"].tolist() == list(trace.source_tokens)
    word = trace.target_tokens[2]
    assert np.array_equal(trace.sel(address, head=0, query=word).values, picked.values)
    with pytest.raises(GlassformerError) as caught:
        trace.to_xarray(address, feature=0)
    assert caught.value.key == "unknown_axis"


def test_a_batch_is_an_array_whose_padding_is_no_number() -> None:
    model = load_model()
    texts = ["A dog.", "The animal was too tired."]
    batch = run_batch(model, texts)
    array = batch.to_xarray("encoder/0/self_attention/weights")
    assert array.dims == ("batch", "head", "query", "key")
    for at, text in enumerate(texts):
        own = model.trace(text)["encoder/0/self_attention/weights"][0].numpy()
        size = own.shape[-1]
        assert np.allclose(array[at, :, :size, :size], own, atol=1e-6)
        assert np.isnan(array[at, :, size:]).all() and np.isnan(array[at, ..., size:]).all()
    assert batch.to_xarray("output/logits").dims == ("batch", "position", "vocabulary")
    assert batch.to_xarray("source/positions").dims == ("batch", "position", "feature")


def test_a_run_and_a_model_print_what_matters_in_ten_lines() -> None:
    model = load_model()
    text = "the animal was too tired " * 40
    run = model.run(text, target="动物太累了" * 9, keep="*/weights")
    lines = repr(run).splitlines()
    assert len(lines) <= 10 and all(len(line) < 100 for line in lines)
    assert f"{len(run.tensors)} kept, {run.nbytes / 1e6:.2f} MB on cpu" in lines[-2]
    assert "d_model 112" in lines[1] and lines[4].endswith("动物太累了" * 9)
    assert lines[3].endswith("…")
    assert repr(model) == "<translator: translate, 1,518,712 weights, torch.float32 on cpu>"


def test_a_picture_that_is_cut_says_so() -> None:
    axes = (GridAxis("layer", (0,)), GridAxis("position", tuple(range(70))))
    html = ResultGrid("a test", "score", np.ones((1, 70)), axes).picture().html
    assert html.count("<td") == 64 and "the first 64 of 70 position<" in html
    assert "the first" not in GRID.picture().html
