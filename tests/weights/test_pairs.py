"""Two texts that a model reads together, as the oracle reads them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer import Trace, load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.causal_tracing import causal_tracing
from glassformer.core.interventions.head_ablation import ablated_heads
from glassformer.core.interventions.over_texts import over_texts
from glassformer.core.interventions.padding import padded_runs
from glassformer.core.interventions.tensors import TensorPatch, TensorSet
from glassformer.core.text_models.decodings import record_words
from glassformer.core.text_models.model import trace_of
from tests.weights.folders import whole
from tests.weights.oracle import transformers
from tests.weights.test_opened import opened, survives, unfolds


def asked(oracle: Any, folder: Path, *texts: str) -> Any:
    """What the oracle says of them, by its own reading of the tokenizer."""
    words = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    given = words(*texts, return_tensors="pt", return_token_type_ids=True)
    takes = "token_type_ids" in inspect.signature(oracle.forward).parameters
    types = {"token_type_ids": given["token_type_ids"]} if takes else {}
    return oracle(input_ids=given["input_ids"], output_attentions=True, **types)


PAIRS = (
    ("the small house", "I like it"), ("same", "same"), ("the ___ house", "I [MASK] it"),
    ("我喜欢猫", "the cat"), ("a [SEP] b", "c"),
)  # fmt: skip


@torch.no_grad()
@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_two_texts_are_read_as_the_oracle_reads_them(kind: str, tmp_path: Path) -> None:
    oracle = whole(kind, tmp_path)
    oracle.set_attn_implementation("eager")
    model = opened(tmp_path)
    typed = [("a house [SEP] it is small", ""), ("a tab\tis a space", "")]
    for text, pair in [*PAIRS, *typed]:
        trace = model.trace(text, text_pair=pair)
        texts = [each.replace("___", "[MASK]") for each in (text, pair) if each]
        told = asked(oracle, tmp_path, *texts)
        off = (trace["output/logits"] - told.logits).abs().max() / told.logits.abs().max()
        assert off < 1e-5, (text, pair, off)
        for layer, weights in enumerate(told.attentions):
            own = trace[f"encoder/{layer}/self_attention/weights"]
            assert (own - weights).abs().max() < 1e-6, (text, pair, layer)
    first = model.trace(*PAIRS[0][:1], text_pair=PAIRS[0][1])
    assert [each[:2] for each in first.source_tokens] == ["A:"] * (
        first.source_pieces.index("[SEP]") + 1
    ) + ["B:"] * (len(first.source_pieces) - first.source_pieces.index("[SEP]") - 1)
    alone = model.trace("the small house", text_pair="  ")
    assert not alone.text_pair and alone.source_tokens[0] == "[CLS]"


@torch.no_grad()
def test_a_pair_survives_wherever_its_run_is_made_again(tmp_path: Path) -> None:
    whole("bert", tmp_path)
    model = opened(tmp_path)
    trace = model.trace("the small house", text_pair="I like it")
    logits = trace["output/logits"]
    survives(trace, tmp_path)
    again = Trace.load(tmp_path / "run.safetensors")
    assert (again.text_pair, again.segments) == ("I like it", trace.segments) and any(
        again.segments
    )
    unfolds(trace, model)
    assert trace.line == "the small house\tI like it"
    assert torch.equal(trace_of(model, trace.line)["output/logits"], logits)
    assert torch.equal(record_words(model, trace, trace.output_ids)["output/logits"], logits)
    patch = TensorPatch("encoder/0/self_attention/output", sentence=trace.line)
    patched = run(Experiment((patch,)), model, trace.source_text, text_pair=trace.text_pair)
    assert torch.equal(patched["output/logits"], logits)
    found = [*over_texts(model, [trace.line, "the small house"], Experiment())]
    assert [each.run.text_pair for each in found if each.run] == ["I like it", ""]
    heads = ablated_heads(model, trace)
    row = trace["output/probabilities"][0, 1, trace.output_ids[1]]
    assert heads[0].before[1] == pytest.approx(float(row), abs=1e-6)
    alone = model.trace("the small house I like it")
    batch = padded_runs(model, (trace, alone))
    for own, padded in zip((trace, alone), batch, strict=True):
        rows = len(own.source_pieces)
        assert torch.allclose(
            padded["output/logits"][:, :rows], own["output/logits"], atol=1e-4, rtol=1e-4
        )
    switch = TensorSet("source/token_type", (("position", (1,)),), 0.5)
    switched = padded_runs(model, (trace, alone), Experiment((switch,)))
    for own, padded in zip((trace, alone), switched, strict=True):
        rows, by_itself = (
            len(own.source_pieces),
            run(Experiment((switch,)), model, own.source_text, text_pair=own.text_pair),
        )
        assert torch.allclose(
            padded["output/logits"][:, :rows], by_itself["output/logits"], atol=1e-4, rtol=1e-4
        )
    other = model.trace("the large house", text_pair="I like it")
    assert any(each.plain != each.other for each in causal_tracing(model, trace, other))


def test_a_pair_is_refused_where_none_is_read(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    with pytest.raises(GlassformerError) as error:
        opened(tmp_path).trace("Hello", text_pair="there")
    assert error.value.key == "no_pair"
    with pytest.raises(GlassformerError) as error:
        load_model().trace("I have a cat.", text_pair="There.")
    assert error.value.key == "no_pair"


def test_two_texts_are_counted_together(tmp_path: Path) -> None:
    whole("bert", tmp_path)
    model = opened(tmp_path)
    half = "the " * 60
    model.trace(half)
    with pytest.raises(GlassformerError) as error:
        model.trace(half, text_pair=half)
    assert error.value.key == "too_long"
