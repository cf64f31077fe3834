"""The bundled translator goes out as a Marian model, and says the same words there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import Vocabulary
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluation.typed import SEALED, SETS, read_sentences
from glassformer.core.weights.model_folder import load_weights, look_into_folder
from glassformer.core.weights.opened_model import open_model
from glassformer.core.weights.save import save_marian
from glassformer.core.weights.tokenizers.ours import as_json
from tests.architecture.sources import ROOT
from tests.weights.oracle import transformers
from tests.weights.small_tokenizers import texts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_marian(load_model(), tmp_path_factory.mktemp("marian"))


def sentences(language: str) -> list[str]:
    """What the bundled translator can read of the sentences that are bundled."""
    model, found = load_model(), []
    for text in texts():
        try:
            if model.tokenizer.detect(text) == language:
                model.tokenizer.encode(text, language)
                found.append(text)
        except GlassformerError:
            continue
    return found[:40]


@torch.no_grad()
@pytest.mark.parametrize(("language", "other"), [("en", "zh"), ("zh", "en")])
def test_the_oracle_opens_it_and_writes_the_same_words(
    folder: Path, language: str, other: str
) -> None:
    model = load_model()
    theirs = transformers.MarianMTModel.from_pretrained(folder).eval()
    words = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    checked = 0
    for text in sentences(language):
        trace = model.trace(text, direction=f"{language}-{other}")
        if any(step.guarded is not None for step in trace.steps):
            continue  # the guard against repetition is the app's own
        source = torch.tensor([[words.convert_tokens_to_ids(each) for each in trace.source_pieces]])
        target = torch.tensor([[words.convert_tokens_to_ids(each) for each in trace.target_pieces]])
        logits = theirs(input_ids=source, decoder_input_ids=target).logits
        ours = trace["output/logits"]
        assert (logits - ours).abs().max() <= 1e-5 * ours.abs().max(), text
        forbidden = model.forbidden(trace.source_pieces, other)
        told = theirs.generate(
            source, max_new_tokens=80, num_beams=1, do_sample=False,
            decoder_start_token_id=int(target[0, 0]), bad_words_ids=[[each] for each in forbidden],
        )  # fmt: skip
        assert words.convert_ids_to_tokens(told[0, 1:]) == list(trace.output_pieces), text
        checked += 1
    assert checked >= 15


def test_typed_words_are_read_and_written_without_the_app(folder: Path) -> None:
    text = "I like the big dog, but he didn't like the cat."
    trace = load_model().trace(text)
    theirs = transformers.MarianMTModel.from_pretrained(folder).eval()
    words = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    given = words(text, return_tensors="pt", return_token_type_ids=False)
    assert given.input_ids.tolist() == trace["source/ids"].tolist()
    told = theirs.generate(**given, max_new_tokens=40, num_beams=1, do_sample=False)
    assert words.decode(told[0], skip_special_tokens=True).split() == list(trace.output_pieces[:-1])
    opened = open_model(folder).trace(text)
    assert opened.source_pieces == trace.source_pieces
    assert opened.output_text.split() == list(trace.output_pieces[:-1])


def test_texts_as_typed_are_read_nearly_as_in_the_app_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    """Counted with `transformers`' own reading; the folder and docs/models.md say them."""
    sets = [each for name in SETS if name not in SEALED for each in read_sentences(name)]
    folder = save_marian(load_model(), tmp_path, texts=[each.text for each in sets])
    words, ours = (
        transformers.PreTrainedTokenizerFast.from_pretrained(folder),
        load_model().tokenizer,
    )
    told = [(folder / "README.md").read_text("utf-8"), (ROOT / "docs/models.md").read_text("utf-8")]
    for language, named, most in (("en", "English", 0.05), ("zh", "Chinese", 0.2)):
        own = [each.text for each in sets if each.direction.startswith(language)]
        read = [ours.encode(each, language) for each in own]
        differ = [
            text for text, each in zip(own, read, strict=True)
            if words(text)["input_ids"] != list(each.ids)
        ]  # fmt: skip
        assert len(differ) <= most * len(own), differ
        assert f"{named}: {len(differ)} of {len(own)} sample texts" in told[0]
        assert f"{len(differ)} of {len(own)} {named}" in told[1]
    assert words.tokenize("他们喜欢红苹果。") == ["他们", "喜欢", "红", "苹果", "."]
    assert words.tokenize("I'm tired; she doesn't like it") == (
        ["i", "am", "tired", ",", "she", "doesn't", "like", "it"]
    )


def test_it_comes_back_as_it_was(folder: Path) -> None:
    """Our own reading of the folder gives the same logits in Marian's order of features."""
    model, back = load_model(), load_weights(look_into_folder(folder))
    assert back.config.positions == "halves" and back.config.generator_bias
    trace = model.trace("The cat sleeps", direction="en-zh")
    found = back(trace["source/ids"], trace["target/ids"])
    assert (found - trace["output/logits"]).abs().max() <= 1e-5 * found.abs().max()
    size = sum(each.stat().st_size for each in folder.iterdir())
    assert size < 8 * 2**20


def test_what_marian_has_not_is_refused(tmp_path: Path) -> None:
    ours = load_model()
    config = replace(ours.config, norm_place="pre", positions="learned")
    model = Translator(Transformer(config), ours.tokenizer, "other")
    with pytest.raises(GlassformerError, match="no other norm_place, positions"):
        save_marian(model, tmp_path)


def test_a_small_vocabulary_is_cut_and_read_too() -> None:
    made = as_json(Tokenizer(Vocabulary(["the", "cat", "猫"], {}, {"猫": 3})))
    assert made.encode("The cat, 猫猫。").tokens == [
        "the",
        "cat",
        "<unk>",
        "猫",
        "猫",
        "<unk>",
        "<eos>",
    ]
