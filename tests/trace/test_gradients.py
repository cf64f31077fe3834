"""Gradients at every address: what a small change of the tensor there does, and nothing else."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.gradients import Gradients
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit, Recorder
from tests.conftest import SMALL
from tests.conventions import FAMILIES, with_every_choice
from tests.trace.one_stack import KINDS

SOURCE, TARGET = torch.tensor([[5, 6, 7, 6, 2]]), torch.tensor([[4, 9, 10, 11]])
MARKS = ("ids", "mask")
BOTH = with_every_choice(({}, {"dropout": 0.0, "norm_place": "pre", "final_norm": True}, *FAMILIES))
ALONE = [{**SMALL, **each} for each in KINDS.values()]
CONFIGS = [*({**SMALL, **each} for each in BOTH), *ALONE]
STEP = 1e-5  # of the differences; their error is of its fourth power
SMALLEST = 1e-3  # gradients below are held against this: differences are exact to 1e-10
STENCIL = torch.tensor([1.0, -8.0, 8.0, -1.0], dtype=torch.float64) / 12
OFFSETS = (-2, -1, 1, 2)


def exact_model(config: dict[str, Any]) -> Transformer:
    """Seeded, in float64, no parameter at its start."""
    torch.manual_seed(0)
    model = model_of(ModelConfig(**config)).requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.1 * torch.randn_like(parameter)
    return model.double()


def score_of(model: Transformer, tape: Recorder, out: Tensor) -> Tensor:
    """A number a text, (B,), to which every row and word of the output counts differently."""
    weights = torch.arange(out[0].numel(), dtype=out.dtype).cos().reshape(out.shape[1:])
    total = (out * weights).flatten(1).sum(1)
    if not model.config.has_generator:
        return total
    return total + 3 * (tape.tensors["output/probabilities"] * weights).flatten(1).sum(1)


def run(
    model: Transformer, edits: tuple[Edit, ...] = (), rows: int = 1, **asked: Any
) -> tuple[Recorder, Tensor]:
    tape = Recorder(edits, **asked)
    alone = not model.config.has_both
    source = SOURCE if alone or model.config.encoder_layers else TARGET
    out = model(source.expand(rows, -1), (source if alone else TARGET).expand(rows, -1), tape)
    tape.finish()
    return tape, score_of(model, tape, out)


def measured(model: Transformer, edits: tuple[Edit, ...], address: str, cells: list[int]) -> Tensor:
    """d score / d some numbers of one tensor, by differences of runs in which each is moved."""
    places = [(cell, offset * STEP) for cell in cells for offset in OFFSETS]
    has_batch = site_at(address).axes[0] == "batch"

    def moved(x: Tensor, row: int, cell: int, by: float) -> Tensor:
        x = x.contiguous()
        (x[row] if has_batch else x).view(-1)[cell] += by
        return x

    def together(x: Tensor) -> Tensor:
        for row, (cell, by) in enumerate(places):
            x = moved(x, row, cell, by)
        return x

    with torch.no_grad():
        if has_batch:
            _, scores = run(model, (*edits, Edit(address, together)), rows=len(places))
        else:
            scores = torch.cat([
                run(model, (*edits, Edit(address, lambda x, c=c, by=by: moved(x, 0, c, by))))[1]
                for c, by in places
            ])  # fmt: skip
    return (scores.reshape(-1, len(OFFSETS)) @ STENCIL) / STEP


def check_every_site(model: Transformer, edits: tuple[Edit, ...] = ()) -> int:
    tape, scores = run(model, edits, grad=True)
    gradients = Gradients(scores, [tape.tensors])
    for address, gradient in gradients.items():
        assert gradient.shape == tape.tensors[address].shape
        size = gradient.abs().flatten()
        cells = size.topk(min(2, len(size))).indices.tolist()
        found, expected = gradient.flatten()[cells], measured(model, edits, address, cells)
        worst = float((found - expected).abs().max() / max(float(size.max()), SMALLEST))
        assert worst <= 1e-6, (address, worst, found, expected)
    assert set(tape.tensors) - set(gradients) == {
        each for each in tape.tensors if each.rpartition("/")[2] in MARKS
    }
    return len(gradients)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_gradients_are_what_differences_measure_at_every_site(config: dict[str, Any]) -> None:
    model = exact_model(config)
    marks = [each for each in addresses(model.config) if each.rpartition("/")[2] in MARKS]
    assert check_every_site(model) == len(list(addresses(model.config))) - len(marks)


EDITS = (
    Edit("encoder/0/self_attention_residual/branch_input", lambda x: 1.5 * x),
    Edit("encoder/1/feed_forward/activation", lambda x: x.square()),
    Edit("decoder/1/cross_attention/memory", lambda x: torch.full_like(x, 0.3)),
    Edit("decoder/*/self_attention/weights", lambda x: x.tril().flip(-1)),
    Edit("decoder/2/feed_forward/output", torch.zeros_like),
)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_so_they_are_under_edits(place: str) -> None:
    model = exact_model({**SMALL, "norm_place": place, "final_norm": place == "pre"})
    check_every_site(model, EDITS)


def test_what_is_one_tensor_has_a_gradient_at_each_address(small_model: Any) -> None:
    """The memory's is the sum of those of the layers that look at it; so is the stream's."""
    model = small_model().double()
    tape, scores = run(model, grad=True)
    gradients = Gradients(scores, [tape.tensors])
    seen = [gradients[f"decoder/{each}/cross_attention/memory"] for each in range(3)]
    torch.testing.assert_close(sum(seen), gradients["memory"])
    assert not torch.equal(seen[0], seen[1])
    before = "encoder/0/feed_forward_norm/output"
    parts = [
        gradients[f"encoder/1/self_attention_residual/{n}"] for n in ("stream", "branch_input")
    ]
    torch.testing.assert_close(parts[0] + parts[1], gradients[before])


def test_a_run_with_gradients_has_the_bits_of_one_without(small_model: Any) -> None:
    model = small_model()
    plain, graph = run(model)[0], run(model, grad=True)[0]
    assert list(plain.tensors) == list(graph.tensors)
    for name, expected in plain.tensors.items():
        found = graph.tensors[name]  # positions are laid out for each text
        assert torch.equal(found.view_as(expected), expected), name


def test_only_what_is_kept_has_a_gradient_and_nothing_before_it_a_graph(small_model: Any) -> None:
    patterns = ["decoder/1/*/q", "output/*"]
    tape, scores = run(small_model(), grad=True, keep=patterns)
    gradients, whole = Gradients(scores, [tape.tensors]), run(small_model(), grad=True)
    assert set(gradients) == {
        "decoder/1/self_attention/q", "decoder/1/cross_attention/q", "output/logits",
        "output/probabilities",
    }  # fmt: skip
    assert tape.tensors["decoder/1/self_attention/q"].is_leaf
    other = Gradients(whole[1], [whole[0].tensors])
    for address in gradients:
        torch.testing.assert_close(gradients[address], other[address])


def digest(model: Transformer) -> str:
    said = hashlib.sha256()
    for name, each in model.state_dict().items():
        said.update(name.encode() + each.numpy().tobytes())
    return said.hexdigest()


def test_the_shared_model_is_untouched_by_two_at_once(small_model: Any) -> None:
    model = small_model()
    before = digest(model)
    alone = _gradients(model)["source/embedding"].clone()
    found: list[Tensor] = []

    def visit() -> None:
        for _ in range(10):
            found.append(_gradients(model)["source/embedding"])

    threads = [threading.Thread(target=visit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert all(torch.allclose(each, alone, atol=1e-5) for each in found)
    assert digest(model) == before
    assert not any(each.requires_grad for each in model.parameters())
    assert all(each.grad is None for each in model.parameters())


def _gradients(model: Transformer) -> Gradients:
    tape, scores = run(model, grad=True)
    return Gradients(scores, [tape.tensors])


def test_weights_that_are_being_trained_are_asked_for_nothing(
    small_model: Callable[..., Any],
) -> None:
    model = small_model().requires_grad_(True)
    gradients = _gradients(model)
    frozen = _gradients(small_model())
    for address in frozen:
        torch.testing.assert_close(gradients[address], frozen[address])
    assert all(each.grad is None for each in model.parameters())


def test_marks_and_unknown_addresses_have_none(small_model: Any) -> None:
    gradients = _gradients(small_model())
    assert "source/ids" not in gradients and "source/embedding" in gradients
    with pytest.raises(GlassformerError) as caught:
        gradients["source/ids"]
    assert caught.value.key == "gradient_of_marks"
    with pytest.raises(GlassformerError) as caught:
        gradients["source/embeding"]
    assert "source/embedding" in str(caught.value)
