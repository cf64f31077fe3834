"""What one text may ask for: many sentences are refused before the first is translated."""

from typing import Any

import pytest

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.text.tokenizer import MOST_PIECES, MOST_SENTENCES
from glassformer.core.text_models.translator import Translator


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


def test_a_text_of_many_sentences_is_refused_before_any_is_translated(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "我。" a thousand times is 2,000 characters and was 7 seconds of processor time."""
    decoded: list[object] = []
    first = Translator._decoded

    def counting(self: Translator, *given: Any) -> Any:
        decoded.append(given)
        return first(self, *given)

    monkeypatch.setattr(Translator, "_decoded", counting)
    for text in ("我。" * 1000, "I. " * 600, "Yes! " * (MOST_SENTENCES + 1)):
        for ask in (translator.trace, translator.translate):
            with pytest.raises(GlassformerError) as raised:
                ask(text)
            assert raised.value.key == "too_many_sentences"
            assert raised.value.values["limit"] == MOST_SENTENCES
    assert decoded == []
    assert len(translator.trace("Yes! " * MOST_SENTENCES).further) == MOST_SENTENCES - 1


def test_the_sentences_of_a_text_have_a_bound_together(translator: Translator) -> None:
    sentence = "猫" * 50 + "。"
    assert translator.trace(sentence * 4).further
    with pytest.raises(GlassformerError) as raised:
        translator.trace(sentence * 6)
    assert raised.value.key == "too_many_words"
    assert raised.value.values == {"given": 6 * 51, "sentences": 6, "limit": MOST_PIECES - 6}


def test_a_later_sentence_that_cannot_be_read_refuses_the_text(translator: Translator) -> None:
    with pytest.raises(GlassformerError) as raised:
        translator.trace("I love you. " + "dog " * 512)
    assert raised.value.key == "too_long"
