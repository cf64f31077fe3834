"""The bundled small GPT: `transformers` opens it and agrees; its card says what is measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from glassformer import list_snapshots, load_history, load_model
from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.training.decoder_alone.card import gpt_card, measure_gpt
from glassformer.core.training.decoder_alone.recipe import GptRecipe
from glassformer.core.training.decoder_alone.trainer import new_gpt
from glassformer.core.untrusted import read_json_file
from glassformer.core.weights.load import SMALL_GPT
from glassformer.core.weights.opened_model import OpenedModel
from glassformer.core.weights.save_gpt2 import save_gpt2_about, save_gpt2_weights
from tests.weights.oracle import transformers

FOLDER = CHECKPOINTS / SMALL_GPT
MOST_BYTES, MOST_WEIGHTS = 4 * 10**6, 1.5e6
TEXTS = (
    "My brother wants to",
    "The encoder reads",
    "Naïve 猫 42",
    "Pligarb is a city. We live in Plig",
)


@pytest.fixture(scope="module")
def model() -> OpenedModel:
    found = load_model(SMALL_GPT)
    assert isinstance(found, OpenedModel)
    return found


@torch.no_grad()
def test_the_oracle_reads_and_writes_the_same(model: OpenedModel) -> None:
    pieces = transformers.AutoTokenizer.from_pretrained(FOLDER)
    theirs = transformers.GPT2LMHeadModel.from_pretrained(FOLDER, dtype=torch.float32).eval()
    for text in TEXTS:
        ids = pieces(text, return_tensors="pt").input_ids
        assert model.tokens.plain_ids(text) == ids[0].tolist()
        assert pieces.decode(ids[0]) == text == model.tokens.text(ids[0].tolist())
        ours = model.transformer(ids[:, :0], ids)
        assert torch.allclose(ours, theirs(ids).logits, atol=2e-4)
        trace = model.trace(text, more=12)
        written = theirs.generate(ids, do_sample=False, max_new_tokens=12, pad_token_id=0)
        assert trace.output_text == pieces.decode(written[0], skip_special_tokens=True)


def test_it_is_as_small_as_it_says(model: OpenedModel) -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*")) < MOST_BYTES
    assert sum(each.numel() for each in model.transformer.parameters()) < MOST_WEIGHTS
    assert {path.suffix for path in FOLDER.rglob("*.*")} == {".json", ".safetensors", ".md"}


def test_the_card_says_what_is_measured() -> None:
    about, told = (read_json_file(FOLDER / f"{name}.json") for name in ("config", "metrics"))
    again = measure_gpt(FOLDER, load_grammar(), about["training"]["held_out"])
    for name, each in told["texts"].items():
        assert again["texts"][name] == pytest.approx(each, rel=2e-3)
    for read, heads in told["heads"].items():
        for name in ("previous_word", "induction"):
            for row, measured in zip(heads[name], again["heads"][read][name], strict=True):
                assert measured == pytest.approx(row, abs=5e-3)
        assert again["heads"][read]["second"] == pytest.approx(heads["second"], rel=1e-2)
    assert (FOLDER / "README.md").read_text("utf-8") == gpt_card(about, told)


def test_it_has_learned_what_it_is_for(model: OpenedModel) -> None:
    """English that goes on; a look back at what was said; more than at its start."""
    assert model.trace(TEXTS[-1]).output_text.startswith("Pligarb is a city. We live in Pligarb")
    written = model.trace("My brother wants to").output_text
    assert written.isascii() and len(written.split()) > 8
    heads = read_json_file(FOLDER / "metrics.json")["heads"]["words"]
    assert max(map(max, heads["previous_word"])) > 0.4
    assert max(map(max, heads["induction"])) > 0.6
    assert heads["second"] < heads["first"] / 4
    history = load_history(SMALL_GPT)
    assert history is not None
    losses = [each.metrics["loss"] for each in history.snapshots]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0] / 2


def test_each_kept_step_can_be_opened() -> None:
    steps = list_snapshots(SMALL_GPT)
    assert steps[0] == 0 and len(steps) >= 4
    names = [load_model(f"{SMALL_GPT}@{step}").name for step in steps]
    assert names == [f"{SMALL_GPT}@{step}" for step in steps]
    with pytest.raises(GlassformerError):
        load_model(f"{SMALL_GPT}@1")


def test_only_what_gpt2_computes_is_written_as_one(tmp_path: Path) -> None:
    recipe = GptRecipe(d_model=16, n_heads=2, layers=1, length=8, vocabulary=1024)
    pieces = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    made = new_gpt(recipe)
    save_gpt2_about(tmp_path, made.config, pieces, "<|endoftext|>", {})
    save_gpt2_weights(tmp_path, made)
    again = load_model(tmp_path).transformer
    for name, weight in made.named_parameters():
        assert torch.allclose(again.get_parameter(name), weight, atol=1e-3), name
    with pytest.raises(GlassformerError, match="positions"):
        save_gpt2_about(tmp_path, replace(made.config, positions="paper"), pieces, "", {})
