"""Pre- against post-norm over depth, measured again layer by layer in plain torch."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.depth import HEADS, WORDS, Stack, encoder, measure_depth

LAYERS, WIDTH, SEED = 3, 8, 5


def attend(layer: Any, x: Tensor) -> Tensor:
    parts = layer.self_attention
    q, k, v = (
        part(x).view(WORDS, HEADS, WIDTH // HEADS).permute(1, 0, 2)
        for part in (parts.w_q, parts.w_k, parts.w_v)
    )
    weights = (q @ k.mT / (WIDTH / HEADS) ** 0.5).softmax(-1)
    return parts.w_o((weights @ v).permute(1, 0, 2).reshape(WORDS, WIDTH))


def feed(layer: Any, x: Tensor) -> Tensor:
    parts = layer.feed_forward
    return parts.w_2(torch.relu(parts.w_1(x)))


def by_hand(place: str, residual: bool, span: int = 0) -> dict[str, Any]:
    model = encoder.__wrapped__(LAYERS, WIDTH, SEED, place).requires_grad_()
    generator = torch.Generator().manual_seed(SEED)
    x, direction = torch.randn(2, 1, WORDS, WIDTH, generator=generator)
    x, direction = x[0].clone().requires_grad_(), functional.normalize(direction[0], dim=-1)
    rows = [x]
    for at, layer in enumerate(model.layers):
        row = rows[-1]
        for sublayer in (attend, feed):
            inner = functional.layer_norm(row, (WIDTH,)) if place == "pre" else row
            row = (row if residual else 0) + sublayer(layer, inner)
            row = functional.layer_norm(row, (WIDTH,)) if place == "post" else row
        if span and at + 1 in (span, LAYERS):
            row = row + rows[0 if at + 1 == span else span]
            row = functional.layer_norm(row, (WIDTH,)) if place == "post" else row
        rows.append(row)
    found = torch.autograd.grad((rows[-1] * direction).sum(), rows)
    alike = []
    for row in rows:
        pairs = functional.cosine_similarity(row[:, None], row[None], dim=-1)
        alike.append(pairs[~torch.eye(WORDS, dtype=torch.bool)].mean())
    return {
        "lengths": torch.stack([row.norm(dim=-1).mean() for row in rows]),
        "gradients": torch.stack([each.norm() for each in found]),
        "likeness": torch.stack(alike),
    }


def one(stacks: tuple[Stack, ...], place: str, residual: bool = True) -> Stack:
    (found,) = [each for each in stacks if (each.place, each.residual) == (place, residual)]
    return found


@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize(("residual", "span"), [(True, 0), (False, 0), (False, 2), (False, 3)])
def test_against_plain_torch(place: Any, residual: bool, span: int) -> None:
    stack = one(measure_depth(LAYERS, WIDTH, SEED, span), place, residual)
    assert stack.span == span
    for name, wanted in by_hand(place, residual, span).items():
        torch.testing.assert_close(getattr(stack, name), wanted.detach(), atol=1e-4, rtol=1e-3)
    ratio = stack.gradients[0] / stack.gradients[-1]
    assert stack.gradient_ratio == pytest.approx(float(ratio))


def test_what_the_figure_shows() -> None:
    found = measure_depth()
    post, pre, cut = one(found, "post"), one(found, "pre"), one(found, "post", residual=False)
    assert pre.lengths[-1] > 1.5 * pre.lengths[0]  # every sub-layer adds to the stream
    torch.testing.assert_close(post.lengths[1:], torch.full((8,), 32**0.5), rtol=1e-3, atol=0)
    assert float(cut.likeness[-1]) > 0.99  # without residuals all words become one
    assert float(pre.likeness[-1]) < float(post.likeness[-1]) < float(cut.likeness[-1])
    assert len(found) == 4


@pytest.mark.parametrize("place", ["post", "pre"])
def test_a_longer_skip_brings_more_of_the_input_to_the_top(place: Any) -> None:
    ends = [
        float(one(measure_depth(8, 32, 0, span), place, residual=False).likeness[-1])
        for span in (8, 4, 1, 0)
    ]
    assert ends == sorted(ends)
    assert ends[0] < ends[1] - 0.1  # random words are not alike, collapsed ones are
    spanned = one(measure_depth(8, 32, 0, 4), place)
    assert torch.equal(spanned.lengths, one(measure_depth(8, 32, 0), place).lengths)  # as before


def test_the_same_every_time_and_nobody_elses_numbers_drawn() -> None:
    state = torch.random.get_rng_state()
    first, second = (one(measure_depth(2, 12, 1), "pre") for _ in range(2))
    encoder.cache_clear()
    third = one(measure_depth(2, 12, 1), "pre")
    assert torch.equal(first.gradients, second.gradients)
    assert torch.equal(first.gradients, third.gradients)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize(
    "inputs, key",
    [
        ((0, 32), "lab_whole"),
        ((13, 32), "lab_whole"),
        ((2, 30), "lab_shape"),
        ((2, "x"), "lab_number"),
    ],
)
def test_refusals(inputs: tuple[Any, Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        measure_depth(*inputs)
    assert refused.value.key == key
