"""Sparse autoencoders in SAELens' form: its formulas number by number, and the run that stays."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.trace.tape import Recorder
from tests.tools.opened import IDS, gpt2, last_logits, leaving

WIDE, FEATURES = 24, 40
HOOK = "blocks.1.hook_mlp_out"
HERE = "decoder/1/feed_forward/output"


def written(folder: Path, about: dict[str, Any] | None = None, **tensors: Tensor) -> dict[str, Any]:
    """A folder as SAELens saves it; returns its tensors."""
    draw = torch.Generator().manual_seed(0)
    made = {
        "W_enc": torch.randn(WIDE, FEATURES, generator=draw),
        "b_enc": torch.randn(FEATURES, generator=draw) * 0.1,
        "W_dec": torch.randn(FEATURES, WIDE, generator=draw),
        "b_dec": torch.randn(WIDE, generator=draw),
        **tensors,
    }
    folder.mkdir(exist_ok=True)
    save_file(made, folder / "sae_weights.safetensors")
    plain = {"architecture": "standard", "d_in": WIDE, "d_sae": FEATURES, "hook_name": HOOK,
             "apply_b_dec_to_input": True, "normalize_activations": "none"}  # fmt: skip
    (folder / "cfg.json").write_text(json.dumps({**plain, **(about or {})}), "utf-8")
    return made


def expected(x: Tensor, w: dict[str, Tensor], about: dict[str, Any]) -> Tensor:
    """The features of one vector, unit by unit."""
    if about.get("apply_b_dec_to_input", True):
        x = x - w["b_dec"]
    before = torch.stack([(x * w["W_enc"][:, i]).sum() + w["b_enc"][i] for i in range(FEATURES)])
    if about.get("architecture") == "jumprelu":
        return torch.stack([p.clamp(min=0) if p > t else p * 0
                            for p, t in zip(before, w["threshold"], strict=True)])  # fmt: skip
    if about.get("architecture") == "topk":
        order = before.argsort(descending=True)[: about["k"]]
        return torch.stack([before[i].clamp(min=0) if i in order else before[i] * 0
                            for i in range(FEATURES)])  # fmt: skip
    return before.clamp(min=0)


@pytest.mark.parametrize(
    ("about", "extra"),
    [
        ({}, {}),
        ({"apply_b_dec_to_input": False}, {}),
        ({"architecture": "topk", "k": 5}, {}),
        ({"architecture": "jumprelu"}, {"threshold": torch.linspace(0, 3, FEATURES)}),
        ({"hook_name": None, "metadata": {"hook_name": HOOK}}, {}),
    ],
)
def test_features_and_error_are_sites_and_the_run_stays(
    tmp_path: Path, about: dict[str, Any], extra: dict[str, Tensor]
) -> None:
    model, _ = gpt2()
    w = written(tmp_path / "sae", about, **extra)
    sae = gf.SAE.load(tmp_path / "sae")
    plain = run_batch(model, list(IDS))
    batch = run_batch(model, list(IDS), edits=[sae])
    assert torch.equal(batch["output/logits"], plain["output/logits"])  # bit for bit
    features = batch[f"{HERE}/features"]
    assert features.shape == (2, 6, FEATURES)
    found = expected(plain[HERE][1, 3], w, about)
    assert torch.allclose(features[1, 3], found, atol=1e-5)
    assert 0 < (found > 0).sum() < FEATURES
    back = features @ w["W_dec"] + w["b_dec"] + batch[f"{HERE}/error"]
    assert torch.allclose(back, plain[HERE], atol=1e-4)
    assert torch.equal(batch[f"{HOOK}/features"], features)  # by TransformerLens' name, too
    only = run_batch(model, list(IDS), edits=[sae], keep=[f"{HOOK}/features"])
    assert list(only) == [f"{HERE}/features"] and torch.equal(only[f"{HERE}/features"], features)


def test_an_edited_feature_writes_its_direction(tmp_path: Path) -> None:
    model, theirs = gpt2()
    w = written(tmp_path / "sae")
    sae = gf.SAE.load(tmp_path / "sae")

    def raise_third(features: Tensor) -> Tensor:
        features[..., 3] += 2.5
        return features

    edit = gf.Edit(f"{HOOK}/features", raise_third)
    for edits in ([sae, edit], [edit, sae]):
        found = run_batch(model, [IDS[0]], edits=edits)["output/logits"][0, -1]
        with leaving(theirs.transformer.h[1].mlp, lambda x: x + 2.5 * w["W_dec"][3]):
            assert torch.allclose(found, last_logits(theirs, IDS[0]), atol=1e-4)
    silent = run_batch(model, [IDS[0]], edits=[sae, gf.Edit(f"{HERE}/error", torch.zeros_like)])
    with leaving(
        theirs.transformer.h[1].mlp,
        lambda x: ((x - w["b_dec"]) @ w["W_enc"] + w["b_enc"]).relu() @ w["W_dec"] + w["b_dec"],
    ):
        theirs_now = last_logits(theirs, IDS[0])
    assert torch.allclose(silent["output/logits"][0, -1], theirs_now, atol=1e-4)


def test_a_whole_run_has_them_and_is_saved_without(tmp_path: Path) -> None:
    model, _ = gpt2()
    written(tmp_path / "sae")
    trace = model.trace("a dog", edits=[gf.SAE.load(tmp_path / "sae")])
    assert trace[f"{HOOK}/features"].size(-1) == FEATURES
    assert trace.axes(f"{HERE}/features")[1].labels == trace.target_tokens
    trace.save(tmp_path / "run.safetensors")
    again = gf.Trace.load(tmp_path / "run.safetensors")
    assert torch.equal(again["output/logits"], trace["output/logits"])
    assert f"{HERE}/features" not in again


def test_gradients_of_features_are_those_of_what_they_write(tmp_path: Path) -> None:
    model, _ = gpt2()
    w = written(tmp_path / "sae")
    sae = replace(gf.SAE.load(tmp_path / "sae"), address=HERE)
    ids = torch.tensor([IDS[0]])
    before = "decoder/1/feed_forward/activation"
    found: dict[str, Tensor] = {}
    for edits in ((), (sae,)):
        tape = Recorder(edits, grad=True)
        with torch.enable_grad():
            logits = model.transformer(ids[:, :0], ids, tape)[0, -1]
        asked = [before, HERE, *([f"{HERE}/features", f"{HERE}/error"] if edits else [])]
        grads = torch.autograd.grad(logits[21], [tape.tensors[each] for each in asked])
        for name, grad in zip(asked, grads, strict=True):
            if name in found:  # upstream and here they are as without the autoencoder
                assert torch.allclose(grad, found[name], atol=1e-6)
            found[name] = grad
    assert torch.allclose(found[f"{HERE}/features"], found[HERE] @ w["W_dec"].T, atol=1e-5)
    assert torch.allclose(found[f"{HERE}/error"], found[HERE], atol=1e-6)


def test_what_is_written_under_an_edited_feature(tmp_path: Path) -> None:
    model, _ = gpt2()
    w = written(tmp_path / "sae")
    sae = gf.SAE.load(tmp_path / "sae")
    plain = model.generate("a dog", max_new_tokens=8)
    assert model.generate("a dog", max_new_tokens=8, edits=[sae]).ids == plain.ids

    def raise_third(features: Tensor) -> Tensor:
        features[..., 3] += 40
        return features

    def add_third(x: Tensor) -> Tensor:
        return x + 40 * w["W_dec"][3]

    feature = gf.Edit(f"{HOOK}/features", raise_third, each_position=True)
    found = model.generate("a dog", max_new_tokens=8, edits=[sae, feature])
    vector = gf.Edit(HOOK, add_third, each_position=True)
    assert found.ids == model.generate("a dog", max_new_tokens=8, edits=[vector]).ids != plain.ids


def test_layer_norm_and_heads_side_by_side(tmp_path: Path) -> None:
    model, _ = gpt2()
    about = {"normalize_activations": "layer_norm", "hook_name": "blocks.0.attn.hook_z"}
    w = written(tmp_path / "sae", about)
    batch = run_batch(model, [IDS[0]], edits=[gf.SAE.load(tmp_path / "sae")])
    place = "decoder/0/self_attention"
    x = batch[f"{place}/concat"][0, 2]
    x = (x - x.mean()) / (x.std() + 1e-5)  # torch's own deviation, as SAELens takes it
    found = batch[f"{place}/context/features"][0, 2]
    assert torch.allclose(found, expected(x, w, about), atol=1e-4)

    def drop(features: Tensor) -> Tensor:
        return features * 0

    edits = [gf.SAE.load(tmp_path / "sae"), gf.Edit("blocks.0.attn.hook_z/features", drop)]
    changed = run_batch(model, [IDS[0]], edits=edits)
    assert not torch.allclose(changed["output/logits"], batch["output/logits"], atol=1e-3)


def test_features_can_be_patched_and_probed(tmp_path: Path) -> None:
    model, _ = gpt2()
    written(tmp_path / "sae")
    sae = gf.SAE.load(tmp_path / "sae")
    grid = gf.patch(model, *IDS, gf.logit(21), over=("feature",), site=f"{HOOK}/features",
                    edits=[sae])  # fmt: skip
    assert grid.values.shape == (FEATURES,)
    given = run_batch(model, [IDS[0]], edits=[sae])[f"{HERE}/features"]

    def change(features: Tensor) -> Tensor:
        features[..., 7] = given[..., 7]
        return features

    alone = run_batch(model, [IDS[1]], edits=[sae, gf.Edit(f"{HERE}/features", change)])
    assert grid.values[7] == pytest.approx(float(alone["output/logits"][0, -1, 21]), abs=1e-5)


@pytest.mark.parametrize(
    ("about", "tensors", "key"),
    [
        ({"architecture": "gated"}, {}, "sae_kind"),
        ({"normalize_activations": "expected_average_only_in"}, {}, "sae_kind"),
        ({"hook_head_index": 3}, {}, "sae_kind"),
        ({"activation_fn": "tanh-relu"}, {}, "sae_kind"),
        ({"architecture": "jumprelu"}, {}, "sae_damaged"),
        ({"architecture": "topk"}, {}, "sae_damaged"),
        ({"hook_name": None}, {}, "sae_damaged"),
        ({}, {"b_dec": torch.zeros(3)}, "sae_damaged"),
    ],
)
def test_what_cannot_be_opened_is_said(
    tmp_path: Path, about: dict[str, Any], tensors: dict[str, Tensor], key: str
) -> None:
    written(tmp_path / "sae", about, **tensors)
    with pytest.raises(GlassformerError) as caught:
        gf.SAE.load(tmp_path / "sae")
    assert caught.value.key == key


def test_files_that_are_missing_or_no_files(tmp_path: Path) -> None:
    for name, key in (("", "sae_missing"), ("cfg.json", "sae_damaged")):
        if name:
            written(tmp_path)
            (tmp_path / name).write_text("[1]", "utf-8")
        with pytest.raises(GlassformerError) as caught:
            gf.SAE.load(tmp_path)
        assert caught.value.key == key


def test_an_autoencoder_of_another_width_and_one_without_its_hook(tmp_path: Path) -> None:
    model, _ = gpt2()
    for hook, key in (("blocks.1.mlp.hook_post", "sae_width"), ("blocks.9.hook_z", "unknown_hook")):
        written(tmp_path / "sae", {"hook_name": hook})
        with pytest.raises(GlassformerError) as caught:
            run_batch(model, list(IDS), edits=[gf.SAE.load(tmp_path / "sae")])
        assert caught.value.key == key
