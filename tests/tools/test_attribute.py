"""`glassformer.attribute`: one text, a word or a metric of one's own, any method."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import glassformer as gf
from glassformer.core.analysis.word_attribution import METHODS
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.trace.batch import Batch
from glassformer.core.weights.opened_model import open_model
from tests.weights import folders

TEXT, TARGET = "The animal didn't cross the street", "动物没有穿过马路"


def test_a_word_and_its_metric_are_the_same_question() -> None:
    model = gf.load_model()
    by_word = gf.attribute(model, TEXT, "穿过", target=TARGET, at=2)
    batch = run_batch(model, [TEXT], targets=[TARGET])
    id = batch.id_of("穿过")

    def logit(batch: Batch) -> Any:
        return batch["output/logits"][:, 2, id]

    by_metric = gf.attribute(model, TEXT, logit, target=TARGET, at=2)
    assert by_word.value == pytest.approx(float(batch["output/logits"][0, 2, id]), rel=1e-5)
    assert by_word.error < 1e-5 * by_word.value
    assert np.allclose(by_word.source, by_metric.source)
    assert by_word.source_words[int(by_word.source.argmax())] == "cross"
    assert gf.attribute(model, TEXT, id, target=TARGET, at=2).source == pytest.approx(
        by_word.source
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_metric_of_ones_own_sees_batches(method: Any) -> None:
    """Its rows resolve, its texts are as many as the method runs, its words can be looked up."""
    model, seen = gf.load_model(), set[int]()

    def difference(batch: Batch) -> Any:
        seen.add(len(batch))
        row = batch.row(len(batch) - 1, -1)
        word, other = batch.output_ids[0][row], batch.id_of("狗")
        return batch["output/logits"][:, row, word] - batch["output/logits"][:, row, other]

    found = gf.attribute(model, TEXT, difference, method, target=TARGET)
    assert found.method == method
    assert len(found.source) == len(found.source_words)
    assert len(found.target) == len(found.target_words)
    assert seen == ({1, 33} if method == "integrated_gradients" else {1})
    if method == "exact":
        assert found.error < 1e-4  # of logits of some 15, in float32


@pytest.mark.parametrize("name", ["gpt2", "llama 3", "bert", "t5", "marian"])
def test_every_family(name: str, tmp_path: Path) -> None:
    folders.whole(name, tmp_path / "model")
    model: Any = open_model(tmp_path / "model")
    found = gf.attribute(model, "the cat sat", 7, at=1)
    logits = run_batch(model, ["the cat sat"])["output/logits"]
    assert found.value == pytest.approx(float(logits[0, 1, 7]), abs=1e-5)
    assert found.error < 1e-5


def test_what_is_refused() -> None:
    model = gf.load_model()
    for given, key in (
        ({"of": "xyzzy"}, "word_unknown"),
        ({"of": "猫", "at": 99}, "out_of_range"),
        ({"of": 10**9}, "out_of_range"),
        ({"of": "猫", "method": "guess"}, "attribution_method"),
        ({"of": lambda batch: batch["output/logits"]}, "metric_shape"),
        (
            {"of": lambda batch: batch["output/logits"][:, 0].log_softmax(-1)[:, 40]},
            "metric_not_linear",
        ),
    ):
        asked: Any = {"target": TARGET, **given}
        with pytest.raises(GlassformerError) as caught:
            gf.attribute(model, TEXT, **asked)
        assert caught.value.key == key, key


def test_a_result_is_shown_as_typed_and_says_what_it_is(tmp_path: Path) -> None:
    model = gf.load_model()
    found = gf.attribute(model, "The <b>cat</b> is here", "猫", target="猫在这里", at=0)
    page = found.picture().html
    assert "<b>" not in page.replace("&lt;b&gt;", "")
    assert "exact" in repr(found)
    assert len(repr(found).splitlines()) <= 12
    found.save(tmp_path / "shares.csv")
    assert len((tmp_path / "shares.csv").read_text("utf-8-sig").splitlines()) == 1 + len(
        found.table()
    )
    array = found.to_xarray()
    assert float(array["value"].sum()) == pytest.approx(found.value, abs=1e-5)
