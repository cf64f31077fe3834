"""A folder of another program opens with `load_model`, and does what it was trained for."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import torch

from core import Trace, load_model
from core.config import ModelConfig
from core.decodings import recorded
from core.errors import GlassformerError
from core.explain.provenance.unfold import unfold
from core.interventions import Experiment, run
from core.interventions.causal_tracing import causal_tracing
from core.interventions.head_ablation import ablated_heads
from core.interventions.padding import padded_runs
from core.interventions.tensors import TensorPatch
from core.models import trace_of
from core.over_texts import over_texts
from core.trace.sites import recorded_bytes
from core.trace.tape import Edit, Recorder
from core.weights.open import look
from core.weights.opened import MEMORY_BUDGET, OpenedModel, open_model
from tests.explain.provenance.trail_runs import cells
from tests.weights.folders import in_shards, whole
from tests.weights.oracle import transformers


def opened(folder: Path) -> OpenedModel:
    model = load_model(folder)
    assert isinstance(model, OpenedModel)
    return model


def survives(trace: Trace, folder: Path) -> None:
    """The run is a file like any other, and every number of it unfolds."""
    trace.save(folder / "run.safetensors")
    again = Trace.load(folder / "run.safetensors")
    assert (again.task, again.output_tokens) == (trace.task, trace.output_tokens)
    assert list(again) == list(trace)


def unfolds(trace: Trace, model: OpenedModel) -> None:
    for cell in cells(trace, each=1):
        assert unfold(trace, model.transformer, cell.address, cell.index).verdict == "agrees", cell


@torch.no_grad()
@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_a_translator_writes_what_the_oracle_writes(kind: str, tmp_path: Path) -> None:
    oracle = whole(kind, tmp_path)
    model = opened(tmp_path)
    trace = model.trace("I like the small house")
    ids = torch.tensor([model.tokens.ids("I like the small house")])
    config = oracle.generation_config
    limit = len(trace.output_pieces)
    bad = [[config.pad_token_id]] if kind == "marian" else None
    told = oracle.generate(
        ids, max_new_tokens=limit, do_sample=False, bad_words_ids=bad, use_cache=False
    )
    written = [model.tokens.id(piece) for piece in trace.output_pieces]
    assert written == told[0, 1:].tolist()
    assert trace.task == "translate" and len(trace.steps) == len(trace.output_tokens)
    forced = model.trace("I like the small house", target="猫 small")
    assert not forced.steps and forced.output_text
    survives(trace, tmp_path)
    unfolds(trace, model)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["gpt2", "llama 3"])
def test_a_decoder_goes_on_as_the_oracle_does(kind: str, tmp_path: Path) -> None:
    oracle = whole(kind, tmp_path)
    model = opened(tmp_path)
    trace = model.trace("The small house", more=8)
    ids = model.tokens.ids("The small house")
    told = oracle.generate(
        torch.tensor([ids]), max_new_tokens=8, do_sample=False, pad_token_id=0, eos_token_id=None
    )
    written = [model.tokens.id(piece) for piece in trace.output_pieces]
    assert written == told[0, 1:].tolist()[: len(written)] and len(written) >= len(ids)
    assert trace.task == "continue" and trace.source_tokens == ()
    assert trace.output_text.startswith("he small house"[:3]) or trace.output_text
    assert len(trace.steps) == len(trace.target_tokens)
    forced = model.trace("The small", target=" house")
    assert [*forced.target_pieces, forced.output_pieces[-1]] == [
        model.tokens.pieces[each] for each in ids
    ]
    survives(trace, tmp_path)
    unfolds(trace, model)


@torch.no_grad()
def test_an_encoder_fills_in_what_the_oracle_fills_in(tmp_path: Path) -> None:
    oracle = whole("bert", tmp_path)
    model = opened(tmp_path)
    trace = model.trace("the small ___ is here")
    assert model.trace("the small [MASK] is here").output_tokens == trace.output_tokens
    ids = torch.tensor([model.tokens.ids("the small [MASK] is here")])
    at = trace.source_pieces.index("[MASK]")
    best = int(oracle(ids).logits[0, at].argmax())
    assert trace.output_pieces[at] == model.tokens.pieces[best]
    assert trace.output_pieces[:at] == trace.source_pieces[:at]
    assert trace.task == "fill_in" and len(trace.steps) == len(trace.source_tokens)
    assert trace.candidates(at)[0].piece == trace.output_pieces[at]
    survives(trace, tmp_path)
    unfolds(trace, model)


def test_shards_half_precision_and_what_is_known_beforehand(tmp_path: Path) -> None:
    oracle = whole("gpt2", tmp_path)
    oracle.half().save_pretrained(tmp_path)
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# A model", encoding="utf-8")
    found = look(tmp_path)
    assert (found.kind, found.task, found.licence) == ("gpt2", "continue", "mit")
    assert found.parameters == sum(each.numel() for each in set(oracle.parameters()))
    assert found.nbytes() == 2 * found.nbytes(widen=False) == 4 * found.parameters
    one = open_model(tmp_path)
    in_shards(tmp_path)
    other, kept = open_model(tmp_path), open_model(tmp_path, widen=False)
    assert kept.transformer.generator.weight.dtype == torch.float16
    wide, again = (each.trace("a house", more=2) for each in (one, other))
    assert torch.equal(wide["output/logits"], again["output/logits"])
    near = kept.trace("a house", more=2)["output/logits"].float()
    assert torch.allclose(near[:, :2], wide["output/logits"][:, :2], atol=0.1)


def test_edits_and_budgets_work_as_in_ours(tmp_path: Path) -> None:
    whole("llama 3", tmp_path)
    model = opened(tmp_path)
    plain, lean = model.trace("a house"), model.trace("a house", memory_budget=0)
    maps = [each for each in plain if plain.site(each).per_map]
    assert maps and not set(maps) & set(lean.tensors)
    assert all(torch.equal(lean[each], plain[each]) for each in maps)
    off = [Edit("decoder/0/self_attention/q_rotated", torch.zeros_like)]
    edited = model.trace("a house", edits=off)
    assert edited.edits and not torch.equal(
        edited["output/logits"][0, 1], plain["output/logits"][0, 1]
    )


def test_a_text_may_be_too_long_or_empty(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    model = opened(tmp_path)
    with pytest.raises(GlassformerError, match="256 are allowed"):
        model.trace("house " * 400)
    with pytest.raises(GlassformerError, match="empty"):
        model.trace("  ")


@pytest.mark.parametrize("kind", ["marian", "t5", "gpt2", "llama 3", "bert"])
def test_what_is_left_out_comes_back_bit_for_bit(kind: str, tmp_path: Path) -> None:
    whole(kind, tmp_path)
    model = opened(tmp_path)
    trace = model.trace("the small house")
    tape = Recorder()
    source, target = (
        [model.ids(trace.source_pieces, "source")], [model.ids(trace.target_pieces)]
    )  # fmt: skip
    model.transformer(torch.tensor(source).long(), torch.tensor(target), tape)
    assert {"output/logits", "output/probabilities"} == set(tape.tensors) - set(trace.tensors)
    assert set(trace) == set(tape.tensors)
    assert all(torch.equal(trace[address], tape.tensors[address]) for address in trace)
    assert trace["output/logits"] is trace["output/logits"]  # for a while
    assert trace.output_ids == tuple(model.ids(trace.output_pieces))


@pytest.mark.parametrize("address", ["output/logits", "output/probabilities", "*/logits"])
def test_what_an_edit_reaches_is_kept(address: str, tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    model = opened(tmp_path)
    edits = [Edit(address, torch.zeros_like), Edit("decoder/1/*/scaled", lambda each: each / 2)]
    lean, full = (model.trace("a house", " the", edits, memory_budget=n) for n in (0, 10**9))
    assert not lean[address.replace("*", "output")].any()
    assert "decoder/1/self_attention/weights" in lean.tensors
    assert "decoder/0/self_attention/weights" not in lean.tensors
    assert all(torch.equal(lean[each], full[each]) for each in full)


def test_a_run_of_a_vocabulary_of_58_101_is_small() -> None:
    """Marian's shape at 64 words: what its run would keep, known beforehand."""
    config = ModelConfig(vocabulary_size=58_101, tie_generator=True, share_embeddings=True)
    stated = recorded_bytes(config, 64, 64, words=False)
    assert stated > MEMORY_BUDGET > recorded_bytes(config, 64, 64, maps=False, words=False)


def test_another_decoding_of_a_run_is_as_lean(tmp_path: Path) -> None:
    whole("marian", tmp_path)
    model = opened(tmp_path)
    trace = model.trace("the small house")
    again = recorded(model, trace, trace.output_ids)
    assert set(again.tensors) == set(trace.tensors)
    assert torch.equal(again["output/probabilities"], trace["output/probabilities"])


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
    assert torch.equal(recorded(model, trace, trace.output_ids)["output/logits"], logits)
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
