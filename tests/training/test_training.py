"""Training: the loss falls, the schedule is the paper's, an interruption changes nothing."""

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from glassformer.core.config import ModelConfig
from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.model.generator import Generator
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.training import loss
from glassformer.core.training.data import Examples, collate, corpus_tokenizer
from glassformer.core.training.loop import Progress, Trainer, load_state, save_state, stored_recipe
from glassformer.core.training.optimiser import learning_rate
from glassformer.core.training.training_config import TrainingConfig
from tests.training.tiny import TINY


def run(trainer: Trainer, until: int) -> list[float]:
    losses: list[float] = []
    trainer.train(lambda progress: losses.append(progress.loss), until)
    return losses


def test_the_loss_falls(tokenizer: Tokenizer) -> None:
    losses = run(Trainer.of_grammar(TINY, load_grammar(), tokenizer), 40)
    assert sum(losses[-5:]) / 5 < sum(losses[:5]) / 5 - 0.4


def test_resumed_is_the_same_run(tokenizer: Tokenizer, tmp_path: Path) -> None:
    straight = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    run(straight, 24)
    first = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    run(first, 19)  # inside a pool of batches
    save_state(first, tmp_path)
    second = Trainer.of_grammar(TINY.resumed(stored_recipe(tmp_path)), load_grammar(), tokenizer)
    load_state(second, tmp_path)
    run(second, 24)
    for one, other in zip(straight.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert straight.curve == second.curve


@pytest.mark.parametrize("killed_at", [1, 2, 3])
def test_killed_while_saving_the_state_before_is_whole(
    killed_at: int, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    run(trainer, 2)
    save_state(trainer, tmp_path)
    kept = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    run(trainer, 3)
    calls = iter(range(1, 9))

    def dying(path: Path, target: Path) -> Path:
        if next(calls) == killed_at:
            raise KeyboardInterrupt
        return replace(path, target)

    replace = Path.replace
    monkeypatch.setattr(Path, "replace", dying)
    monkeypatch.setattr(Path, "unlink", lambda path: dying(path, path))
    with pytest.raises(KeyboardInterrupt):
        save_state(trainer, tmp_path)
    monkeypatch.undo()
    again = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    load_state(again, tmp_path)
    assert again.step == (2 if killed_at < 3 else 3)
    expected = kept if killed_at < 3 else trainer.model.parameters()
    assert all(map(torch.equal, again.model.parameters(), expected))


def test_another_seed_is_another_run(tokenizer: Tokenizer) -> None:
    other = TrainingConfig(**{**TINY.to_dict(), "seed": 2})
    assert run(Trainer.of_grammar(TINY, load_grammar(), tokenizer), 2) != run(
        Trainer.of_grammar(other, load_grammar(), tokenizer), 2
    )


def test_a_missing_or_damaged_state(tmp_path: Path, tokenizer: Tokenizer) -> None:
    with pytest.raises(GlassformerError, match="no run can be resumed"):
        stored_recipe(tmp_path)
    trainer = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    save_state(trainer, tmp_path)
    (tmp_path / "state-000000.safetensors").write_bytes(b"not tensors")
    with pytest.raises(GlassformerError, match="no run can be resumed"):
        load_state(trainer, tmp_path)


def test_a_run_of_another_grammar(tmp_path: Path, tokenizer: Tokenizer) -> None:
    save_state(Trainer.of_grammar(TINY, load_grammar(), tokenizer), tmp_path)
    other = Trainer.of_grammar(TINY, load_grammar(), corpus_tokenizer(load_grammar(), 1000))
    with pytest.raises(GlassformerError, match="words have changed"):
        load_state(other, tmp_path)


def test_the_schedule() -> None:
    recipe = TrainingConfig(steps=4000, warmup=400, decay=0.25, d_model=64)
    peak = 64**-0.5 * 400**-0.5
    assert learning_rate(400, recipe) == pytest.approx(peak)
    assert learning_rate(200, recipe) == pytest.approx(peak / 2)
    assert learning_rate(1600, recipe) == pytest.approx(peak / 2)
    assert learning_rate(3501, recipe) == pytest.approx(64**-0.5 * 3501**-0.5 / 2)
    assert 0 < learning_rate(4000, recipe) < peak / 1000


def translation_loss(logits: Tensor, target: Tensor, label_smoothing: float) -> Tensor:
    """What `generator_loss` is, of all logits (B, T, V) at once."""
    return cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=0, label_smoothing=label_smoothing
    )


def test_the_loss_ignores_padding_and_is_the_formula() -> None:
    logits = torch.randn(2, 3, 5)
    target = torch.tensor([[1, 2, 0], [3, 0, 0]])
    log_p = logits.log_softmax(-1)
    words = [(0, 0, 1), (0, 1, 2), (1, 0, 3)]
    by_hand = [-0.9 * log_p[b, t, w] - 0.1 * log_p[b, t].mean() for b, t, w in words]
    assert translation_loss(logits, target, 0.1).item() == pytest.approx(
        sum(x.item() for x in by_hand) / 3, abs=1e-6
    )


def test_a_batch_is_tagged_shifted_and_padded(tokenizer: Tokenizer) -> None:
    trainer = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    examples = Examples(tokenizer.vocabulary)
    pair = next(p for p in trainer.stream("a seed") if examples.of(p, "en-zh"))
    example = examples.of(pair, "en-zh")
    assert example is not None
    batch = collate([example, example])
    assert batch.target_input[0, 0] == 4 and batch.target_output[0, -1] == 2
    assert torch.equal(batch.target_input[:, 1:], batch.target_output[:, :-1])
    short = collate([example, type(example)([2], [4, 2])])
    assert short.source[1].tolist() == [2] + [0] * (len(pair.english))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("bias", [True, False])
def test_the_loss_in_pieces_is_the_same(
    smoothing: float, bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loss, "ROWS", 2)
    torch.manual_seed(3)
    config = ModelConfig(vocabulary_size=7, d_model=4, n_heads=1, generator_bias=bias)
    generator = Generator(config)
    x, target = torch.randn(2, 4, 4), torch.tensor([[1, 2, 6, 0], [3, 0, 4, 0]])
    found = []
    for pieces in (False, True):
        leaf = x.clone().requires_grad_()
        generator.zero_grad()
        value = (
            loss.generator_loss(leaf, generator, target, smoothing)
            if pieces
            else translation_loss(generator(leaf), target, smoothing)
        )
        (3 * value).backward()
        assert leaf.grad is not None
        grads = [parameter.grad.clone() for parameter in generator.parameters()]
        found.append([value.detach(), leaf.grad, *grads])
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(
    "change", [{"steps": 0}, {"batch_size": 0}, {"warmup": 0}, {"cap_every": 0}]
)
def test_impossible_recipes(change: dict[str, int]) -> None:
    with pytest.raises(GlassformerError, match="at least 1"):
        TrainingConfig(**change)  # type: ignore[arg-type]


def test_the_first_loss_is_that_of_guessing(tokenizer: Tokenizer) -> None:
    seen: list[Progress] = []
    Trainer.of_grammar(TINY, load_grammar(), tokenizer).train(seen.append, 1)
    assert seen[0].loss == pytest.approx(math.log(len(tokenizer.vocabulary)), rel=0.15)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_cuda_is_used_by_itself(tokenizer: Tokenizer) -> None:
    trainer = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    assert trainer.device.type == "cuda"
    assert run(trainer, 3)
