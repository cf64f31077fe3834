"""Which sentences the Training page counts, and that the model card counts more of them."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glassformer.app.pages.training import curves
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import texts_of_language
from glassformer.core.corpus import load_grammar
from glassformer.core.text_models.checkpoints import load_exact_match
from glassformer.core.training.evaluate import QUICK_PAIRS, QUICK_READINGS
from glassformer.core.training.evaluation.held_out import unseen_pairs

CARD = {"en-zh": {"right": 90, "total": 1200}, "zh-en": {"right": 3, "total": 8}}


def folder(place: Path, card: str) -> Path:
    (place / "config.json").write_text("{}", encoding="utf-8")
    (place / "metrics.json").write_text(card, encoding="utf-8")
    return place


def test_what_the_card_counts_is_read_where_there_is_one(tmp_path: Path) -> None:
    place = folder(tmp_path, json.dumps({"exact_match": CARD}))
    assert load_exact_match(place) == {"en-zh": (90, 1200), "zh-en": (3, 8)}
    for damaged in ("{", "[]", '{"exact_match": 3}', '{"exact_match": {"en-zh": {}}}'):
        assert load_exact_match(folder(tmp_path, damaged)) == {}
    (tmp_path / "metrics.json").unlink()
    assert load_exact_match(tmp_path) == {}


def said_in(language: str) -> Any:
    def say(key: str, **values: Any) -> str:
        return (
            texts_of_language(language)[key].format(**values)
            if values
            else texts_of_language(language)[key]
        )

    return say


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_which_sentences_are_counted(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    training: Any = SimpleNamespace(now=SimpleNamespace(model=""), measured=())
    counted = {way: (each["right"], each["total"]) for way, each in CARD.items()}
    monkeypatch.setattr(curves, "say", said_in(language))
    monkeypatch.setattr(curves, "get_exact_match", lambda name: counted)
    said = "".join(curves.sample_sentences(training))
    for figure in (str(QUICK_PAIRS), str(QUICK_READINGS), "1,200", "8", "7.5%", "37.5%"):
        assert figure in said
    assert str(QUICK_PAIRS) in curves.shares_title(training)
    monkeypatch.setattr(curves, "get_exact_match", lambda name: {})
    assert curves.sample_sentences(training) == []  # a model without a card: nothing is said of one
    assert str(QUICK_PAIRS) not in curves.shares_title(training)


def test_the_history_counts_the_first_of_the_pairs_of_the_card() -> None:
    """What the text says of the bundled model."""
    grammar = load_grammar()
    few = unseen_pairs(grammar, QUICK_PAIRS)
    assert unseen_pairs(grammar, QUICK_PAIRS + 50)[:QUICK_PAIRS] == few
    for way, (_, total) in load_exact_match("translator").items():
        assert 0 < sum(way in pair.directions for pair in few) < total, way
