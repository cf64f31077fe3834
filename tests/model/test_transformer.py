"""What must hold for every convention, and what each convention changes."""

import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import choose_device
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from tests.conventions import FAMILIES, with_every_choice

Maker = Callable[..., Transformer]
CONVENTIONS = with_every_choice([
    {},
    {"norm_place": "pre", "final_norm": True},
    {"norm_formula": "sample", "norm_epsilon": 1e-6, "norm_initial_shift": 1.0},
    {"positions": "notes"},
    {"positions": "halves", "embedding_scale": False},
    {"positions": "learned", "max_length": 8},
    {"positions": "none"},
    {"activation": "gelu"},
    {"activation": "gelu_tanh", "attention_bias": False, "generator_bias": False},
    {"mask_fill": "minus_infinity"},
    {"mask_fill": "additive"},
    {"share_embeddings": True, "tie_generator": True},
    {"tie_attention": True},
    *FAMILIES,
])  # fmt: skip
each_convention = pytest.mark.parametrize("changes", CONVENTIONS, ids=str)


def logits(model: Transformer, source: Tensor, target: Tensor) -> Tensor:
    found: Tensor = model(source, target)
    return found


@each_convention
def test_the_future_changes_nothing_before_it(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor, changes: dict[str, Any]
) -> None:
    model = small_model(**changes)
    other = target_ids.clone()
    other[0, 2] = 20
    before, after = logits(model, source_ids, target_ids), logits(model, source_ids, other)
    assert torch.equal(before[:, :2], after[:, :2])
    assert not torch.allclose(before[:, 2:], after[:, 2:])


@each_convention
def test_teacher_forcing_equals_autoregression(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor, changes: dict[str, Any]
) -> None:
    """With the past recomputed, and with keys and values kept."""
    model = small_model(**changes)
    forced = logits(model, source_ids, target_ids)
    length = target_ids.size(1)
    grown = [logits(model, source_ids, target_ids[:, : n + 1])[:, -1] for n in range(length)]
    torch.testing.assert_close(torch.stack(grown, 1), forced, atol=1e-5, rtol=1e-5)
    memory, caches = model.encode(source_ids), model.new_caches()
    mask = (source_ids != 0)[:, None, None]
    kept = [model.step(target_ids[:, n : n + 1], memory, mask, caches) for n in range(length)]
    torch.testing.assert_close(torch.cat(kept, 1), forced, atol=1e-5, rtol=1e-5)


@each_convention
def test_padding_changes_nothing(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor, changes: dict[str, Any]
) -> None:
    model = small_model(**changes)
    padded = torch.cat([source_ids, torch.zeros(1, 3, dtype=torch.long)], dim=1)
    found = logits(model, padded, target_ids)
    torch.testing.assert_close(found, logits(model, source_ids, target_ids), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("changes", CONVENTIONS[1:], ids=str)
def test_every_convention_changes_the_output(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor, changes: dict[str, Any]
) -> None:
    """But the three ways to fill a mask, which agree where every row has a key."""
    same = logits(small_model(), source_ids, target_ids)
    model = small_model(**changes)
    if "mask_fill" in changes:
        torch.testing.assert_close(logits(model, source_ids, target_ids), same)
    else:
        assert not torch.allclose(logits(model, source_ids, target_ids), same, atol=1e-4)


def test_without_positions_a_permuted_source_gives_permuted_states(
    small_model: Maker, source_ids: Tensor
) -> None:
    order = torch.tensor([3, 0, 4, 1, 2])
    blind, seeing = small_model(positions="none"), small_model()
    torch.testing.assert_close(
        blind.encode(source_ids[:, order]), blind.encode(source_ids)[:, order], atol=1e-5, rtol=0
    )
    assert not torch.allclose(
        seeing.encode(source_ids[:, order]), seeing.encode(source_ids)[:, order], atol=1e-3
    )


def test_the_same_word_at_two_positions_enters_differently(
    small_model: Maker, source_ids: Tensor
) -> None:
    tape = Recorder()
    small_model().encode(source_ids, tape)
    assert torch.equal(
        tape.tensors["source/embedding"][0, 1], tape.tensors["source/embedding"][0, 3]
    )
    assert not torch.allclose(
        tape.tensors["source/input"][0, 1], tape.tensors["source/input"][0, 3]
    )


def test_a_step_in_position_is_a_rotation() -> None:
    """§3.5: PE[pos + k] is a fixed linear function of PE[pos]."""
    table = position_encoding(50, 16)
    for pair in range(8):
        angle = torch.tensor(10000.0 ** (-2 * pair / 16) * 3)
        turn = torch.tensor(
            [[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]]
        )  # by three positions
        waves = table[:, 2 * pair : 2 * pair + 2]
        torch.testing.assert_close(waves[:-3] @ turn.T, waves[3:], atol=1e-5, rtol=0)


def test_the_notes_variant_differs_in_the_cosines_only() -> None:
    paper, notes = position_encoding(20, 8, "paper"), position_encoding(20, 8, "notes")
    assert torch.equal(paper[:, ::2], notes[:, ::2])
    assert not torch.allclose(paper[1:, 1::2], notes[1:, 1::2])
    halves = position_encoding(20, 8, "halves")
    assert torch.equal(halves, torch.cat([paper[:, ::2], paper[:, 1::2]], dim=-1))


def test_layers_are_independent_unless_tied(small_model: Maker) -> None:
    free, tied = small_model(), small_model(tie_attention=True)
    layer = free.decoder.layers[0]
    assert layer.self_attention is not layer.cross_attention
    layer = tied.decoder.layers[0]
    assert layer.self_attention is layer.cross_attention
    assert (
        free.encoder.layers[0].feed_forward.w_1.weight
        is not free.encoder.layers[1].feed_forward.w_1.weight
    )


def test_tied_tables_are_one(small_model: Maker) -> None:
    model = small_model(share_embeddings=True, tie_generator=True)
    assert model.source_embedding.table is model.target_embedding.table
    assert model.generator.weight is model.source_embedding.table.weight


def test_weights_start_xavier_uniform(small_config: Callable[..., Any]) -> None:
    torch.manual_seed(3)
    model = Transformer(small_config())
    weight = model.encoder.layers[0].feed_forward.w_1.weight
    bound = (6 / sum(weight.shape)) ** 0.5
    assert weight.abs().max() <= bound and weight.abs().max() > 0.9 * bound
    assert not model.encoder.layers[0].feed_forward.w_1.bias.any()


def test_device_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DEVICE", "cpu")
    assert choose_device().type == "cpu"
    monkeypatch.setenv("GLASSFORMER_DEVICE", "abacus")
    with pytest.raises(GlassformerError, match="GLASSFORMER_DEVICE=abacus"):
        choose_device()
    monkeypatch.delenv("GLASSFORMER_DEVICE")
    assert choose_device().type in ("cuda", "mps", "cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_the_cpu(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    assert os.environ.get("GLASSFORMER_DEVICE", "cuda") == "cuda"
    here, there = Recorder(), Recorder()
    small_model()(source_ids, target_ids, here)
    small_model().to("cuda")(source_ids.cuda(), target_ids.cuda(), there)
    for address, tensor in here.tensors.items():
        torch.testing.assert_close(there.tensors[address].cpu(), tensor, atol=1e-4, rtol=1e-4)
