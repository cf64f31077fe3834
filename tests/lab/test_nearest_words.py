"""Cosines and neighbours by hand in small tables, and by torch in the bundled model's."""

import pytest
import torch
from torch.nn.functional import cosine_similarity, one_hot

from glassformer import load_model
from glassformer.core.lab.nearest_words import DRAWN, word_likeness
from glassformer.core.text.vocabulary import RESERVED


def test_by_hand() -> None:
    table = torch.tensor([[9.0, 9.0], [1.0, 0.0], [3.0, 4.0], [0.0, 2.0], [-1.0, 0.0]])
    found = word_likeness(table, (1, 2), first=1)
    assert (found.dense.product, found.dense.cosine) == (3, pytest.approx(0.6))
    assert (found.dense.numbers, found.dense.filled) == (2, 1)
    assert (found.sparse.numbers, found.sparse.filled, found.sparse.cosine) == (5, 1, 0)
    assert [word for word, _ in found.nearest[0]] == [2, 3, 4]  # row 0 is no word
    assert [cosine for _, cosine in found.nearest[0]] == pytest.approx([0.6, 0, -1])
    assert found.rank == 1
    assert (found.pairs, found.positive) == (6, pytest.approx(2 / 6))  # 1 with 2, 2 with 3
    assert found.mean == pytest.approx((0.6 + 0 - 1 + 0.8 - 0.6 + 0) / 6)
    same = word_likeness(table, (2, 2), first=1)
    assert (same.rank, same.sparse.cosine) == (0, 1)
    centred = word_likeness(table, (1, 2), first=1, origin="mean")
    middle = table[1:].mean(dim=0)
    by_torch = cosine_similarity(table[1] - middle, table[2] - middle, dim=0)
    assert centred.dense.cosine == pytest.approx(float(by_torch))


def test_training_has_brought_animals_together() -> None:
    model = load_model()
    words, table = model.tokenizer.vocabulary, model.transformer.source_embedding.table.weight
    pair = words.id("cat"), words.id("dog")
    rows = table.detach()[list(pair)]
    torch.testing.assert_close(one_hot(torch.tensor(pair), len(table)).float() @ table, rows)
    found = word_likeness(table, pair, len(RESERVED))
    assert found.dense.cosine == pytest.approx(float(cosine_similarity(*rows, dim=0)), abs=1e-5)
    assert found.rank <= 20
    assert found.pairs == DRAWN * (DRAWN - 1) // 2
    assert found.positive > 0.99  # above 0 says nothing in this table
    assert found.dense.cosine > found.mean + 0.1
    centred = word_likeness(table, pair, len(RESERVED), origin="mean")
    assert 0.3 < centred.positive < 0.7
    assert abs(centred.mean) < 0.05
    untrained = word_likeness(table, pair, len(RESERVED), "untrained")
    assert abs(untrained.dense.cosine) < 0.4
    assert untrained.rank > 20
