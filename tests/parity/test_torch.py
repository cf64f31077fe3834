"""Against torch's own modules, with the same weights."""

from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.model.attention import MultiHeadAttention, attention_maps
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.model.masks import causal_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT, Recorder

SIZES: dict[str, Any] = {
    "d_model": 32,
    "n_heads": 4,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "d_ff": 48,
}


def config(**changes: Any) -> ModelConfig:
    return ModelConfig(**{"vocabulary_size": 40, "final_norm": True, **SIZES, **changes})


def copy_linear(to: nn.Linear, weight: Tensor, bias: Tensor) -> None:
    to.weight.data.copy_(weight)
    to.bias.data.copy_(bias)


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    parts = (ours.w_q, ours.w_k, ours.w_v)
    for part, weight, bias in zip(
        parts, theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True
    ):
        copy_linear(part, weight, bias)
    copy_linear(ours.w_o, theirs.out_proj.weight, theirs.out_proj.bias)


def copy_norm(ours: LayerNorm, theirs: nn.LayerNorm) -> None:
    ours.gamma.data.copy_(theirs.weight)
    ours.beta.data.copy_(theirs.bias)


def copy_layer(ours: Any, theirs: Any) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_norm(ours.self_attention_residual.norm, theirs.norm1)
    norms = [theirs.norm2]
    if hasattr(theirs, "multihead_attn"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        copy_norm(ours.cross_attention_residual.norm, theirs.norm2)
        norms = [theirs.norm3]
    copy_norm(ours.feed_forward_residual.norm, norms[0])
    copy_linear(ours.feed_forward.w_1, theirs.linear1.weight, theirs.linear1.bias)
    copy_linear(ours.feed_forward.w_2, theirs.linear2.weight, theirs.linear2.bias)


def torch_twin(ours: Transformer, place: str, activation: str) -> nn.Transformer:
    theirs = nn.Transformer(
        SIZES["d_model"],
        SIZES["n_heads"],
        SIZES["encoder_layers"],
        SIZES["decoder_layers"],
        SIZES["d_ff"],
        dropout=0.0,
        activation=activation,
        batch_first=True,
        norm_first=place == "pre",
    ).eval()
    for parameter in theirs.parameters():  # norms and biases too, so that each is compared
        nn.init.normal_(parameter, std=0.3)
    pairs = [
        *zip(ours.encoder.layers, theirs.encoder.layers, strict=True),
        *zip(ours.decoder.layers, theirs.decoder.layers, strict=True),
    ]
    for mine, other in pairs:
        copy_layer(mine, other)
    assert ours.encoder.norm is not None and ours.decoder.norm is not None
    copy_norm(ours.encoder.norm, theirs.encoder.norm)
    copy_norm(ours.decoder.norm, theirs.decoder.norm)
    return theirs


@pytest.mark.filterwarnings("ignore:.*nested.tensor")  # torch's, about its own fast path
@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_whole_transformer(
    place: Literal["post", "pre"], activation: Literal["relu", "gelu"], fill: Any
) -> None:
    torch.manual_seed(1)
    ours = Transformer(config(norm_place=place, activation=activation, mask_fill=fill))
    theirs = torch_twin(ours, place, activation)
    source = torch.tensor([[5, 6, 7, 8, 2], [9, 3, 2, 0, 0]])  # the second one is padded
    target = torch.tensor([[4, 11, 12, 13], [4, 11, 0, 0]])
    with torch.no_grad():
        expected = theirs(
            ours.source_embedding(source),
            ours.target_embedding(target),
            tgt_mask=~causal_mask(4)[0, 0],
            src_key_padding_mask=source == 0,
            tgt_key_padding_mask=target == 0,
            memory_key_padding_mask=source == 0,
        )
        logits = ours(source, target)
    expected = functional.linear(expected, ours.generator.weight, ours.generator.bias)
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:.*nested.tensor")
def test_a_begin_token_with_the_id_of_padding() -> None:
    # As Marian and T5 begin. Nothing of the future may come in, and real padding stays hidden.
    torch.manual_seed(2)
    ours = Transformer(config())
    theirs = torch_twin(ours, "post", "relu")
    source = torch.tensor([[5, 6, 7, 8, 2], [9, 3, 2, 0, 0]])
    target = torch.tensor([[0, 11, 12, 13], [0, 11, 0, 0]])
    padding = torch.tensor([[False] * 4, [False, False, True, True]])
    with torch.no_grad():
        expected = theirs(
            ours.source_embedding(source),
            ours.target_embedding(target),
            tgt_mask=~causal_mask(4)[0, 0],
            src_key_padding_mask=source == 0,
            tgt_key_padding_mask=padding,
            memory_key_padding_mask=source == 0,
        )
        logits = ours(source, target)
        expected = functional.linear(expected, ours.generator.weight, ours.generator.bias)
        torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(ours(source, target[:, :1])[:, 0], logits[:, 0])


@pytest.mark.parametrize("formula", ["population", "sample"])
def test_the_gradient_of_layer_norm_on_a_constant_vector(formula: Any) -> None:
    ours = LayerNorm(config(norm_formula=formula))
    x = torch.randn(2, 3, 32)
    x[0, 1] = 2.5
    x.requires_grad_()
    target = torch.randn(2, 3, 32)
    (ours(x) * target).sum().backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None and x.grad.isfinite().all()
    assert ours.gamma.grad is not None and ours.gamma.grad.isfinite().all()
    if formula == "population":
        other = x.detach().clone().requires_grad_()
        (functional.layer_norm(other, (32,)) * target).sum().backward()  # type: ignore[no-untyped-call]
        torch.testing.assert_close(x.grad, other.grad, atol=1e-3, rtol=1e-4)


def test_the_spread_is_recorded_as_it_was() -> None:
    ours, tape = LayerNorm(config()), Recorder()
    x = torch.randn(2, 3, 32)
    x[0, 1] = 0.1
    x[1, 2, 0] = torch.nan
    output = ours(x, tape / "encoder" / "norm")
    mean = x.mean(dim=-1, keepdim=True)
    std = (x - mean).square().mean(dim=-1, keepdim=True).sqrt()  # the formula in one line
    again = (x - mean) / (std.square() + ours.epsilon).sqrt() * ours.gamma + ours.beta
    assert torch.equal(tape.tensors["encoder/norm/std"].nan_to_num(7.0), std.nan_to_num(7.0))
    assert torch.equal(output.nan_to_num(7.0), again.nan_to_num(7.0))


def test_layer_norm() -> None:
    ours, theirs = LayerNorm(config()), nn.LayerNorm(32)
    nn.init.normal_(ours.gamma)
    nn.init.normal_(ours.beta)
    theirs.weight.data, theirs.bias.data = ours.gamma.data, ours.beta.data
    x = torch.randn(2, 5, 32) * 3 + 1
    torch.testing.assert_close(ours(x), theirs(x), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("causal", [True, False])
def test_scaled_dot_product_attention(causal: bool) -> None:
    q, k, v = torch.randn(3, 2, 4, 6, 8).unbind()
    mask = causal_mask(6) if causal else torch.rand(2, 1, 6, 6) > 0.3
    mask = mask | torch.eye(6, dtype=torch.bool)  # no empty row
    found = attention_maps(q, k, mask, "large_negative", SILENT) @ v
    expected = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
