"""Masks built line by line: the code is run as it is printed."""

import math
from typing import Any

import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.mask_building import RECIPES, build_mask
from glassformer.core.model.masks import causal_mask


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("hidden", [-1, 0, 1, 2])
def test_the_lines_give_what_stands_below_them(recipe: str, hidden: int) -> None:
    known: dict[str, Any] = {"torch": torch}
    for line in build_mask(recipe, 5, hidden).lines:
        exec(line.code, known)
        assert torch.equal(known[line.code.partition(" ")[0]], line.made)


@pytest.mark.parametrize("recipe", RECIPES)
def test_all_three_build_the_models_own_mask(recipe: str) -> None:
    found = build_mask(recipe, 4, lengths=(4,))
    assert torch.equal(found.allowed, causal_mask(4)[0, 0])
    assert found.weights[2].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert not found.empty.any()


def test_the_current_word_hidden_leaves_the_first_row_nothing() -> None:
    found = build_mask("triu", 5, 0)
    assert found.empty.tolist() == [True, False, False, False, False]
    assert found.weights[0].tolist() == pytest.approx([0.2] * 5)
    assert found.weights[1].tolist() == [1, 0, 0, 0, 0]
    assert all(map(math.isnan, build_mask("full", 5, 0).weights[0].tolist()))


def test_heads_read_the_same_memory_and_sentences_their_own_padding() -> None:
    found = build_mask("tril", 3, 1, (3, 2), 4)
    assert found.spread.shape == (2, 4, 3, 3)
    assert found.spread.stride()[1] == 0
    assert found.spread.data_ptr() == found.with_padding.data_ptr()
    assert found.spread[1, 2].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert found.spread[0, 3, 2].all()


def test_a_padding_mask_without_an_axis_for_heads() -> None:
    taken = {name: took for name, (_, took) in build_mask("tril", 3, 1, (3, 2), 4).fits.items()}
    assert taken == {"causal": True, "padding": True, "both": True, "bare": False}
    assert build_mask("tril", 3, 1, (3, 2), 2).fits["bare"] == (
        (2, 1, 3),
        True,
    )  # and nobody is told


def test_what_does_not_fit() -> None:
    with pytest.raises(GlassformerError, match="whole number"):
        build_mask("tril", 3, 1, (4,))
    with pytest.raises(GlassformerError, match="cannot be"):
        build_mask("eye")
    with pytest.raises(GlassformerError, match="at most"):
        build_mask("tril", 3, 1, (1, 1, 1, 1))
