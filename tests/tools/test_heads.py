"""Scores of heads: recomputed cell by cell, by TransformerLens' formula, in padded batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.tools.heads import WITHIN
from glassformer.core.training.decoder_alone.measure import random_rows, score_heads
from tests.tools.opened import gpt2

REPEATED = [5, 17, 40, 9, 5, 17, 33, 40, 40]
TEXTS = [REPEATED, [7, 7, 3], [8, 30, 22, 8, 30]]


def places(ids: list[int], kind: str) -> dict[int, list[int]]:
    """Where each row's words of a kind are, told off the ids."""
    found: dict[int, list[int]] = {}
    for row, word in enumerate(ids):
        earlier = [at for at in range(row) if ids[at] == word]
        there = {"previous": [row - 1] if row else [], "duplicate": earlier,
                 "induction": [at + 1 for at in earlier]}[kind]  # fmt: skip
        if there:
            found[row] = there
    return found


def maps(theirs: Any, ids: list[int]) -> list[np.ndarray]:
    with torch.no_grad():
        found = theirs(torch.tensor([ids]), output_attentions=True).attentions
    return [each[0].numpy() for each in found]


def test_scores_are_the_weight_on_these_words() -> None:
    model, theirs = gpt2()
    found = gf.head_scores(model, TEXTS, batch_size=2)
    known = [maps(theirs, ids) for ids in TEXTS]
    for layer in range(3):
        for head in range(4):
            for column, kind in enumerate(WITHIN):
                rows = [
                    known[text][layer][head][row, there].sum()
                    for text, ids in enumerate(TEXTS)
                    for row, there in places(ids, kind).items()
                ]
                assert found.values[layer, head, column] == pytest.approx(np.mean(rows), abs=1e-6)
    table = found.table()
    assert list(table.columns) == ["place", "layer", "head", *WITHIN] and len(table) == 12


@pytest.mark.parametrize("kind", WITHIN)
def test_every_row_counts_as_in_transformer_lens(kind: str) -> None:
    # detect_head(…, error_measure="mul"): (pattern ⊙ detection).sum() / pattern.sum()
    model, theirs = gpt2()
    found = gf.head_scores(model, [REPEATED], [kind], every_row=True)
    size = len(REPEATED)
    detection = np.zeros((size, size))
    for row, there in places(REPEATED, kind).items():
        detection[row, there] = 1
    for layer, pattern in enumerate(maps(theirs, REPEATED)):
        expected = (pattern * detection).sum(axis=(1, 2)) / pattern.sum(axis=(1, 2))
        assert found.values[layer, :, 0] == pytest.approx(expected, abs=1e-6)


def test_the_small_gpt_has_heads_of_these_kinds() -> None:
    # Its card's heads, measured by another function on random words that come twice.
    model = gf.load_model("small-gpt")
    pieces = Tokenizer.from_file(str(CHECKPOINTS / "small-gpt" / "tokenizer.json"))
    rows = random_rows(pieces, rows=4, half=20)
    expected = score_heads(model.transformer, rows)
    found = gf.head_scores(model, rows.tolist(), ["previous"])
    assert found.values[..., 0] == pytest.approx(expected.previous_word, abs=1e-6)
    best = gf.head_scores(model, rows.tolist(), ["induction"]).values[..., 0]
    assert best.argmax() == expected.induction.argmax()


def test_alignment_is_where_cross_attention_meets_the_translated_word() -> None:
    model = gf.load_model()
    texts = ["A dog.", "The animal was too tired."]
    pairs = [[(0, 0), (1, 1)], [(2, 4)]]
    found = gf.head_scores(model, texts, ["alignment", "previous"], alignments=pairs)
    runs = [model.trace(text) for text in texts]
    for at, place in enumerate(found.axes[0].labels):
        if "cross" not in str(place):
            assert np.isnan(found.values[at, :, 0]).all()
            continue
        maps = [run[f"{place}/weights"][0] for run in runs]
        expected = (maps[0][:, 0, 0] + maps[0][:, 1, 1] + maps[1][:, 2, 4]) / 3
        assert found.values[at, :, 0] == pytest.approx(expected.numpy(), abs=1e-6)
        assert np.isnan(found.values[at, :, 1]).all()


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"kinds": ["copying"]}, "head_scores_kind"),
        ({"kinds": ["alignment"]}, "head_scores_alignment"),
        ({"texts": []}, "run_nothing"),
        ({"alignments": [[]]}, "run_targets"),
    ],
)
def test_what_cannot_be_scored_is_said(given: dict[str, Any], key: str) -> None:
    model, _ = gpt2()
    with pytest.raises(GlassformerError) as caught:
        gf.head_scores(model, **{"texts": TEXTS, **given})
    assert caught.value.key == key
