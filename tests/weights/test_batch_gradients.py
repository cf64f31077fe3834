"""Gradients of several texts in one run are those of each text alone, whatever the padding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace
from tests.weights.folders import MAKERS
from tests.weights.test_batches import both, texts_of

EQUAL = 1e-5  # of the largest gradient of a text, in float32


def last_scores(batch: Batch) -> Tensor:
    """The logits of three words at each text's own last row, weighted."""
    rows = [batch.row(text, -1) for text in range(len(batch))]
    logits = batch["output/logits"][range(len(batch)), rows]  # (B, V)
    return logits[:, 5] - 2 * logits[:, 7] + logits[:, 11].square()


@pytest.mark.parametrize(
    "asked", [{"padding": "right"}, {"padding": "left"}, {"batch_size": 2}], ids=str
)
@pytest.mark.parametrize("kind", MAKERS)
def test_each_text_has_its_own_gradients(kind: str, asked: dict[str, Any]) -> None:
    model, _ = both(kind)
    texts, goals = texts_of(kind)
    batch = run_batch(model, texts, targets=goals, grad=True, **asked)
    whole = batch.gradients(last_scores)
    assert len(whole) > 50
    for address in whole:
        assert whole[address].shape == batch[address].shape, address
    for at, text in enumerate(texts):
        goal = None if goals is None else [goals[at]]
        alone = run_batch(model, [text], targets=goal, grad=True).at(0)
        found, expected = batch.at(at).gradients(last_scores), alone.gradients(last_scores)
        assert set(found) == set(expected) == {n for n in alone if alone[n].is_floating_point()}
        scale = float(expected["output/logits"].abs().max())
        for address, gradient in expected.items():
            assert gradient.shape == alone[address].shape == found[address].shape
            size = max(scale, float(gradient.abs().max()))
            assert float((found[address] - gradient).abs().max()) <= EQUAL * size, address


def test_keep_and_edits_hold_for_gradients_too() -> None:
    model, edit = load_model(), Edit("encoder/1/feed_forward/output", torch.zeros_like)
    asked: dict[str, Any] = {"targets": ["动物太累了"], "edits": [edit], "grad": True}
    texts = ["The animal was too tired"]
    few = run_batch(model, texts, keep=["encoder/*/output", "output/logits"], **asked)
    every = run_batch(model, texts, **asked).gradients(last_scores)
    found = few.gradients(last_scores)
    assert set(found) == set(few) and len(found) == 9  # 2 of each sub-layer and norm, the logits
    for address in found:
        torch.testing.assert_close(found[address], every[address])
    assert not every["encoder/1/feed_forward/activation"].any()  # what is cut off


def test_one_run_answers_several_metrics_and_its_traces_are_plain(tmp_path: Path) -> None:
    batch = run_batch(load_model(), ["a cat"], targets=["猫"], grad=True)
    one = batch.gradients(last_scores)
    two = batch.gradients(lambda batch: 2 * last_scores(batch))
    torch.testing.assert_close(two["memory"], 2 * one["memory"])
    trace = batch.at(0)
    assert not any(trace[address].requires_grad for address in trace)
    trace.save(tmp_path / "run")
    again = Trace.load(tmp_path / "run")
    assert torch.equal(again["memory"], trace["memory"])
    with pytest.raises(GlassformerError) as caught:
        again.gradients(last_scores)
    assert caught.value.key == "gradient_run"


@pytest.mark.parametrize(
    ("metric", "key"),
    [
        (lambda batch: batch["output/logits"][:, -1], "metric_shape"),
        (lambda batch: batch["output/logits"].sum(), "metric_shape"),
        (lambda _: 3.0, "metric_shape"),
        (lambda batch: batch["output/logits"][:, -1, 3].detach(), "metric_flat"),
    ],
)
def test_a_metric_that_cannot_be_differentiated_is_a_sentence(metric: Any, key: str) -> None:
    batch = run_batch(load_model(), ["a cat", "the dog"], targets=["猫", "狗"], grad=True)
    with pytest.raises(GlassformerError) as caught:
        batch.gradients(metric)
    assert caught.value.key == key


def test_a_run_without_a_graph_says_so() -> None:
    batch = run_batch(load_model(), ["a cat"], targets=["猫"])
    with pytest.raises(GlassformerError, match="grad=True"):
        batch.gradients(last_scores)
    assert torch.is_grad_enabled()
