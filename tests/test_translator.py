"""The public surface on the bundled translator: text in, trace out."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from glassformer import Edit, Trace, load_model
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import longest_run
from glassformer.core.decoding.step import Task
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.vocabulary import RESERVED
from glassformer.core.text_models.translator import Translator

TIRED = "The animal didn't cross the street because it was too tired"
EVERYDAY = Path(__file__).resolve().parents[1] / "assets" / "sentences" / "everyday.json"
CROSS = "decoder/1/cross_attention/weights"


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


def test_the_api_in_ten_lines(translator: Translator) -> None:
    trace = translator.trace("I love machine learning", target=None, edits=())
    assert trace.direction == "en-zh" and trace.output_text
    assert trace.source_tokens[-1] == "<eos>" == trace.output_tokens[-1]
    assert trace.target_tokens[0] == "<zh>"
    assert trace.target_tokens[1:] == trace.output_tokens[:-1]
    weights = trace["encoder/0/self_attention/weights"]
    size = len(trace.source_tokens)
    assert weights.shape == (1, translator.config.n_heads, size, size)
    assert len(trace.table("encoder/0/self_attention/weights", head=0)) == size**2
    assert isinstance(trace, Trace) and next(iter(trace)) == "source/ids"


def test_the_steps_are_the_rows_of_the_recorded_pass(translator: Translator) -> None:
    """Decoding kept keys and values; the pass was recorded in one go: the same numbers."""
    trace = translator.trace(TIRED)
    assert len(trace.steps) == len(trace.output_tokens)
    for row, step in enumerate(trace.steps):
        best = trace.candidates(row, k=3)
        assert best[0].piece == trace.output_pieces[row] == trace.vocabulary[step.chosen]
        listed = [probability for _, probability in step.candidates[:3]]
        assert [candidate.probability for candidate in best] == pytest.approx(listed, abs=1e-5)


def test_teacher_forcing_on_its_own_output_is_the_same_run(translator: Translator) -> None:
    free = translator.trace(TIRED)
    forced = translator.trace(TIRED, target=free.output_text)
    assert forced.steps == () and forced.output_pieces == free.output_pieces
    for address in free:
        torch.testing.assert_close(forced[address], free[address], atol=1e-5, rtol=1e-5)


def test_over_the_budget_the_maps_wait_for_demand(translator: Translator) -> None:
    full, lean = translator.trace(TIRED), translator.trace(TIRED, memory_budget=0)
    assert CROSS in full.tensors and CROSS not in lean.tensors
    torch.testing.assert_close(lean[CROSS], full[CROSS], rtol=1e-5, atol=1e-6)


def test_over_the_budget_an_edited_map_is_what_the_run_used(translator: Translator) -> None:
    def uniform(weights: Tensor) -> Tensor:
        return torch.full_like(weights, 1 / weights.size(-1))

    trace = translator.trace(TIRED, edits=[Edit(CROSS, uniform)], memory_budget=0)
    assert trace[CROSS].unique().numel() == 1
    context, v = trace["decoder/1/cross_attention/context"], trace["decoder/1/cross_attention/v"]
    torch.testing.assert_close(context, v.mean(2, keepdim=True).expand_as(context))


def test_edits_reach_decoding_and_are_named(translator: Translator) -> None:
    plain = translator.trace(TIRED)
    first = plain.output_pieces[0]

    def forbid(logits: Tensor) -> Tensor:
        logits[..., plain.vocabulary.index(first)] = -1e9
        return logits

    trace = translator.trace(TIRED, edits=[Edit("output/logits", forbid, name="no first word")])
    assert first not in trace.output_pieces
    assert trace.edits == ("no first word",)
    assert translator.trace(TIRED).output_text == plain.output_text  # the model is as it was


@pytest.mark.parametrize("seed", range(3))
def test_a_slot_that_the_source_lacks_is_never_written(translator: Translator, seed: int) -> None:
    """Even where the model, here with its logits turned over, wants nothing else."""
    slot = translator.tokenizer.vocabulary.id(f"<noun{seed + 1}>")

    def prefer_slots(logits: Tensor) -> Tensor:
        logits[..., slot] = 100.0
        return logits

    trace = translator.trace("I have a cat", edits=[Edit("output/logits", prefer_slots)])
    assert not [piece for piece in trace.output_pieces if piece.startswith("<noun")]
    copied = translator.trace("I have a wug", direction="en-zh")
    assert "wug" in copied.output_text


def test_the_guard_changes_only_what_circles(translator: Translator) -> None:
    texts = [row["text"] for row in json.loads(EVERYDAY.read_text(encoding="utf-8"))]
    for text in texts[::3]:
        trace = translator.trace(text)
        source = trace.tensors["source/ids"][0].tolist()
        start = trace.vocabulary.index(trace.target_pieces[0])
        never = {i for i, piece in enumerate(trace.vocabulary) if _never(piece, trace)}
        task = Task(tuple(source), start, 2, 2 * len(source) + 12, frozenset(never))
        free = greedy(translator.transformer, task)
        if all(step.guarded is None for step in trace.steps):
            assert free == trace.steps
        else:
            assert longest_run(step.chosen for step in free)[1] > 1


def _never(piece: str, trace: Trace) -> bool:
    """A special, a slot that the source lacks, a word of the other language."""
    if piece in RESERVED:
        return piece != "<eos>" and piece not in trace.source_pieces
    chinese = any("\u4e00" <= character <= "\u9fff" for character in piece)
    latin = piece.isascii() and any(map(str.isalpha, piece))
    return latin if trace.direction == "en-zh" else chinese


@pytest.mark.parametrize("text", ["asdf qwer the of cat blah the of", "very " * 20, "猫 猫 猫 狗"])
def test_gibberish_does_not_loop(translator: Translator, text: str) -> None:
    trace = translator.trace(text)
    source, output = longest_run(trace.source_pieces), longest_run(trace.output_pieces)
    assert output[1] <= max(2, source[1])


def test_several_sentences_are_translated_one_by_one(translator: Translator) -> None:
    trace = translator.trace("I love you. I have a cat! 😊")
    assert trace.source_tokens == ("I", "love", "you", ".", "<eos>")
    assert trace.output_text == translator.translate("I love you.")
    assert trace.further == (translator.translate("I have a cat!"),)
    assert trace.full_text == translator.translate("I love you. I have a cat!")
    assert translator.trace("I love you. Bye", target="我爱你").further == ()


def test_a_word_of_the_other_language_is_never_written(translator: Translator) -> None:
    chinese = translator.tokenizer.vocabulary.id("我")

    def prefer(logits: Tensor) -> Tensor:
        logits[..., chinese] = 100.0
        return logits

    trace = translator.trace("我有一只猫", edits=[Edit("output/logits", prefer)])
    assert "我" not in trace.output_pieces and trace.steps[0].candidates[0][0] == chinese


def test_both_directions_and_detection(translator: Translator) -> None:
    assert translator.trace("我 爱 机器 学习").direction == "zh-en"
    assert translator.trace("I have a cat", direction="en-zh").direction == "en-zh"
    assert translator.translate("I have a cat") == translator.trace("I have a cat").output_text
    with pytest.raises(GlassformerError, match="en-fr is not a direction"):
        translator.trace("I have a cat", direction="en-fr")  # type: ignore[arg-type]


def test_training_mode_records_what_was_dropped(translator: Translator) -> None:
    config = replace(translator.config, dropout=0.1)  # the bundled model was trained without
    model = Transformer(config)
    model.load_state_dict(translator.transformer.state_dict())
    dropping = Translator(model, translator.tokenizer, "dropping")
    once, again = (dropping.trace(TIRED, dropout_seed=3) for _ in range(2))
    assert "encoder/0/self_attention/kept" in once.tensors
    assert torch.equal(once["output/logits"], again["output/logits"])
    assert not torch.equal(once["output/logits"], translator.trace(TIRED)["output/logits"])


def test_a_saved_run_reopens(translator: Translator, tmp_path: object) -> None:
    trace = translator.trace("欢迎来到北京")
    path = f"{tmp_path}/run.safetensors"
    trace.save(path)
    again = Trace.load(path)
    assert again.output_text == trace.output_text and again.steps == trace.steps
    assert torch.equal(again["memory"], trace["memory"])


def test_threads_get_their_own_runs(translator: Translator) -> None:
    sentences = [TIRED, "I have a cat", "I like you", "I love machine learning"]
    expected = {text: translator.trace(text)["memory"] for text in sentences}
    wrong: list[str] = []

    def visit(text: str) -> None:
        for _ in range(5):
            if not torch.allclose(translator.trace(text)["memory"], expected[text], atol=1e-5):
                wrong.append(text)

    threads = [threading.Thread(target=visit, args=(text,)) for text in sentences]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b>",
        "<s> </s> <eos> <pad> <zh>",
        "$x$ &lt; %s {0}",
        "🦊🦊 likes 苹果",
        "!!! ???",
        "和 和 和",
        "I\u200b lo\u202eve \x07you",
        "i " * 40,
    ],
)
def test_odd_text_translates_or_is_refused(translator: Translator, text: str) -> None:
    """And whatever the user typed never becomes one of the model's own signs."""
    try:
        trace = translator.trace(text)
    except GlassformerError:
        return
    specials = {"<pad>", "<eos>", "<en>", "<zh>"}
    assert not specials & set(trace.source_pieces[:-1])
    assert len(trace.source_tokens) == len(trace.source_pieces) == trace["memory"].shape[1]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b\u200e", "word " * 2000])
def test_nothing_and_too_much_are_refused(translator: Translator, text: str) -> None:
    with pytest.raises(GlassformerError):
        translator.trace(text)
