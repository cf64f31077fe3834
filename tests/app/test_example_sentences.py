"""What the menu of examples says of its sentences is what the bundled models do."""

import pytest

from glassformer.app.frame.sentence import ExampleSentence, example_sentences
from glassformer.app.words import say
from glassformer.core.text_models.checkpoints import list_models, load_model

LOOKS = 0.5  # of a row's weight: from here on a head may be said to look there


def example(name: str) -> ExampleSentence:
    (found,) = [each for each in example_sentences() if each.id == name]
    return found


@pytest.mark.parametrize(("model", "looks"), [("translator", True), ("translator-plain", False)])
def test_a_taught_head_shows_what_the_pronoun_of_the_apples_stands_for(
    model: str, looks: bool
) -> None:
    trace = load_model(model).trace(example("apples").text)
    query, key = (trace.source_tokens.index(word) for word in ("它", "苹果"))
    most = max(
        float(trace[f"encoder/{layer}/self_attention/weights"][0, :, query, key].max())
        for layer in range(trace.config.encoder_layers)
    )
    assert (most > LOOKS) is looks  # measured: 0.99 and 0.11
    assert "a taught head" in say("sentences.apples", "en")
    assert "教过的头" in say("sentences.apples", "zh")


@pytest.mark.parametrize("model", list_models())
@pytest.mark.parametrize("name, noun", [("tired", "动物"), ("wide", "马路")])
def test_the_translation_says_what_the_pronoun_stands_for(model: str, name: str, noun: str) -> None:
    after = load_model(model).translate(example(name).text).partition("因为")[2]
    assert noun in after
