"""`model.run`: exactly what was given, of one text or many, texts or ids, or a sentence why."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer import Edit, load_model
from glassformer.core.analysis.head_statistics import measure_heads
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import mean_contexts
from glassformer.core.text_models import batches
from glassformer.core.text_models.run_memory import bytes_of_graph
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import open_model
from tests.weights.folders import whole

PROMPT, OTHER = "Once upon a time", "The cat"
SENTENCES = ["The cat sleeps.", "The animal didn't cross the street because it was too tired."]
WEIGHTS = "decoder/1/self_attention/weights"


@pytest.fixture(scope="module")
def gpt() -> Any:
    return load_model("small-gpt")


@pytest.fixture(scope="module")
def translator() -> Any:
    return load_model()


def test_a_prompt_is_simply_run(gpt: Any) -> None:
    trace = gpt.run(PROMPT)
    ids = gpt.tokens.ids(PROMPT)
    assert trace["target/ids"].tolist() == [ids] and trace.given == len(ids) - 1
    with torch.no_grad():
        logits = gpt.transformer(torch.zeros(1, 0).long(), torch.tensor([ids]))
    assert torch.equal(trace["output/logits"], logits)
    assert trace.output_ids == (*ids[1:], int(logits[0, -1].argmax()))
    assert trace.output_text.startswith(PROMPT)
    assert gpt.trace(PROMPT).output_text.startswith(trace.output_text)  # the same first word


def test_what_follows_a_prompt_is_forced(gpt: Any) -> None:
    trace, traced = (each(PROMPT, target=" there was") for each in (gpt.run, gpt.trace))
    assert (trace.output_pieces, trace.given) == (traced.output_pieces, traced.given)
    assert all(torch.equal(trace[each], traced[each]) for each in traced)


@pytest.mark.parametrize("given", [list, tuple, torch.tensor])
def test_ids_are_the_text(gpt: Any, given: Callable[[list[int]], Any]) -> None:
    trace = gpt.run(given(gpt.tokens.ids(PROMPT)))
    assert isinstance(trace, Trace)
    assert torch.equal(trace["output/logits"], gpt.run(PROMPT)["output/logits"])
    assert trace.source_text == PROMPT and trace.target_tokens == gpt.run(PROMPT).target_tokens


def test_a_list_gives_a_batch_in_its_order(gpt: Any) -> None:
    texts = [PROMPT, OTHER, f"{PROMPT} there was"]
    found = gpt.run(texts, keep=WEIGHTS, batch_size=2)
    assert isinstance(found, Batch) and len(found) == 3 and list(found) == [WEIGHTS]
    rows = [gpt.tokens.ids(each) for each in texts]
    assert isinstance(gpt.run(rows), Batch)
    for at, text in enumerate(texts):
        assert found.at(at).source_text == text
        assert found.row(at, -1) == len(rows[at]) - 1
        assert torch.allclose(found.at(at)[WEIGHTS], gpt.run(text)[WEIGHTS], atol=1e-6)


def test_a_row_of_a_tensor_ends_where_its_padding_begins(translator: Any) -> None:
    pad = translator.config.pad_id
    ids = [list(translator.inputs_of(each).source) for each in SENTENCES]
    longest = max(map(len, ids))
    left = torch.tensor([[pad] * (longest - len(each)) + each for each in ids])
    right = torch.tensor([each + [pad] * (longest - len(each)) for each in ids])
    told = translator.run(SENTENCES, keep="memory")
    for given in (left, right):
        assert torch.equal(translator.run(given, keep="memory")["memory"], told["memory"])


@pytest.mark.parametrize("padding", ["left", "right"])
def test_what_a_tokenizer_gives_is_run_by_its_mask(gpt: Any, padding: str) -> None:
    rows = [gpt.tokens.ids(each) for each in (PROMPT, OTHER)]
    lacking = [7 - len(each) for each in rows]
    pads = [([9] * n, []) if padding == "left" else ([], [9] * n) for n in lacking]
    ids = [[*before, *row, *after] for (before, after), row in zip(pads, rows, strict=True)]
    mask = [
        [*[0] * len(before), *[1] * len(row), *[0] * len(after)]
        for (before, after), row in zip(pads, rows, strict=True)
    ]
    tables = {"input_ids": ids, "attention_mask": mask}
    told = gpt.run([PROMPT, OTHER])
    as_tensors = {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask).bool()}
    for given in (tables, as_tensors):
        found = gpt.run(given)
        assert found.target_pieces == told.target_pieces
        assert torch.equal(found["output/logits"], told["output/logits"])
    with pytest.raises(GlassformerError, match="attention_mask"):
        gpt.run({**tables, "attention_mask": mask[:1]})


def test_without_a_target_a_translator_reads_what_greedy_decoding_writes(translator: Any) -> None:
    edit = Edit("encoder/0/self_attention/weights", torch.zeros_like)
    for text, at in zip(SENTENCES, translator.run(SENTENCES).target_pieces, strict=True):
        plain = translator.trace(text)
        assert at == plain.target_pieces
        run = translator.run(text)
        assert run.steps == plain.steps and torch.equal(run["memory"], plain["memory"])
        assert translator.run(text, edits=[edit]).output_pieces == plain.output_pieces


def test_the_decoder_rests_where_only_the_encoder_is_asked_for(
    translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> Tensor:
        raise AssertionError

    told = translator.run(SENTENCES)
    monkeypatch.setattr(translator.transformer.decoder, "forward", never)
    found = translator.run(SENTENCES, keep=["encoder/*/self_attention/weights", "memory"])
    assert torch.equal(found["memory"], told["memory"])
    edit = Edit("decoder/0/self_attention/weights", lambda x: x)
    with pytest.raises(AssertionError):
        translator.run(SENTENCES, target="猫", keep="memory", edits=[edit])


@pytest.mark.parametrize("batch_size", [None, 1])
def test_edits_reach_every_text(gpt: Any, batch_size: int | None) -> None:
    edit = Edit(WEIGHTS, lambda weights: weights * 0.5)
    texts = [PROMPT, OTHER]
    found = gpt.run(texts, edits=[edit], batch_size=batch_size)
    for at, text in enumerate(texts):
        told = gpt.trace(text, edits=[edit], more=1)
        for address in ("output/logits", WEIGHTS):
            assert torch.allclose(found.at(at)[address], told[address], atol=1e-5)


def test_what_an_edit_changed_is_not_computed_again_from_what_was_kept(gpt: Any) -> None:
    place = "decoder/1/self_attention"
    edit = Edit(f"{place}/scores", torch.zeros_like)
    keep = [f"{place}/{name}" for name in ("q", "k", "mask")]
    trace = gpt.run(PROMPT, keep=keep, edits=[edit])
    assert torch.equal(trace[WEIGHTS], gpt.run(PROMPT, edits=[edit])[WEIGHTS])
    assert torch.equal(gpt.run(PROMPT, keep=keep)[WEIGHTS], gpt.run(PROMPT)[WEIGHTS])
    with pytest.raises(GlassformerError, match="Nothing is recorded"):
        gpt.run(PROMPT, keep=f"{place}/q")[WEIGHTS]


@pytest.mark.parametrize(("kind", "longest"), [("gpt2", 256), ("bert", 256), ("bart", 256)])
def test_a_text_may_fill_every_position(kind: str, longest: int, tmp_path: Path) -> None:
    whole(kind, tmp_path)
    model = open_model(tmp_path)
    (piece,) = model.tokens.plain_ids("a")[:1] or [5]
    goal = [piece] * longest if kind == "bart" else None
    trace = model.run([piece] * longest, target=goal)
    rows = trace.source_tokens if kind == "bert" else trace.target_tokens
    assert len(rows) == longest
    with pytest.raises(GlassformerError, match=r"257 .* 256 are allowed"):
        model.run([piece] * (longest + 1), target=goal)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([], {}, "run_nothing"),
    (torch.zeros(0, dtype=torch.long), {}, "run_nothing"),
    ([PROMPT, [1, 2]], {}, "run_mixed"),
    ([[1, 2], PROMPT], {}, "run_mixed"),
    ([[1, 2], 3], {}, "run_mixed"),
    ([PROMPT, None], {}, "run_mixed"),
    ([1, 2.5], {}, "run_ids"),
    (torch.full((2, 3), 0.5), {}, "run_ids"),
    (3, {}, "run_ids"),
    ([5000], {}, "out_of_range"),
    ([[1], [-1]], {}, "out_of_range"),
    ("  ", {}, "empty_text"),
    ([PROMPT, ""], {}, "empty_text"),
    ([[1], []], {}, "empty_text"),
    ([PROMPT, OTHER], {"target": [" a"]}, "run_targets"),
    ([PROMPT], {"batch_size": 0}, "run_batch_size"),
    ([PROMPT], {"batch_size": 2.5}, "run_batch_size"),
    (PROMPT, {"keep": "decoder/*/nothing"}, "unknown_address"),
    (PROMPT, {"edits": [Edit("decoder/9/nothing", torch.zeros_like)]}, "edit_unmatched"),
    (PROMPT, {"edits": [Edit(WEIGHTS, lambda _: None)]}, "edit_no_tensor"),  # type: ignore[arg-type,return-value]
    (PROMPT, {"edits": [Edit(WEIGHTS, lambda x: x[:1, :1])]}, "edit_changes_kind"),
]


@pytest.mark.parametrize(("given", "options", "key"), BAD, ids=lambda each: str(each)[:40])
def test_what_cannot_be_run_is_one_sentence(
    gpt: Any, given: Any, options: dict[str, Any], key: str
) -> None:
    with pytest.raises(GlassformerError) as caught:
        gpt.run(given, **options)
    assert caught.value.key == key


def test_a_place_in_a_batch_is_asked_with_at(gpt: Any) -> None:
    batch = gpt.run([PROMPT, OTHER])
    with pytest.raises(gf.GlassformerError) as caught:
        batch[0]
    assert caught.value.key == "batch_place" and "batch.at(0)" in str(caught.value)


def test_memory_is_said_before_it_is_spent_and_halves_batches(
    translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, target = SENTENCES * 8, "动物太累了"
    told = translator.run(texts, target=target, keep="memory")
    sizes = list[int]()
    encode = translator.transformer.encode

    def counted(ids: Tensor, *rest: Any) -> Tensor:
        sizes.append(len(ids))
        found: Tensor = encode(ids, *rest)
        return found

    monkeypatch.setattr(translator.transformer, "encode", counted)
    monkeypatch.setattr(batches, "NOTICED", 0)
    monkeypatch.setattr(batches, "free_bytes", lambda _: 4 * 2**20)
    with pytest.raises(GlassformerError) as caught:
        translator.run(texts, target=target, keep="memory")
    assert caught.value.key == "run_memory" and not sizes
    found = translator.run(texts, target=target, keep="memory", batch_size="auto")
    assert max(sizes) < len(texts) and sum(sizes) == len(texts)
    words = told.source_mask
    assert torch.allclose(found["memory"][words], told["memory"][words], atol=1e-4)


KEPT = (None, ("*/0/self_attention_residual/branch_input",), ("*/1/*/weights", "output/logits"))


@pytest.mark.skipif(
    "OTHER_ROUNDING" in os.environ, reason="products in two parts hold tensors of their own"
)
@pytest.mark.parametrize("kind", ["gpt2", "t5", "marian", "llama 3", "bert"])
@pytest.mark.parametrize("keep", KEPT, ids=["all", "the first layer's", "the second's"])
@pytest.mark.parametrize("texts", [1, 4])
def test_what_autograd_holds_is_reckoned_before(
    kind: str, keep: tuple[str, ...] | None, texts: int, tmp_path: Path
) -> None:
    whole(kind, tmp_path)
    model = open_model(tmp_path)
    goal = [[7, 8, 3, 5] * 10] * texts if model.config.has_both else None
    held, alive = dict[int, int](), list[Any]()

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        held[storage.data_ptr()] = storage.nbytes()
        alive.append(storage)  # so that no other gets its place
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        batch = model.run([[5, 6, 7, 8] * 12] * texts, target=goal, keep=keep, grad=True)
    weights = [*model.transformer.parameters(), *model.transformer.buffers()]
    for there in (*weights, *batch.tensors.values()):
        held.pop(there.untyped_storage().data_ptr(), None)
    kept = batches.kept_addresses(model.config, keep)
    (read,) = {(len(each.source), len(each.target)) for each in batch.inputs}
    told = bytes_of_graph(model.config, kept, read, texts, texts, 4)
    assert 0.7 < told / sum(held.values()) < 1.5


def test_the_graph_is_said_before_it_is_spent(gpt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, free = [PROMPT] * 8, 2**19
    monkeypatch.setattr(batches, "NOTICED", 0)
    monkeypatch.setattr(batches, "free_bytes", lambda _: free)
    monkeypatch.setattr(batches, "bytes_of_graph", lambda *_: free)
    keep = "decoder/1/self_attention/context"
    assert len(gpt.run(texts, keep=keep, batch_size="auto")) == len(texts)
    with pytest.raises(GlassformerError, match="graph") as caught:
        gpt.run(texts, keep=keep, grad=True, batch_size="auto")
    assert caught.value.key == "run_graph_memory"


def test_a_device_without_memory_gets_half_the_texts(
    translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, texts = translator.transformer.encode, SENTENCES * 4

    def small(ids: Tensor, *rest: Any) -> Tensor:
        if len(ids) > 3:
            raise torch.OutOfMemoryError
        found: Tensor = encode(ids, *rest)
        return found

    told = translator.run(texts, keep="memory")
    monkeypatch.setattr(translator.transformer, "encode", small)
    found = translator.run(texts, keep="memory", batch_size="auto")
    words = told.source_mask
    assert torch.allclose(found["memory"][words], told["memory"][words], atol=1e-4)
    with pytest.raises(GlassformerError) as caught:
        translator.run(texts, keep="memory")
    assert caught.value.key == "run_device_memory"


def test_means_of_heads_are_of_the_prompts_alone(gpt: Any) -> None:
    prompts = [PROMPT, OTHER, ""]  # one cannot be read
    means = mean_contexts(gpt, prompts)
    for layer in range(gpt.config.decoder_layers):
        address = f"decoder/{layer}/self_attention/context"
        rows = torch.cat([gpt.trace(each, more=1)[address][0] for each in prompts[:2]], dim=-2)
        assert torch.allclose(means[address], rows.mean(dim=-2), atol=1e-6)


def test_what_heads_look_at_is_measured_on_the_prompt_alone(gpt: Any) -> None:
    told, found = measure_heads(gpt.run(PROMPT)), measure_heads(gpt.trace(PROMPT))
    assert told.keys() == found.keys()
    for each in told:
        assert np.allclose(told[each], found[each], atol=1e-6, equal_nan=True)


def test_places_are_words_or_counted_from_either_end(gpt: Any) -> None:
    trace = gpt.run(PROMPT)
    whole_map = trace[WEIGHTS][0]
    assert torch.equal(trace.pick(WEIGHTS, head=-1), whole_map[-1])
    place = trace.target_tokens.index("␣time")
    for word in ("␣time", "time"):
        assert torch.equal(trace.pick(WEIGHTS, query=word), whole_map[:, place])
    assert len(trace.table(WEIGHTS, query="time", head=-1)) == whole_map.size(-1)
    row = trace.sel(WEIGHTS, query="time", head=-1)
    assert row.table()["key_token"].tolist() == list(trace.target_tokens)
    assert row.values.tolist() == whole_map[-1, place].tolist()
    for at, key in (
        ({"query": "cat"}, "axis_word"), ({"head": "time"}, "axis_word"),
        ({"head": -9}, "out_of_range"), ({"head": 9}, "out_of_range"),
        ({"query": slice(2)}, "axis_index"), ({"query": 1.5}, "axis_index"),
        ({"row": 1}, "unknown_axis"),
    ):  # fmt: skip
        with pytest.raises(GlassformerError) as caught:
            trace.pick(WEIGHTS, **at)
        assert caught.value.key == key


def test_a_batch_is_a_table_of_its_texts(gpt: Any) -> None:
    batch = gpt.run([PROMPT, OTHER], keep=WEIGHTS)
    table = batch.table(WEIGHTS, head=1, query=-1)
    assert repr(batch) == "<Batch: 2 texts of small-gpt, 1 addresses, padded at the right>"
    for at, text in enumerate((PROMPT, OTHER)):
        told = gpt.run(text)
        own = table[table["text"] == at]
        assert own["key_token"].tolist() == list(told.target_tokens)
        assert np.allclose(own["value"], told[WEIGHTS][0, 1, -1], atol=1e-6)


def test_two_texts_are_run_together(tmp_path: Path) -> None:
    whole("bert", tmp_path)
    model = open_model(tmp_path)
    pairs = ["the ___ house\tthe cat", "a dog"]
    batch = model.run(pairs)
    for at, line in enumerate(pairs):
        text, _, other = line.partition("\t")
        told = model.trace(text, text_pair=other)
        found = batch.at(at)
        assert torch.allclose(found["output/logits"], told["output/logits"], atol=1e-5)
        words = ("source_tokens", "segments", "text_pair", "source_text", "output_ids")
        assert all(getattr(found, each) == getattr(told, each) for each in words)


def test_words_of_a_batch_have_ids(gpt: Any, translator: Any) -> None:
    batch = translator.run(SENTENCES, target="猫")
    assert translator.vocabulary[batch.id_of("猫")] == "猫"
    assert gpt.vocabulary[gpt.run([PROMPT]).id_of("time")] == "Ġtime"
    with pytest.raises(GlassformerError, match=re.escape("“zzqqx”")):
        gpt.run([PROMPT]).id_of("zzqqx")
    with pytest.raises(GlassformerError, match="it may be 0 to"):
        batch.row(0, 9)
