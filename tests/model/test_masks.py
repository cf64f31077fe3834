"""Masks on shapes and contents that hypothesis thinks of."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from glassformer.core.config import MaskFill
from glassformer.core.model.masks import apply_mask, causal_mask, padding_mask, target_mask

FILLS: list[MaskFill] = ["large_negative", "minus_infinity", "additive"]
ids_rows = st.lists(
    st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=1, max_size=4
)  # 0 is padding


@given(ids_rows)
def test_padding_hides_exactly_the_padding(rows: list[list[int]]) -> None:
    ids = torch.tensor(rows)
    mask = padding_mask(ids, 0)
    assert mask.shape == (len(rows), 1, 1, 6)
    assert mask[:, 0, 0].tolist() == [[word != 0 for word in row] for row in rows]


@given(st.integers(1, 40))
def test_causal_shows_the_past_and_the_present(length: int) -> None:
    mask = causal_mask(length)[0, 0]
    for query in range(length):
        assert mask[query].tolist() == [key <= query for key in range(length)]


@given(ids_rows)
def test_target_mask_is_both(rows: list[list[int]]) -> None:
    ids = torch.tensor(rows)
    mask = target_mask(ids, 0)
    for row, words in enumerate(rows):
        for query in range(6):
            expected = [key <= query and (words[key] != 0 or key == 0) for key in range(6)]
            assert mask[row, 0, query].tolist() == expected


def test_the_begin_token_is_never_padding_and_the_future_stays_hidden() -> None:
    mask = target_mask(torch.tensor([[0, 5, 0], [0, 0, 0]]), 0)[:, 0]
    assert mask[0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
    assert mask[1].tolist() == [[True, False, False]] * 3


@given(st.integers(0, 2**16), st.integers(1, 8), st.integers(1, 8))
def test_three_fills_agree_where_a_row_has_a_key(seed: int, queries: int, keys: int) -> None:
    source = torch.Generator().manual_seed(seed)
    scores = torch.randn(1, 2, queries, keys, generator=source) * 10
    mask = torch.rand(1, 2, queries, keys, generator=source) > 0.5
    found = {fill: apply_mask(scores, mask, fill).softmax(dim=-1) for fill in FILLS}
    has_key = mask.any(dim=-1)
    for fill in FILLS:
        assert torch.equal(found[fill][has_key], found["large_negative"][has_key])
        allowed_rows = found[fill][has_key]
        assert torch.equal(
            allowed_rows[~mask[has_key]], torch.zeros_like(allowed_rows[~mask[has_key]])
        )
    empty = found["large_negative"][~has_key]
    torch.testing.assert_close(empty, torch.full_like(empty, 1 / keys))
    assert found["minus_infinity"][~has_key].isnan().all()
    assert found["additive"][~has_key].isnan().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_large_negative_fits_the_number_format(dtype: torch.dtype) -> None:
    scores: Any = torch.zeros(1, 1, 1, 2, dtype=dtype)
    masked = apply_mask(scores, torch.tensor([True, False]), "large_negative")
    assert masked.isfinite().all()
    assert masked.softmax(dim=-1).flatten().tolist() == [1.0, 0.0]
