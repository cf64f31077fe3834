"""Ablation: zero, mean and resampling are what hooks of torch give; padding counts nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from tests.tools.opened import IDS, LONGER, entering, gpt2, last_logits, leaving, seen

WORD, WIDTH = 21, 6
TEXTS = [*IDS, LONGER]


def test_zeroed_heads_are_those_of_torch_hooks() -> None:
    model, theirs = gpt2()
    found = gf.ablate(
        model, TEXTS, how="zero", metric=gf.logit(WORD), over=("layer", "head"), batch_size=7
    )
    assert found.values.shape == (3, 4, 3)
    for layer, block in enumerate(theirs.transformer.h):
        for head in range(4):

            def zero(x: Tensor, head: int = head) -> Tensor:
                x[..., head * WIDTH : (head + 1) * WIDTH] = 0
                return x

            for at, text in enumerate(TEXTS):
                plain = last_logits(theirs, text)[WORD]
                with entering(block.attn.c_proj, zero):
                    expected = float(last_logits(theirs, text)[WORD] - plain)
                assert found.values[layer, head, at] == pytest.approx(expected, abs=1e-5)
    table = found.table()
    assert list(table["texts"].unique()) == [3]
    mean = found.values.mean(-1).reshape(-1)
    assert table[found.measure].to_numpy() == pytest.approx(mean)
    error = found.values.std(-1, ddof=1).reshape(-1) / np.sqrt(3)
    assert table["standard error"].to_numpy() == pytest.approx(error)


def test_the_mean_is_over_the_words_of_the_reference_alone() -> None:
    model, theirs = gpt2()
    reference = [LONGER, [3, 4]]
    found = gf.ablate(
        model, TEXTS, site="*/feed_forward/output", how="mean", reference=reference,
        metric=gf.logit(WORD), batch_size=2,
    )  # fmt: skip
    for layer, block in enumerate(theirs.transformer.h):
        nothing = torch.nn.Identity()  # what the network writes is what its dropout reads
        words = [
            seen(block.mlp.dropout, lambda text=text: last_logits(theirs, text))[0]
            for text in reference
        ]
        mean = torch.cat(words).mean(dim=0)
        assert len(torch.cat(words)) == 10 and nothing is not None
        for at, text in enumerate(TEXTS):
            plain = last_logits(theirs, text)[WORD]
            with leaving(block.mlp, lambda x, mean=mean: mean.expand_as(x)):
                expected = float(last_logits(theirs, text)[WORD] - plain)
            assert found.values[layer, at] == pytest.approx(expected, abs=1e-5)


def test_resampled_words_are_words_of_the_reference() -> None:
    model, _ = gpt2()
    written: list[Tensor] = []

    def look(batch: Any) -> Tensor:
        written.append(batch["decoder/1/self_attention/context"])
        return batch["output/logits"][:, -1, WORD]

    site = "decoder/1/self_attention/context"
    found = gf.ablate(model, TEXTS, site=site, how="resample", reference=[LONGER], metric=look)
    given = run_batch(model, [LONGER], keep=[site])[site][0]  # (H, n, K)
    known = {tuple(row) for row in given.transpose(0, 1).flatten(1).tolist()}
    changed = written[-2]  # the last one is the plain run
    rows = changed.transpose(1, 2).flatten(2).flatten(0, 1).tolist()
    assert {tuple(row) for row in rows} <= known and len({tuple(row) for row in rows}) > 2
    again = gf.ablate(model, TEXTS, site=site, how="resample", reference=[LONGER], metric=look)
    assert (again.values == found.values).all()


def test_without_a_metric_it_is_the_divergence_of_the_rows() -> None:
    model, theirs = gpt2()
    found = gf.ablate(model, TEXTS, site="*/feed_forward/output", how="zero")
    for layer, block in enumerate(theirs.transformer.h):
        for at, text in enumerate(TEXTS):
            with torch.no_grad():
                plain = theirs(torch.tensor([text])).logits[0].double().log_softmax(-1)
                with leaving(block.mlp, torch.zeros_like):
                    other = theirs(torch.tensor([text])).logits[0].double().log_softmax(-1)
            expected = float((plain.exp() * (plain - other)).sum(-1).mean())
            assert found.values[layer, at] == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert "KL" in repr(found)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"how": "median"}, "ablate_how"),
        ({"over": ("site", "position")}, "over_axis"),
        ({"site": "*/weights", "how": "mean"}, "site_per_word"),
        ({"texts": []}, "run_nothing"),
        ({"reference": []}, "run_nothing"),
    ],
)
def test_what_cannot_be_ablated_is_said(changes: dict[str, Any], key: str) -> None:
    model, _ = gpt2()
    given = {"texts": TEXTS, **changes}
    with pytest.raises(GlassformerError) as caught:
        gf.ablate(model, given.pop("texts"), **given)
    assert caught.value.key == key


def test_without_a_reference_the_mean_is_over_the_rows_that_are_forced() -> None:
    model, texts, targets = gf.load_model(), ["A dog.", "I like cats."], ["动物太累了", "狗"]
    site = "decoder/1/cross_attention/output"
    metric = gf.logit(5)
    plain = run_batch(model, texts, targets=targets)
    mean = plain[site][plain.target_mask].mean(dim=0)
    edits = [gf.set_to(site, mean)]
    changed = run_batch(model, texts, targets=targets, edits=edits)
    found = gf.ablate(model, texts, site=site, how="mean", targets=targets, metric=metric)
    expected = metric(changed) - metric(plain)
    assert found.values.squeeze() == pytest.approx(expected.numpy(), abs=1e-5)


def test_both_stacks_at_once() -> None:
    model = gf.load_model()
    found = gf.ablate(model, ["A dog.", "The animal was too tired."], how="mean")
    assert found.axes[0].labels == tuple(
        f"{place}_attention"
        for place in (
            "encoder/0/self", "encoder/1/self", "decoder/0/self", "decoder/0/cross",
            "decoder/1/self", "decoder/1/cross",
        )
    )  # fmt: skip
    assert (found.values >= -1e-7).all() and found.values.max() > 0.01
