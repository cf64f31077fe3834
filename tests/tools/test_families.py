"""Every tool on every family: what must be so of any model, whatever its conventions."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.core.text_models.batches import run_batch
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.weights import folders

KINDS = ("marian", "t5", "gpt2", "bert", "llama 3", "bart", "qwen3")
CLEAN, CORRUPT, TARGET = [5, 17, 40, 41, 9, 33], [5, 17, 40, 12, 9, 33], [7, 30, 22]
TEXTS = [CLEAN, CORRUPT, [7, 30, 22, 19, 5, 17, 40, 3], [9, 9, 20]]
WORD, OTHER = 21, 60


@cache
def opened(kind: str) -> OpenedModel:
    folder = Path(mkdtemp(prefix="glassformer-families-"))
    folders.whole(kind, folder)
    return open_model(folder)


def forced(model: OpenedModel, count: int | None = None) -> Any:
    """What is forced on the decoder of two stacks: one target, or one a text."""
    if not model.config.has_both:
        return None
    return TARGET if count is None else [TARGET] * count


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_stream_brings_the_clean_run_back(kind: str) -> None:
    model, metric = opened(kind), gf.logit_diff(WORD, OTHER)
    site = "encoder/stream" if model.config.encoder_layers else "stream"
    grid = gf.patch(model, CLEAN, CORRUPT, metric, over=("layer",), site=site, target=forced(model))
    assert grid.values == pytest.approx(np.full(grid.values.shape, grid.notes["clean"]), abs=1e-4)
    assert not math.isclose(grid.notes["clean"], grid.notes["corrupt"], abs_tol=1e-3)
    same = gf.patch(model, CORRUPT, CORRUPT, metric, target=forced(model))
    there = same.values[~np.isnan(same.values)]
    assert there == pytest.approx(np.full(there.shape, same.notes["corrupt"]), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_a_batch_are_ablated_as_each_alone(kind: str) -> None:
    model = opened(kind)
    whole = gf.ablate(model, TEXTS, how="zero", over=("site", "head"), targets=forced(model, 4))
    assert whole.values.shape[-1] == 4 and np.nanmax(whole.values) > 1e-4
    for at, text in enumerate(TEXTS):
        alone = gf.ablate(
            model, [text], how="zero", over=("site", "head"), targets=forced(model, 1)
        )
        expected = pytest.approx(alone.values[..., 0], abs=1e-4, nan_ok=True)
        assert whole.values[..., at] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_parts_add_up_and_lenses_end_in_the_run(kind: str) -> None:
    model = opened(kind)
    batch = run_batch(model, [CLEAN], targets=forced(model, 1))
    found = gf.direct_logit_attribution(batch, WORD, OTHER)
    row = batch["output/logits"][0, -1]
    assert found.found.logit == pytest.approx(float(row[WORD] - row[OTHER]), abs=1e-4)
    assert found.table()["adds"].sum() == pytest.approx(found.found.logit, rel=1e-4, abs=1e-3)
    assert np.nansum(found.by_head().values) == pytest.approx(
        sum(part.value for part in found.found.parts if part.head is not None)
    )
    seen = gf.logit_lens(batch)
    assert seen.lens.divergence[-1] == pytest.approx(0, abs=1e-5)
    fitted = gf.tuned_lens.fit(model, TEXTS, targets=forced(model, 4), steps=40)
    table = fitted.table()
    assert table["tuned"].sum() < table["plain"].sum()
    assert fitted.read(batch).lens.divergence[-1] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_heads_are_scored_and_labels_probed(kind: str) -> None:
    model = opened(kind)
    scores = gf.head_scores(model, TEXTS, targets=forced(model, 4))
    own = scores.values[["cross" not in str(each) for each in scores.axes[0].labels]]
    own = own[..., 0][~np.isnan(own[..., 0])]  # an encoder may have more heads than its decoder
    assert own.size >= 4 and ((own >= 0) & (own <= 1)).all()  # previous
    several = [[first, *text] for text in TEXTS for first in (11, 12, 13, 14)]
    names = ["odd" if text[0] % 2 else "even" for text in several]
    found = gf.probe(model, several, names, site="stream", targets=forced(model, 16), at=0)
    assert len(found.sites) == model.config.encoder_layers + model.config.decoder_layers
    assert {each.tried_on + each.trained_on for each in found.sites} == {16}
    if model.config.encoder_layers:
        assert max(each.accuracy for each in found.sites) == 1  # the first word says it
    assert all(torch.isfinite(each).all() for each in found.directions.values())
