"""A folder of another program opens with `load_model`, and does what it was trained for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, normalizers

from glassformer import Trace, load_model
from glassformer.core.config import ModelConfig
from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.sampling import draw_samples
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.provenance.unfold import unfold
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.masks import PaddingOff, mask_view
from glassformer.core.text_models.decodings import record_words, task_of
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.weights.aside import not_applied
from glassformer.core.weights.model_folder import look_into_folder
from glassformer.core.weights.opened_model import MEMORY_BUDGET, OpenedModel, open_model
from glassformer.core.weights.tokenizers.tokens import JSON
from tests.explain.provenance.trail_runs import cells
from tests.weights.folders import edit, in_shards, whole
from tests.weights.oracle import transformers

TEXT = "the small house"


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
    model, words = (
        opened(tmp_path),
        transformers.PreTrainedTokenizerFast(tokenizer_file=f"{tmp_path}/{JSON}"),
    )
    trace = model.trace("The small house", more=8)
    ids = model.tokens.ids("The small house")
    told = oracle.generate(
        torch.tensor([ids]), max_new_tokens=8, do_sample=False, pad_token_id=0, eos_token_id=None
    )
    written = [model.tokens.id(piece) for piece in trace.output_pieces]
    assert written == told[0, 1:].tolist()[: len(written)] and len(written) >= len(ids)
    assert trace.task == "continue" and trace.source_tokens == ()
    ends = len(written) + 1
    assert trace.output_text == words.decode(told[0, :ends], skip_special_tokens=True)
    again = record_words(model, trace, trace.output_ids)
    assert again.output_text == trace.output_text
    assert len(trace.steps) == len(trace.target_tokens)
    forced = model.trace("The small", target=" house")
    assert [*forced.target_pieces, forced.output_pieces[-1]] == [
        model.tokens.pieces[each] for each in ids
    ]
    joined = model.trace("The small h", target="ouse")
    assert "".join(joined.output_tokens[joined.given :]) == "ouse"
    survives(trace, tmp_path)
    unfolds(trace, model)


@torch.no_grad()
def test_an_encoder_fills_in_what_the_oracle_fills_in(tmp_path: Path) -> None:
    oracle = whole("bert", tmp_path)
    model = opened(tmp_path)
    trace = model.trace("the small ___ is here")
    for blank in ("[MASK]", "__", "____", "________", "\uff3f\uff3f\uff3f"):
        assert model.trace(f"the small {blank} is here").output_tokens == trace.output_tokens
    assert model.trace("the __ and ____").source_pieces.count("[MASK]") == 2
    assert model.trace("这是____的").source_pieces.count("[MASK]") == 1
    ids = torch.tensor([model.tokens.ids("the small [MASK] is here")])
    at = trace.source_pieces.index("[MASK]")
    best = int(oracle(ids).logits[0, at].argmax())
    assert trace.output_pieces[at] == model.tokens.pieces[best]
    assert trace.output_pieces[:at] == trace.source_pieces[:at]
    assert trace.task == "fill_in" and len(trace.steps) == len(trace.source_tokens)
    assert trace.candidates(at)[0].piece == trace.output_pieces[at]
    survives(trace, tmp_path)
    unfolds(trace, model)


@torch.no_grad()
def test_the_padding_that_a_model_names_is_hidden_and_its_mask_can_be_off(tmp_path: Path) -> None:
    """Whatever the piece is called; an encoder alone has no cross-attention to be changed."""
    oracle = whole("bert", tmp_path)
    model, text = opened(tmp_path), "the <s> small <pad> house"
    assert model.config.pad_id == 0 == model.tokens.id("<s>") != model.tokens.id("<pad>")
    trace = model.trace(text)
    ids = torch.tensor([trace["source/ids"][0].tolist()])
    for place in (
        f"encoder/{layer}/self_attention" for layer in range(model.config.encoder_layers)
    ):
        view = mask_view(trace, place)
        assert not view.changed.any() and torch.equal(view.own[0], ids[0] != 0)
    off = run(Experiment((PaddingOff(),)), model, text)
    assert off["encoder/0/self_attention/mask"].all()
    for found, mask in ((trace, ids != 0), (off, torch.ones_like(ids))):
        told = oracle(ids, attention_mask=mask).logits
        assert torch.allclose(found["output/logits"], told, atol=1e-5 * float(told.abs().max()))


def test_shards_half_precision_and_what_is_known_beforehand(tmp_path: Path) -> None:
    oracle = whole("gpt2", tmp_path)
    oracle.half().save_pretrained(tmp_path)
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# A model", encoding="utf-8")
    found = look_into_folder(tmp_path)
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


@torch.no_grad()
def test_a_text_may_fill_every_position(tmp_path: Path) -> None:
    """The word that is written last is not read: as many positions are enough."""
    oracle = whole("gpt2", tmp_path)
    model = opened(tmp_path)
    text = "house " * 400
    while len(ids := model.tokens.ids(text)) > 256:
        text = text[:-1]
    for given, count in ((text, 1), (text[:-3], len(ids) - len(model.tokens.ids(text[:-3])) + 1)):
        prompt = torch.tensor([model.tokens.ids(given)])
        told = oracle.generate(prompt, max_new_tokens=count, do_sample=False, eos_token_id=None)
        trace = model.trace(given)
        assert [*trace.output_ids] == told[0, 1:].tolist() and len(trace.output_ids) == 256
    with pytest.raises(GlassformerError, match=r"257 .* 256 are allowed"):
        model.trace(f"{text}{model.tokens.text(ids[-1:])}")


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
    again = record_words(model, trace, trace.output_ids)
    assert set(again.tensors) == set(trace.tensors)
    assert torch.equal(again["output/probabilities"], trace["output/probabilities"])


@torch.no_grad()
@pytest.mark.parametrize("first", [True, False])
def test_a_text_ends_at_any_of_the_ends(first: bool, tmp_path: Path) -> None:
    """As instruct models have them: generation_config.json names several, config.json one."""
    oracle = whole("llama 3", tmp_path)
    ids = opened(tmp_path).tokens.ids(TEXT)
    given, how = torch.tensor([ids]), {"do_sample": False, "pad_token_id": 0}
    free = oracle.generate(given, max_new_tokens=12, eos_token_id=None, **how)[0, len(ids) :]
    last = next(n for n in range(2, 12) if free[n] not in free[:n])
    other = next(each for each in range(1, 400) if each not in free.tolist())
    ends = [int(free[last]), other][:: 1 if first else -1]
    edit("generation_config.json", eos_token_id=ends)(tmp_path)
    model = opened(tmp_path)
    trace = model.trace(TEXT, more=12)
    task = task_of(model, trace)
    assert task.every_end == set(ends)
    told = oracle.generate(given, max_new_tokens=12, eos_token_id=ends, **how)[0, 1:].tolist()
    assert list(trace.output_ids) == told and len(told) == len(ids) + last
    seeds = [Sampling(temperature=3.0, top_k=6, seed=each) for each in range(12)]
    for steps in draw_samples(model.transformer, task, seeds):
        words = [each.step.chosen for each in steps][len(task.given) :]
        assert not set(words[:-1]) & set(ends)
        assert len(words) == task.limit - len(task.given) or words[-1] in ends


@torch.no_grad()
@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_a_beam_ends_at_any_of_the_ends(kind: str, tmp_path: Path) -> None:
    """Words that are likely anywhere end a text now, so that many beams end early."""
    oracle = whole(kind, tmp_path)
    model = opened(tmp_path)
    trace = model.trace(TEXT)
    task = task_of(model, trace)
    given = torch.tensor([task.source or task.beginning])
    likely = [each for each, _ in trace.steps[len(task.given)].candidates]
    ends = [task.end, *(each for each in likely[1:7] if each != task.end)]
    edit("generation_config.json", eos_token_id=ends)(tmp_path)
    model = opened(tmp_path)
    task = task_of(model, trace)
    found = beam(model.transformer, task, size=3, alpha=0.0, rule="transformers")
    told = oracle.generate(
        given, max_new_tokens=task.limit - len(task.given), do_sample=False, num_beams=3,
        eos_token_id=ends, length_penalty=0.0, use_cache=False, pad_token_id=0,
        bad_words_ids=[[each] for each in task.forbidden] or None,
    )  # fmt: skip
    words = list(found.words(found.hypotheses[0]))
    assert told[0, len(task.beginning) :].tolist()[: len(words)] == words
    assert words[-1] in ends[1:] and len(words) < 10


def test_words_that_settings_name_and_are_none_end_nothing(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    told = {"eos_token_id": [10**6, -4, 5, "7"], "bad_words_ids": [[10**6], [9]]}
    edit("generation_config.json", **told)(tmp_path)
    model = opened(tmp_path)
    task = model.task_of(model.trace(TEXT))
    assert (task.every_end, task.forbidden) == ({5}, {9})
    edit("generation_config.json", bos_token_id=10**6)(tmp_path)
    empty = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    empty.normalizer = normalizers.Replace("~", "")
    empty.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(GlassformerError, match="bos_token_id is 1000000, outside of 400 words"):
        opened(tmp_path).trace("~")


def test_what_is_not_applied_is_said(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    assert not str(opened(tmp_path).left_aside)
    told = {"repetition_penalty": 1.2, "no_repeat_ngram_size": 3, "min_length": 0, "num_beams": 1}
    edit("generation_config.json", **told, bad_words_ids=[[5], [6, 7]])(tmp_path)
    model = opened(tmp_path)
    acting = ("repetition_penalty=1.2", "no_repeat_ngram_size=3", "bad_words_ids")
    assert model.left_aside.settings == acting
    assert "not applied: repetition_penalty=1.2, no_repeat" in str(model.left_aside)
    assert model.task_of(model.trace(TEXT)).forbidden == {5}


# Settings of `generate` that act here, or that change no word of what is written: its memory, its
# outputs, its speed, its helpers; how far it writes. Those of sampling act with do_sample alone.
HEEDED = {
    "bad_words_ids", "suppress_tokens", "pad_token_id", "bos_token_id", "eos_token_id",
    "forced_bos_token_id", "decoder_start_token_id",
}  # fmt: skip
LENGTH = {"max_length", "max_new_tokens", "max_time", "forced_eos_token_id"}
SAMPLING = {
    "temperature", "top_k", "top_p", "min_p", "top_h", "typical_p", "epsilon_cutoff", "eta_cutoff",
}  # fmt: skip
BEAMS = {"early_stopping", "length_penalty", "num_return_sequences"}  # act with num_beams alone
WITHOUT_A_WORD = re.compile(
    "use_|output_|return_|cache|compile|assistant|speculation|lookup|lookbehind|ngram_size$|prefill"
    "|continuous|low_memory|transformers_version|_from_model|renormalize|remove_invalid|is_assist"
)


def test_every_setting_of_generate_is_heeded_or_said() -> None:
    acting = {"diversity_penalty", "repetition_penalty", "no_repeat_ngram_size"}
    for name in transformers.GenerationConfig().to_dict():
        said = not_applied({name: 0.5})
        if name in HEEDED | LENGTH | SAMPLING | BEAMS:
            continue
        if not WITHOUT_A_WORD.search(name) or name in acting:
            assert said == (f"{name}=0.5",), name


def test_an_added_piece_beyond_the_table_matters_where_a_text_has_it(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    added = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    added.add_special_tokens(["<pad>"])
    added.save(str(tmp_path / "tokenizer.json"))
    model = opened(tmp_path)
    assert model.trace(TEXT).output_text
    for text, target in ((f"{TEXT} <pad>", None), (TEXT, " <pad>")):
        with pytest.raises(GlassformerError, match="uses the piece “<pad>”, which was added"):
            model.trace(text, target)
