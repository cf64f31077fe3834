"""Metrics read each text's own row, whatever the padding, and what `transformers` has there."""

from __future__ import annotations

import pytest
import torch

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from tests.tools.opened import IDS, LONGER, gpt2

TEXTS = [*IDS, LONGER, [4]]


@pytest.mark.parametrize("padding", ["right", "left"])
def test_they_are_of_each_texts_own_row(padding: str) -> None:
    model, theirs = gpt2()
    batch = run_batch(model, TEXTS, padding=padding)  # type: ignore[arg-type]
    for at in (-1, 0):
        for text, ids in enumerate(TEXTS):
            with torch.no_grad():
                row = theirs(torch.tensor([ids])).logits[0, at]
            assert float(gf.logit(9, at=at)(batch)[text]) == pytest.approx(float(row[9]), abs=1e-5)
            both = float(gf.logit_diff(9, 30, at=at)(batch)[text])
            assert both == pytest.approx(float(row[9] - row[30]), abs=1e-5)
            log = float(gf.log_probability(9, at=at)(batch)[text])
            assert log == pytest.approx(float(row.double().log_softmax(-1)[9]), abs=1e-5)


def test_a_word_is_a_text_or_an_id_and_the_metric_says_what_it_is() -> None:
    model = gf.load_model()
    batch = run_batch(model, ["The animal was too tired.", "A dog."])
    ids = model.ids(["累", "宽"])
    metric = gf.logit_diff("累", "宽", at=2)
    assert torch.equal(metric(batch), gf.logit_diff(*ids, at=2)(batch))
    assert str(metric) == "logit of 累 − logit of 宽 at row 2"
    assert metric.reads == ("output/logits",)
    for word, key in (("龘龘", "word_unknown"), (10**7, "out_of_range"), (-1, "out_of_range")):
        with pytest.raises(GlassformerError) as caught:
            gf.logit(word)(batch)
        assert caught.value.key == key
