"""Helpers for edits that steer: what torch's own hooks compute, at all positions or in one head."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.model import Model

TEXT = "The animal was too tired."
SUMMED = "decoder/1/feed_forward_residual/summed"


@pytest.fixture(scope="module")
def model() -> Model:
    return gf.load()


def test_a_direction_is_added_as_a_hook_adds_it(model: Model) -> None:
    vector = torch.linspace(-1, 1, model.config.d_model)
    plain = model.trace(TEXT)
    steered = model.trace(TEXT, plain.output_text, edits=[gf.steer(SUMMED, vector, 0.5)])
    layer = model.transformer.decoder.layers[1]

    def hook(_module: object, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (given[0] + 0.5 * vector, *given[1:])

    handle = layer.feed_forward_residual.norm.register_forward_pre_hook(hook)
    try:
        with torch.no_grad():
            logits = model.transformer(plain["source/ids"], steered["target/ids"])
    finally:
        handle.remove()
    assert torch.allclose(steered["output/logits"], logits, atol=1e-5)
    assert not torch.allclose(logits, plain["output/logits"], atol=1e-2)


def test_one_head_alone_is_changed(model: Model) -> None:
    site = "decoder/1/cross_attention/context"
    plain = model.trace(TEXT)
    width = plain[site].size(-1)
    for edit, expected in (
        (gf.scale(site, 0.0, head=2), lambda x: 0 * x),
        (gf.set_to(site, 0.25, head=2), lambda x: 0 * x + 0.25),
        (gf.set_to(site, torch.arange(width), head=2), lambda x: 0 * x + torch.arange(width)),
        (gf.steer(site, torch.ones(width), 3.0, head=2), lambda x: x + 3),
    ):
        found = model.trace(TEXT, plain.output_text, edits=[edit])
        assert edit.each_position and "head 2" in str(edit)
        assert torch.equal(found[site][:, 2], expected(plain[site][:, 2]))
        assert torch.equal(found[site][:, 3], plain[site][:, 3])


def test_what_does_not_fit_is_one_sentence(model: Model) -> None:
    for key, edit in (
        ("edit_shape", gf.steer(SUMMED, torch.ones(3))),
        ("edit_shape", gf.set_to(SUMMED, torch.ones(2, model.config.d_model))),
        ("out_of_range", gf.scale(SUMMED, 2.0, head=0)),
        ("out_of_range", gf.scale("decoder/1/cross_attention/context", 2.0, head=99)),
        ("edit_unmatched", gf.scale("decoder/77/*", 2.0)),
    ):
        with pytest.raises(GlassformerError) as refused:
            model.generate(TEXT, edits=[edit])
        assert refused.value.key == key
