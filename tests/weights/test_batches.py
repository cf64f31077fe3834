"""Several texts of a model in one run are what `transformers` computes of each, padded or not."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.text_models.batches import run_batch
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.weights.folders import MAKERS, whole

TEXTS = ("The small house", "a cat", "The old dog sleeps in the house")
BLANKS = ("The ___ house", "a ___", "The old dog ___ in the house")
GOALS = ("a house", "the cat is small", "dog")
EQUAL = 1e-12  # in float64, of a tensor's largest number


@cache
def both(kind: str) -> tuple[OpenedModel, Any]:
    folder = Path(mkdtemp())
    oracle = whole(kind, folder)
    return open_model(folder), oracle


def texts_of(kind: str) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    model, _ = both(kind)
    return (BLANKS, None) if model.kind == "fill_in" else (TEXTS, GOALS)


def apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max() / other.abs().max().clamp(min=1))


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("kind", MAKERS)
def test_each_text_of_a_batch_is_the_text_alone(kind: str, padding: Any) -> None:
    model, _ = both(kind)
    model = model.having(deepcopy(model.transformer).double())
    texts, goals = texts_of(kind)
    batch = run_batch(model, texts, targets=goals, padding=padding)
    parts = run_batch(model, texts, targets=goals, padding=padding, batch_size=2)
    for at, text in enumerate(texts):
        goal = None if goals is None else [goals[at]]
        alone = run_batch(model, [text], targets=goal).at(0)
        for found in (batch.at(at), parts.at(at)):
            assert list(found) == list(alone)
            assert found.output_ids == alone.output_ids
            for address in alone:
                assert found[address].shape == alone[address].shape
                assert apart(found[address].double(), alone[address].double()) <= EQUAL, address


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("kind", MAKERS)
def test_logits_of_a_padded_batch_are_the_oracles(kind: str, padding: Any) -> None:
    model, oracle = both(kind)
    texts, goals = texts_of(kind)
    batch = run_batch(model, texts, targets=goals, padding=padding, keep="output/logits")
    names = {"input_ids": [each.source or each.target for each in batch.inputs]}
    if model.config.has_both:
        names["decoder_input_ids"] = [each.target for each in batch.inputs]
    for at, each in enumerate(batch.inputs):
        with torch.no_grad():
            told = oracle(**{name: torch.tensor([ids[at]]) for name, ids in names.items()}).logits
        rows = slice(batch.row(at, 0), batch.row(at, -1) + 1)
        assert rows.stop - rows.start == len(each.target)
        assert apart(batch["output/logits"][at, rows], told[0]) <= 1e-5


@pytest.mark.parametrize("kind", [each for each in MAKERS if each not in ("distilbert",)])
def test_right_padding_is_the_attention_mask_of_the_oracle(kind: str) -> None:
    model, oracle = both(kind)
    texts, goals = texts_of(kind)
    batch = run_batch(model, texts, targets=goals)
    last = "decoder" if model.config.decoder_layers else "encoder"
    side = "source" if last == "encoder" else "target"
    mask = batch.source_mask if last == "encoder" or model.config.has_both else batch.target_mask
    given = {"attention_mask": mask.long(), "output_attentions": True}
    if model.config.has_both:
        given |= {"input_ids": batch["source/ids"], "decoder_input_ids": batch["target/ids"]}
    else:
        given["input_ids"] = batch[f"{side}/ids"]
    with torch.no_grad():
        told = oracle(**given)
    maps = told.decoder_attentions if model.config.has_both else told.attentions
    where = batch.target_mask
    assert apart(batch["output/logits"][where], told.logits[where]) <= 1e-5
    for layer, each in enumerate(maps):
        own = batch[f"{last}/{layer}/self_attention/weights"]
        assert apart(own.transpose(1, 2)[where], each.transpose(1, 2)[where]) <= 1e-5


def test_only_what_is_kept_stays_in_memory() -> None:
    model, _ = both("marian")
    batch = run_batch(model, TEXTS, keep=["encoder/*/self_attention/weights", "memory"])
    assert list(batch) == [f"encoder/{at}/self_attention/weights" for at in range(2)] + ["memory"]
    assert batch.output_ids == ((), (), ())  # nothing of the decoder was asked for
    whole_run = run_batch(model, TEXTS, targets=GOALS, keep="memory")
    assert torch.equal(batch["memory"], whole_run["memory"])
