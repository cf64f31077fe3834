"""Rows of logits: several beginnings at once, in any order, with and without a cache."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from glassformer.core.decoding.rows import KeptRows, rows_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from tests.decoding.tasks import START

Maker = Callable[..., Transformer]
CALLS = [
    [[START]],
    [[START, 9], [START, 10], [START, 11]],
    [[START, 11, 5], [START, 9, 6], [START, 11, 7], [START, 10, 8]],  # shuffled, one twice, all
    [[START, 10, 8, 4], [START, 11, 5, 4], [START, 9, 6, 4], [START, 11, 7, 4]],  # moved
    [[START, 11, 7, 4, 3]],  # one of four goes on
    [[START, 20, 21, 22, 23]],  # another beginning
    [[START, 20, 0, 22, 23, 24]],  # with padding in it
    [[START, 20, 0, 22, 23, 24, 25]],
    [[START, 9]],
]


@pytest.mark.parametrize("changes", [{}, {"positions": "learned"}, {"tie_attention": True}])
def test_the_cache_follows_every_beginning(
    small_model: Maker, source_ids: Tensor, changes: dict
) -> None:
    model = small_model(**changes)
    kept, whole = rows_of(model, source_ids), rows_of(model, source_ids, Recorder)
    for written in CALLS:
        expected = torch.cat(
            [model(source_ids, torch.tensor([ids]))[:, -1] for ids in written]
        ).softmax(dim=-1)
        for rows in (kept, whole):
            found = rows(written).softmax(dim=-1)
            torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)


def test_a_begin_token_with_the_id_of_padding_is_kept_too(
    small_model: Maker, source_ids: Tensor
) -> None:
    model = small_model(pad_id=START)
    kept = KeptRows(model, source_ids)
    for ids in ([START], [START, 9], [START, 9, 10]):
        expected = model(source_ids, torch.tensor([ids]))[:, -1]
        torch.testing.assert_close(kept([ids]), expected, atol=1e-5, rtol=1e-5)
    assert kept.caches[0].length == 3  # not read anew each time


def test_what_follows_costs_one_row(small_model: Maker, source_ids: Tensor) -> None:
    rows = KeptRows(small_model(), source_ids)
    rows([[START, 9]])
    before = rows.caches[0].self_attention.kept
    rows([[START, 9, 10]])
    after = rows.caches[0].self_attention.kept
    assert before is not None and after is not None
    assert torch.equal(after[0][:, :, :2], before[0]) and after[0].size(-2) == 3
    assert rows.caches[0].length == 3
