"""The bundled translator, measured on sentences it has never seen."""

import json
from pathlib import Path

import pytest

from core.checkpoints import load_model
from core.corpus import load_grammar
from core.training.card import write_card
from core.training.evaluate import Metrics, coreference_readings, evaluate
from core.translator import Translator


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def metrics(translator: Translator) -> Metrics:
    return evaluate(translator, load_grammar(), pairs=250, triples=25)


def test_exact_match(metrics: Metrics) -> None:
    assert metrics.exact["en-zh"].rate >= 0.93  # of 250; of 3,000 it is above 0.95
    assert metrics.exact["zh-en"].rate >= 0.90
    assert metrics.coreference.rate >= 0.85
    assert metrics.everyday["en-zh"].rate >= 0.7


def test_the_last_layer_aligns(metrics: Metrics) -> None:
    assert metrics.alignment["en-zh layer 2"].rate > 0.9
    assert metrics.alignment["zh-en layer 2"].rate > 0.9


def test_both_readings_differ_in_one_word() -> None:
    for one, other in coreference_readings(load_grammar(), 5):
        assert one.english[:-1] == other.english[:-1] and one.english != other.english
        assert one.antecedents != other.antecedents and one.chinese != other.chinese


def test_the_card_tells_the_figures(metrics: Metrics, tmp_path: Path) -> None:
    about = {"model": load_model().config.to_dict(), "training": {"steps": 7}}
    (tmp_path / "config.json").write_text(json.dumps(about))
    write_card(tmp_path, metrics)
    card = (tmp_path / "CARD.md").read_text("utf-8")
    assert f"{100 * metrics.exact['en-zh'].rate:.1f} %" in card and "steps 7" in card
    table = json.loads((tmp_path / "metrics.json").read_text("utf-8"))
    assert table["exact_match"]["en-zh"]["total"] == metrics.exact["en-zh"].total


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
