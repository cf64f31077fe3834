"""Probes: the regression is at its optimum, labels that mean nothing are not found."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.tools.probing import PENALTY, fit_logistic, wilson_interval
from tests.tools.opened import gpt2

DRAW = torch.Generator().manual_seed(3)
TEXTS = [
    torch.randint(3, 200, (int(size),), generator=DRAW).tolist()
    for size in torch.randint(3, 9, (60,), generator=DRAW)
]
FIRST = ["low" if text[0] < 100 else "high" for text in TEXTS]


def test_the_regression_is_at_its_optimum() -> None:
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(80, 5, generator=draw, dtype=torch.float64) * 3 + 7
    labels = (x[:, 0] > 7).long() + (x[:, 0] > 9).long()
    weights, offset = fit_logistic(x, labels, 3)
    spread = x.std(dim=0, correction=0)

    def loss(moved: Tensor, shift: Tensor) -> float:
        found = functional.cross_entropy(x @ moved + shift, labels)
        return float(found + PENALTY * (moved * spread[:, None]).square().sum())

    best = loss(weights, offset)
    for _ in range(50):  # nothing near is better
        step = torch.randn(5, 3, generator=draw, dtype=torch.float64) * 1e-3
        assert loss(weights + step, offset - x.mean(0) @ step) >= best
    right = (x @ weights + offset).argmax(-1) == labels
    assert right.double().mean() > 0.9


def test_what_the_vectors_hold_is_found_and_what_they_do_not_hold_is_not() -> None:
    model, _ = gpt2()
    found = gf.probe(model, TEXTS, FIRST, site="target/embedding", at=0, held_out=0.5)
    [there] = found.sites
    assert there.accuracy > 0.6 and there.tried_on == 30 and there.trained_on == 30
    assert found.labels == ("high", "low") and there.low < there.accuracy < there.high
    draw = torch.Generator().manual_seed(1)
    noise = torch.randint(2, (len(TEXTS),), generator=draw).tolist()
    [none] = gf.probe(model, TEXTS, noise, site="target/embedding", at=0, held_out=0.5).sites
    assert abs(none.selectivity) < 0.25
    assert found.table()["selectivity"][0] == pytest.approx(there.accuracy - there.control)


def test_the_direction_is_what_the_accuracy_is_of() -> None:
    model, _ = gpt2()
    site = "decoder/1/self_attention/context"  # heads are laid side by side
    found = gf.probe(model, TEXTS, FIRST, site=site, held_out=0.25, seed=4)
    order = torch.randperm(len(TEXTS), generator=torch.Generator().manual_seed(4)).tolist()
    tried, right = order[:15], 0
    for at in tried:
        words = run_batch(model, [TEXTS[at]], keep=[site])[site][0]  # (H, n, K)
        vector = words.transpose(0, 1).flatten(1).mean(dim=0)
        best = (vector @ found.directions[site] + found.offsets[site]).argmax()
        right += found.labels[int(best)] == FIRST[at]
    assert found.sites[0].accuracy == pytest.approx(right / 15)
    low, high = wilson_interval(right / 15, 15)
    assert (found.sites[0].low, found.sites[0].high) == (low, high)
    # Newcombe 1998, table: 81 of 263
    assert wilson_interval(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)


def test_a_text_is_never_on_both_sides() -> None:
    model, _ = gpt2()
    few = [[word] for word in range(10, 22)]  # each its own label at random: nothing to learn
    labels = torch.randint(2, (12,), generator=torch.Generator().manual_seed(5)).tolist()
    [found] = gf.probe(model, few * 5, labels * 5, site="target/embedding").sites
    assert found.tried_on == 15 and found.accuracy < 1


def test_words_may_have_labels_and_their_control_is_one_a_kind_of_word() -> None:
    model, _ = gpt2()
    labels = [[word % 3 for word in text] for text in TEXTS]
    found = gf.probe(model, TEXTS, labels, site="target/embedding", controls=3)
    [there] = found.sites
    assert there.tried_on + there.trained_on == sum(map(len, TEXTS))
    assert 0 < there.control < 1


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"labels": FIRST[:-1]}, "probe_labels"),
        ({"labels": [[1]] * len(TEXTS)}, "probe_labels"),
        ({"labels": ["same"] * len(TEXTS)}, "probe_classes"),
        ({"at": 40}, "out_of_range"),
        ({"site": "*/weights"}, "site_per_word"),
    ],
)
def test_what_cannot_be_probed_is_said(changes: dict[str, Any], key: str) -> None:
    model, _ = gpt2()
    with pytest.raises(GlassformerError) as caught:
        gf.probe(model, TEXTS, **{"labels": FIRST, **changes})
    assert caught.value.key == key
