"""The bundled translator, measured on sentences it has never seen."""

from collections.abc import Iterator

import pytest

from glassformer.core.corpus import load_grammar
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.training import evaluate
from glassformer.core.training.evaluate import Metrics, evaluate_translator, quick_metrics
from glassformer.core.training.evaluation.attention import Part
from glassformer.core.training.evaluation.interventions import turn_name
from glassformer.core.training.evaluation.passes import best_tally
from glassformer.core.training.evaluation.typed import by_direction

READINGS = 15


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def metrics(translator: Translator) -> Iterator[Metrics]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluate, "PROBED", 20)  # the whole is translated once without each head
        yield evaluate_translator(
            translator, load_grammar(), pairs=60, readings=READINGS, sets=["everyday"]
        )


def test_exact_match(metrics: Metrics) -> None:
    assert metrics.written.exact["en-zh"].rate >= 0.90
    assert metrics.written.exact["zh-en"].rate >= 0.90
    assert metrics.coreference.total == READINGS and metrics.coreference.rate >= 0.85
    assert by_direction(metrics.typed["everyday"])["en-zh"].rate >= 0.7


def test_scores_are_those_of_good_translations(metrics: Metrics) -> None:
    for name in ("en-zh BLEU", "zh-en BLEU", "en-zh chrF", "zh-en chrF"):
        assert 90 < metrics.written.scores[name].value <= 100
    assert "tok:zh" in metrics.written.scores["en-zh BLEU"].signature


def test_cross_attention_aligns(metrics: Metrics) -> None:
    for looks in metrics.alignment.values():
        found = best_tally(looks)
        assert found is not None and found[1].rate > 0.8


def test_turning_the_last_layer_turns_the_noun(metrics: Metrics, translator: Translator) -> None:
    assert metrics.resolved.rate > 0.9
    last = Part(f"decoder/{translator.config.decoder_layers - 1}/cross_attention", None)
    assert metrics.flips[turn_name(last)].rate > 0.9


def test_every_head_is_knocked_out(metrics: Metrics, translator: Translator) -> None:
    config = translator.config
    stacks = config.encoder_layers + 2 * config.decoder_layers
    assert len(metrics.knock_outs) == 1 + stacks * (1 + config.n_heads)
    unchanged = metrics.knock_outs["nothing"]["unchanged"]
    assert unchanged.coreference == metrics.coreference
    last = f"decoder cross-attention layer {config.decoder_layers}"
    assert metrics.knock_outs[last]["zeroed"].exact["en-zh"].rate < 0.2  # it reads the source


def test_quick_metrics_are_the_same_figures(metrics: Metrics, translator: Translator) -> None:
    quick = quick_metrics(translator, load_grammar(), pairs=60, readings=READINGS)
    assert quick.keys() == {
        "loss",
        "exact_en_zh",
        "exact_zh_en",
        "coreference",
        "alignment",
        "antecedent",
        "antecedent_zh",
    }
    decoded = metrics.written.exact["en-zh"].rate
    # The guard against circles is not asked.
    assert decoded - 0.01 < quick["exact_en_zh"] <= decoded
    assert quick["coreference"] == metrics.coreference.rate
    assert 0 < quick["loss"] < 0.5
    found = best_tally(metrics.antecedent["en-zh"])
    assert found is not None and quick["antecedent"] == found[1].rate
    assert quick["antecedent_zh"] > 0.9


def test_measuring_leaves_the_model_as_it_is(metrics: Metrics, translator: Translator) -> None:
    del metrics  # the measuring is done
    text = "The animal didn't cross the street because it was too tired"
    assert translator.translate(text) == load_model().translate(text)


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        (
            "The animal didn't cross the street because it was too tired",
            "动物没有穿过马路，因为动物太累了",
        ),
        (
            "The animal didn't cross the street because it was too wide",
            "动物没有穿过马路，因为马路太宽了",
        ),
        ("I love machine learning", "我爱机器学习"),
        ("我 爱 机器 学习", "I love machine learning"),
        ("欢迎 来 到 北京", "Welcome to Beijing"),
        ("欢迎 来 到 上海", "Welcome to Shanghai"),
        ("I have a cat", "我有一只猫"),
        ("I like you", "我喜欢你"),
        ("他 买 了 苹果 , 因为 喜欢 它 的 味道", "He bought the apple because he likes its taste"),
        ("Kowalski bought three penguins in Hong Kong.", "Kowalski在香港买了三只企鹅。"),
    ],
)
def test_the_sentences_of_the_lectures(translator: Translator, text: str, translation: str) -> None:
    assert translator.translate(text) == translation
