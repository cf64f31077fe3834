"""A model of `transformers` in memory: its own weights, seen by every tool."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

from glassformer import wrap
from glassformer.core.errors import GlassformerError
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.fake_device import DEVICE, fake_device, on_device
from tests.weights.folders import MAKERS, whole
from tests.weights.oracle import transformers

TEXT = "I like the small house"


def tokenizer(kind: str, folder: Path) -> Any:
    if kind == "marian":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it would rather have another package
            return transformers.MarianTokenizer.from_pretrained(folder)
    return transformers.PreTrainedTokenizerFast(tokenizer_file=f"{folder}/tokenizer.json")


def wrapped(kind: str, folder: Path) -> tuple[Any, OpenedModel]:
    oracle = whole(kind, folder)
    return oracle, wrap(oracle, tokenizer(kind, folder))


@pytest.mark.parametrize("kind", MAKERS)
def test_it_is_the_model_of_its_folder_and_no_weight_is_copied(kind: str, tmp_path: Path) -> None:
    oracle, model = wrapped(kind, tmp_path)
    opened = open_model(tmp_path)
    assert (model.config, model.kind) == (opened.config, opened.kind)
    own = [each.untyped_storage() for each in oracle.state_dict().values()]
    theirs = {each.data_ptr(): each.nbytes() for each in own}
    for name, weight in model.transformer.named_parameters():
        if weight.any() or name != "generator.bias":  # which some lack
            assert weight.untyped_storage().data_ptr() in theirs, name
    text = "the [MASK] house" if kind == "bert" else TEXT
    one, other = model.trace(text), opened.trace(text)
    assert one.output_ids == other.output_ids and one.output_text == other.output_text
    assert all(torch.allclose(one[each], other[each], atol=1e-5) for each in other)


def test_queries_are_where_the_oracle_has_them(tmp_path: Path) -> None:
    oracle, model = wrapped("gpt2", tmp_path)
    fused = oracle.transformer.h[1].attn.c_attn.weight  # (D, 3 D)
    layer: Any = model.transformer.decoder.layers[1]
    width = model.config.d_model
    for at, name in enumerate(("w_q", "w_k", "w_v")):
        ours = getattr(layer.self_attention, name).weight  # (D, D)
        assert ours.data_ptr() == fused[:, at * width :].data_ptr()
        assert torch.equal(ours, fused[:, at * width : (at + 1) * width].T)
    assert model.transformer.generator.weight.data_ptr() == oracle.lm_head.weight.data_ptr()


def test_what_is_trained_there_is_seen_here_and_may_still_be_trained(tmp_path: Path) -> None:
    oracle, model = wrapped("qwen3", tmp_path)
    assert all(each.requires_grad for each in oracle.parameters())
    assert not any(each.requires_grad for each in model.transformer.parameters())
    before = model.trace(TEXT, more=1)["decoder/0/self_attention/v"]
    with torch.no_grad():
        oracle.model.layers[0].self_attn.v_proj.weight.mul_(2)
    assert torch.allclose(model.trace(TEXT, more=1)["decoder/0/self_attention/v"], 2 * before)


def test_it_computes_in_the_numbers_of_theirs(tmp_path: Path) -> None:
    oracle = whole("llama 3", tmp_path).to(torch.bfloat16)
    pieces = Tokenizer.from_file(f"{tmp_path}/tokenizer.json")
    model = wrap(oracle, pieces, name="mine")
    ids = torch.tensor([model.tokens.ids(TEXT)])
    trace = model.trace(TEXT, more=1)
    assert model.name == "mine" and trace["output/logits"].dtype == torch.bfloat16
    with torch.no_grad():
        told = oracle(ids).logits.float()
    assert (trace["output/logits"].float() - told).abs().max() <= 0.05 * told.abs().max()


@pytest.mark.parametrize("kind", ["t5", "gpt2", "llama 3"])
def test_it_runs_where_theirs_is(kind: str, tmp_path: Path) -> None:
    oracle = whole(kind, tmp_path)
    own = tokenizer(kind, tmp_path)
    here = wrap(oracle, own).trace(TEXT)
    with fake_device():
        model = wrap(on_device(oracle), own)
        there = model.trace(TEXT)
        assert model.device == DEVICE and there["output/logits"].device == DEVICE
        assert there.output_ids == here.output_ids


def test_what_is_no_such_model_is_refused(tmp_path: Path) -> None:
    oracle = whole("gpt2", tmp_path)
    own = tokenizer("gpt2", tmp_path)
    mixed = whole("gpt2", tmp_path / "mixed")
    mixed.transformer.ln_f.to(torch.float64)
    config = transformers.OPTConfig(
        vocab_size=9, hidden_size=8, num_hidden_layers=1, ffn_dim=8, num_attention_heads=2,
        word_embed_proj_dim=8,
    )  # fmt: skip
    for key, given in (
        ("wrap_foreign", (torch.nn.Linear(2, 2), own)),
        ("wrap_foreign", (oracle, "gpt2")),
        ("weights_unsupported", (mixed, own)),
        ("weights_family", (transformers.OPTForCausalLM(config), own)),
    ):
        with pytest.raises(GlassformerError) as refused:
            wrap(*given)
        assert refused.value.key == key
