"""Models that know languages by a piece each: which one is read and which one is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import AddedToken, Tokenizer, processors

from glassformer.core.errors import GlassformerError
from glassformer.core.weights.opened_model import OpenedModel, open_model
from glassformer.core.weights.tokenizers.tokens import tokens_of
from tests.weights import small_tokenizers
from tests.weights.oracle import KINDS

CODES = ("eng_Latn", "fra_Latn", "zho_Hans")
TEXT = "the small house"


def several(folder: Path, template: str = "eng_Latn $A </s>", **config: Any) -> Any:
    """A folder as NLLB's: pieces for languages, of which one stands in front of every text."""
    small_tokenizers.unigram(folder)
    path = str(folder / "tokenizer.json")
    made = Tokenizer.from_file(path)
    made.add_special_tokens([AddedToken(each, special=True) for each in CODES])
    marks = [(each, made.token_to_id(each)) for each in ("eng_Latn", "</s>")]
    made.post_processor = processors.TemplateProcessing(single=template, special_tokens=marks)
    made.save(path)
    end = made.token_to_id("</s>")
    names = {"vocab_size": made.get_vocab_size(), "eos_token_id": end}
    return KINDS["m2m100"].make(folder, **{**names, "decoder_start_token_id": end, **config})


def ids(model: OpenedModel, *pieces: str) -> list[int]:
    return [model.tokens.id(each) or -1 for each in pieces]


@torch.no_grad()
def test_what_is_named_is_read_and_written(tmp_path: Path) -> None:
    oracle = several(tmp_path)
    model = open_model(tmp_path)
    plain = model.tokens.ids(TEXT)
    for text, source, target in (
        (TEXT, "eng_Latn", ""), (f">>fra_Latn<< {TEXT}", "eng_Latn", "fra_Latn"),
        (f"zho_Hans>>eng_Latn<<{TEXT}", "zho_Hans", "eng_Latn"),
    ):  # fmt: skip
        trace = model.trace(text)
        first = ids(model, target)[0] if target else None
        given = torch.tensor([[*ids(model, source), *plain[1:]]])
        assert trace["source/ids"].tolist() == given.tolist() and trace.source_text == text
        told = oracle.generate(
            given, max_new_tokens=len(trace.output_ids), do_sample=False, use_cache=False,
            forced_bos_token_id=first, bad_words_ids=[[oracle.config.pad_token_id]],
        )  # fmt: skip
        assert list(trace.output_ids) == told[0, 1:].tolist()
        forced = model.trace(text, "a house")
        assert forced.output_pieces[0] == (target or "eng_Latn")
        assert model.task_of(trace).given == ((first,) if target else ())


def test_a_decoder_may_begin_with_its_language(tmp_path: Path) -> None:
    several(tmp_path, "$A </s> eng_Latn")
    start = open_model(tmp_path).tokens.id("fra_Latn")
    several(tmp_path, "$A </s> eng_Latn", decoder_start_token_id=start)
    model = open_model(tmp_path)
    assert model.trace(TEXT, "a").target_pieces[0] == "fra_Latn"
    trace = model.trace(f">>zho_Hans<< {TEXT}", "a")
    assert (trace.target_pieces[0], trace.source_pieces[-1]) == ("zho_Hans", "eng_Latn")
    assert trace.output_pieces[-1] == "zho_Hans" and model.task_of(trace).given == ()


def test_an_unknown_language_is_said(tmp_path: Path) -> None:
    several(tmp_path)
    model = open_model(tmp_path)
    for text in (f">>fra<< {TEXT}", f"de>>fra_Latn<< {TEXT}"):
        with pytest.raises(GlassformerError, match="eng_Latn, fra_Latn, zho_Hans"):
            model.trace(text)


def test_a_model_of_one_pair_reads_it_as_text(tmp_path: Path) -> None:
    small_tokenizers.unigram(tmp_path)
    tokens = tokens_of(tmp_path)
    assert tokens.language(">>fra<< a") is None and len(tokens.ids(">>fra<< a")) > 3


@pytest.mark.parametrize("name", ["sentencepiece.bpe.model", "spiece.model"])
def test_sentencepiece_alone_is_refused(name: str, tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / "tokenizer.json").rename(tmp_path / name)
    with pytest.raises(GlassformerError, match=f"{name} is not read without tokenizer.json"):
        open_model(tmp_path)
