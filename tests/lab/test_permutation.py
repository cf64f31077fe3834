"""A permuted sentence, with and without positions, in small models and the bundled one."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.permutation import permutation, reversed_order
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.transformer import Transformer

IDS, ORDER = [5, 6, 7, 6, 2], [3, 0, 4, 1, 2]
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"norm_place": "pre", "final_norm": True, "positions": "notes"},
    {"d_model": 12, "positions": "halves", "norm_formula": "sample"},
    {"positions": "learned", "mask_fill": "additive"},
]


@pytest.mark.parametrize("changes", CONVENTIONS)
def test_only_positions_tell_the_order(
    small_model: Callable[..., Transformer], changes: dict[str, Any]
) -> None:
    model = small_model(**changes)
    own, none = permutation(model, IDS, ORDER)
    assert none.equivariant
    assert none.output.error < 1e-5
    assert none.weights.error < 1e-6
    assert not own.equivariant
    assert own.relative_error > 0.01
    with torch.no_grad():  # `own` is the model's plain run
        still = model.encode(torch.tensor([IDS]))[0]
        moved = model.encode(torch.tensor([[IDS[at] for at in ORDER]]))[0]
    torch.testing.assert_close(own.output.still, still, rtol=0, atol=0)
    torch.testing.assert_close(own.output.moved, moved, rtol=0, atol=0)
    assert own.output.error == pytest.approx(float((moved - still[ORDER]).abs().max()))
    assert own.weights.still.shape == (2, 4, 5, 5)


def test_a_model_without_positions_is_the_edited_one(
    small_model: Callable[..., Transformer],
) -> None:
    edited = permutation(small_model(), IDS, ORDER, ["none"])[0]
    with torch.no_grad():
        plain = small_model(positions="none").encode(torch.tensor([IDS]))[0]
    torch.testing.assert_close(edited.output.still, plain)


def test_the_notes_variant(small_model: Callable[..., Transformer]) -> None:
    notes, paper = permutation(small_model(), IDS, ORDER, ["notes", "paper"])
    own = permutation(small_model(positions="notes"), IDS, ORDER, ["own"])[0]
    torch.testing.assert_close(notes.output.still, own.output.still)
    assert not torch.equal(notes.output.still, paper.output.still)
    assert not torch.equal(position_encoding(5, 16, "notes"), position_encoding(5, 16))


@pytest.mark.parametrize("text", ["I love machine learning", "我爱机器学习", "cat"])
def test_the_bundled_model(text: str) -> None:
    model = load_model()
    ids = model.trace(text)["source/ids"][0].tolist()
    own, none = permutation(model.transformer, ids, reversed_order(len(ids)))
    assert none.equivariant
    assert not own.equivariant
    torch.testing.assert_close(own.output.still, model.trace(text)["memory"][0])


def test_the_same_order_moves_nothing(small_model: Callable[..., Transformer]) -> None:
    assert reversed_order(3) == (2, 1, 0)
    same = permutation(small_model(), [3, 4, 5], [0, 1, 2])[0]
    assert same.output.error == 0
    assert not same.is_moved


@pytest.mark.parametrize(
    "ids, order, variants, key",
    [
        ([99], [0], ["own"], "lab_whole"),
        ([1, 2], [0, 0], ["own"], "lab_shape"),
        ([1, 2], [0], ["own"], "lab_shape"),
        ([1, 2], [0, 2], ["own"], "lab_whole"),
        ([1] * 33, list(range(33)), ["own"], "lab_large"),
        ([1, 2], [1, 0], ["learned"], "lab_choice"),
        ([], [], ["own"], "lab_empty"),
    ],
)
def test_refusals(
    small_model: Callable[..., Transformer], ids: Any, order: Any, variants: Any, key: str
) -> None:
    with pytest.raises(GlassformerError) as refused:
        permutation(small_model(), ids, order, variants)
    assert refused.value.key == key
