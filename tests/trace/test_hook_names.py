"""TransformerLens' names name what its hooks see: held against hooks on `transformers`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.trace.hook_names import addresses_of_hook
from glassformer.core.weights.opened_model import open_model
from tests.tools.opened import IDS, gpt2
from tests.weights import folders

Seen = dict[str, Tensor]


def outputs(modules: dict[str, Any], run: Any) -> Seen:
    """What modules write in a run, by name; with "<" before it what they read."""
    found: Seen = {}

    def note(name: str) -> Any:
        def hook(_: Any, given: Any, written: Any) -> None:
            kept = given[0] if name.startswith("<") else written
            found[name] = kept[0] if isinstance(kept, tuple) else kept

        return hook

    handles = [module.register_forward_hook(note(name)) for name, module in modules.items()]
    try:
        with torch.no_grad():
            run()
    finally:
        for each in handles:
            each.remove()
    return found


def test_gpt2_has_its_hooks() -> None:
    model, theirs = gpt2()
    batch = run_batch(model, [IDS[0]])
    ids = torch.tensor([IDS[0]])
    modules = {}
    for at, block in enumerate(theirs.transformer.h):
        modules |= {
            f"<blocks.{at}.hook_resid_pre": block, f"blocks.{at}.hook_resid_post": block,
            f"<blocks.{at}.hook_resid_mid": block.ln_2,
            f"blocks.{at}.ln1.hook_normalized": block.ln_1,
            f"blocks.{at}.ln2.hook_normalized": block.ln_2,
            f"blocks.{at}.hook_attn_out": block.attn, f"blocks.{at}.hook_mlp_out": block.mlp,
            f"blocks.{at}.mlp.hook_pre": block.mlp.c_fc,
            f"blocks.{at}.mlp.hook_post": block.mlp.act,
        }  # fmt: skip
    modules |= {
        "ln_final.hook_normalized": theirs.transformer.ln_f,
        "hook_embed": theirs.transformer.wte,
        "hook_pos_embed": theirs.transformer.wpe,
    }
    for name, expected in outputs(modules, lambda: theirs(ids)).items():
        assert torch.allclose(batch[name.removeprefix("<")], expected, atol=1e-5), name
    with torch.no_grad():
        maps = theirs(ids, output_attentions=True).attentions
    for at in range(3):
        assert torch.allclose(batch[f"blocks.{at}.attn.hook_pattern"], maps[at], atol=1e-6)
        inside = theirs.transformer.h[at].attn
        joined = outputs({"qkv": inside.c_attn, "<z": inside.c_proj}, lambda: theirs(ids))
        parts = joined["qkv"].split(24, dim=-1)
        for name, part in zip("qkv", parts, strict=True):
            heads = part.unflatten(-1, (4, 6)).transpose(1, 2)
            assert torch.allclose(batch[f"blocks.{at}.attn.hook_{name}"], heads, atol=1e-5)
        heads = joined["<z"].unflatten(-1, (4, 6)).transpose(1, 2)
        assert torch.allclose(batch[f"blocks.{at}.attn.hook_z"], heads, atol=1e-5)
        scores = batch[f"blocks.{at}.attn.hook_attn_scores"]
        assert torch.allclose(scores.softmax(-1), maps[at], atol=1e-6)


def test_bert_and_t5_have_theirs(tmp_path: Path) -> None:
    theirs = folders.whole("bert", tmp_path / "bert").eval()
    model = open_model(tmp_path / "bert")
    batch = run_batch(model, ["a dog is here"])
    ids = batch["source/ids"]
    layer = theirs.bert.encoder.layer[1]
    found = outputs(
        {
            "<blocks.1.hook_resid_pre": layer, "blocks.1.hook_normalized_resid_post": layer,
            "<blocks.1.hook_resid_mid": layer.attention.output.LayerNorm,
            "<blocks.1.hook_resid_post": layer.output.LayerNorm,
            "blocks.1.hook_mlp_out": layer.output.dense,
        },
        lambda: theirs(ids),
    )  # fmt: skip
    for name, expected in found.items():
        assert torch.allclose(batch[name.removeprefix("<")], expected, atol=1e-5), name

    theirs = folders.whole("t5", tmp_path / "t5").eval()
    model = open_model(tmp_path / "t5")
    batch = run_batch(model, ["a dog is here"], targets=["a cat"])
    both = {"input_ids": batch["source/ids"], "decoder_input_ids": batch["target/ids"]}
    one, other = theirs.encoder.block[1], theirs.decoder.block[1]
    found = outputs(
        {
            "<encoder.1.hook_resid_pre": one, "<decoder.1.hook_resid_pre": other,
            "<decoder.1.hook_resid_mid": other.layer[1], "<decoder.1.hook_resid_mid_cross":
            other.layer[2], "encoder.1.hook_mlp_out": one.layer[1].DenseReluDense.wo,
            "decoder.1.ln3.hook_normalized": other.layer[2].layer_norm,
            "decoder_final_ln.hook_normalized": theirs.decoder.final_layer_norm,
        },
        lambda: theirs(**both),
    )  # fmt: skip
    for name, expected in found.items():
        assert torch.allclose(batch[name.removeprefix("<")], expected, atol=1e-4), name


def test_they_can_be_kept_edited_and_looked_up_in_a_run() -> None:
    model, _ = gpt2()
    kept = run_batch(model, [IDS[0]], keep=["blocks.*.attn.hook_pattern"])
    assert list(kept) == [f"decoder/{layer}/self_attention/weights" for layer in range(3)]
    edit = gf.Edit("blocks.1.hook_resid_pre", torch.zeros_like)
    found = run_batch(model, [IDS[0]], edits=[edit])
    assert not found["decoder/1/self_attention_residual/stream"].any()
    trace = model.trace("a b", edits=[gf.Edit("blocks.*.hook_mlp_out", torch.zeros_like)])
    assert not trace["blocks.2.hook_mlp_out"].any() and not trace["blocks.0.hook_mlp_out"].any()
    assert "blocks.2.hook_mlp_out" in trace and "blocks.9.hook_mlp_out" not in trace


@pytest.mark.parametrize(
    "name", ["blocks.3.hook_mlp_out", "blocks.0.attn.hook_result", "blocks.0.ln1.hook_scale",
             "encoder.0.hook_mlp_out", "blocks.0.attn.hook_rot_q", "blocks.0.mlp.hook_pre_linear"],
)  # fmt: skip
def test_a_hook_that_a_model_has_not_is_refused(name: str) -> None:
    model, _ = gpt2()
    with pytest.raises(GlassformerError) as caught:
        run_batch(model, [IDS[0]], keep=[name])
    assert caught.value.key == "unknown_hook"


def test_gated_units_and_turned_heads_have_names_of_their_own() -> None:
    config = ModelConfig(
        vocabulary_size=9, d_model=8, n_heads=2, encoder_layers=0, decoder_layers=2, gated=True,
        positions="rotary", norm_place="pre", final_norm=True,
    )  # fmt: skip
    assert addresses_of_hook("blocks.*.mlp.hook_post", config) == (
        "decoder/0/feed_forward/gated", "decoder/1/feed_forward/gated",
    )  # fmt: skip
    assert addresses_of_hook("blocks.1.attn.hook_rot_k", config) == (
        "decoder/1/self_attention/k_rotated",
    )
    assert addresses_of_hook("decoder/*/x", config) == ("decoder/*/x",)
