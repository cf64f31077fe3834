"""The two optimisers: who moves what, and by how much."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from glassformer.core.corpus import load_grammar
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.training.loop import Trainer, load_state, save_state
from glassformer.core.training.optimiser import layer_matrices, learning_rate
from glassformer.core.training.training_config import TrainingConfig
from tests.training.tiny import TINY

ADAM = TrainingConfig(**{**TINY.to_dict(), "muon": False, "adam_rate": 1.0, "weight_decay": 0.0})


def moved(recipe: TrainingConfig, tokenizer: Tokenizer) -> tuple[Trainer, dict[str, Tensor]]:
    """A trainer after one step, and how far it moved each parameter, in learning rates."""
    trainer = Trainer.of_grammar(recipe, load_grammar(), tokenizer)
    before = {name: each.detach().clone() for name, each in trainer.model.named_parameters()}
    trainer.train(lambda progress: None, 1)
    rate = learning_rate(1, recipe)
    after = trainer.model.named_parameters()
    return trainer, {name: (each.detach() - before[name]) / rate for name, each in after}


def test_muon_steps_alike_in_every_direction_of_a_matrix(tokenizer: Tokenizer) -> None:
    trainer, steps = moved(replace(TINY, weight_decay=0.0), tokenizer)
    width = TINY.d_model
    for name in ("encoder.layers.0.feed_forward.w_1", "decoder.layers.0.cross_attention.w_v"):
        step = steps[f"{name}.weight"]
        sizes = torch.linalg.svdvals(step) / (0.2 * max(step.shape) ** 0.5)
        assert len(sizes) == width
        assert sizes.max() < 1.5
        assert sizes[: width // 2].min() > 0.4  # Adam's differ by far more
    assert len(layer_matrices(trainer.model)) == 4 * 3 + 2 * 2


def test_adam_moves_the_rest(tokenizer: Tokenizer) -> None:
    _, steps = moved(TINY, tokenizer)
    bias = steps["encoder.layers.0.feed_forward.w_2.bias"].abs()
    wanted = torch.full_like(bias, TINY.adam_rate)  # Adam's first step: ± its rate
    assert bias == pytest.approx(wanted, abs=0.01)


def test_without_muon_adam_moves_all(tokenizer: Tokenizer) -> None:
    _, steps = moved(ADAM, tokenizer)
    step = steps["decoder.layers.0.cross_attention.w_v.weight"].abs()
    assert step.max() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("muon", [True, False])
def test_matrices_decay_and_nothing_else_does(muon: bool, tokenizer: Tokenizer) -> None:
    recipes = [replace(TINY, muon=muon, weight_decay=decay) for decay in (0.0, 0.5)]
    (one, plain), (_, decayed) = (moved(recipe, tokenizer) for recipe in recipes)
    matrices = {id(matrix) for matrix in layer_matrices(one.model)}
    for name, each in one.model.named_parameters():
        expected = -0.5 * each.detach() if id(each) in matrices else torch.zeros_like(each)
        assert torch.allclose(decayed[name] - plain[name], expected, atol=1e-3)


@pytest.mark.parametrize("recipe", [TINY, ADAM])
def test_what_is_remembered_survives_on_disk(
    recipe: TrainingConfig, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    trainer, _ = moved(recipe, tokenizer)
    save_state(trainer, tmp_path)
    again = Trainer.of_grammar(recipe, load_grammar(), tokenizer)
    load_state(again, tmp_path)
    pairs = zip(trainer.model.parameters(), again.model.parameters(), strict=True)
    for one, other in pairs:
        kept, found = trainer.optimiser.moments(one), again.optimiser.moments(other)
        assert kept.keys() == found.keys() and kept
        assert all(torch.equal(kept[name], found[name]) for name in kept)
