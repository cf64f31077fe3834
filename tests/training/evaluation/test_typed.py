"""Typed sentences, their verdicts, and the badge: numbers that one can do by hand."""

import json
from pathlib import Path

import pytest

from glassformer.core.corpus import DIRECTIONS, load_grammar
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.training.evaluation.held_out import scores, unseen_pairs
from glassformer.core.training.evaluation.passes import Tally, best_tally, both_right, count_true
from glassformer.core.training.evaluation.typed import (
    JUDGEMENTS,
    SENTENCES,
    SETS,
    Answer,
    Sentence,
    answer_rows,
    as_typed,
    calibrate_badge,
    comparable_text,
    judge_translations,
    read_judgements,
    read_sentences,
    to_judge,
)


def judged(right: bool, sure: bool, score: float) -> Answer:
    sentence = Sentence("1", "I have a cat", "en-zh", ())
    return Answer(sentence, "", "accepted" if right else "wrong", "", sure, score)


def test_tallies() -> None:
    assert count_true([True, False, True]).to_dict() == {"right": 2, "total": 3, "rate": 0.6667}
    assert both_right([True, True, True, False, False, False]) == Tally(1, 3)
    named = {"layer 1": Tally(3, 4), "layer 1 head 1": Tally(1, 4), "none": Tally()}
    assert best_tally(named) == ("layer 1", Tally(3, 4))
    assert best_tally(named, "head") == ("layer 1 head 1", Tally(1, 4))
    assert best_tally({}) is None


def test_calibration_by_hand() -> None:
    found = calibrate_badge(
        [
            judged(right=True, sure=True, score=0.95),
            judged(right=True, sure=True, score=1.0),
            judged(right=False, sure=True, score=0.93),
            judged(right=True, sure=False, score=0.35),
            judged(right=False, sure=False, score=0.31),
            judged(right=False, sure=False, score=0.05),
        ]
    )
    assert found is not None
    assert found.wrong_badged == Tally(2, 3)
    assert found.badged_wrong == Tally(2, 3)
    assert found.right_badged == Tally(1, 3)
    assert [(each.low, each.right) for each in found.bins] == [
        (0.0, Tally(0, 1)),
        (0.3, Tally(1, 2)),
        (0.9, Tally(2, 3)),
    ]
    gaps = 1 * 0.05 + 2 * abs(0.5 - 0.33) + 3 * abs(2 / 3 - 2.88 / 3)
    assert found.error == pytest.approx(gaps / 6)
    assert calibrate_badge([]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love you.", "i love  you"),
        ("我爱你。", "我 愛 你"),
        ("Don’t go!", "don't go"),
        ("我是 Tom。", "我是Tom"),
        ("He came, and left.", "He came and left"),
    ],
)
def test_marks_case_and_spaces_do_not_count(one: str, other: str) -> None:
    assert comparable_text(one) == comparable_text(other)


@pytest.mark.parametrize(("one", "other"), [("in to", "into"), ("他们", "它们"), ("a cat", "cats")])
def test_words_count(one: str, other: str) -> None:
    assert comparable_text(one) != comparable_text(other)


def test_verdicts(tmp_path: Path) -> None:
    translator = load_model()
    text = "I have a cat"
    output = translator.translate(text, "en-zh")
    accepted = Sentence("a", text, "en-zh", (f"{output}。",))
    other = Sentence("b", text, "en-zh", ("something else",))
    refused = Sentence("c", "?!", "en-zh", ("？",))
    judgement = {"text": text, "direction": "en-zh", "output": output, "why": "as good"}

    def judged(verdict: str) -> list[Answer]:
        path = tmp_path / "judgements.json"
        path.write_text(json.dumps([{**judgement, "verdict": verdict}]), "utf-8")
        return judge_translations(translator, [accepted, other, refused], read_judgements(tmp_path))

    assert [each.verdict for each in judged("acceptable")] == ["accepted", "acceptable", "wrong"]
    assert [each.right for each in judged("wrong")] == [True, False, False]
    assert judged("wrong")[1].why == "as good"
    assert judged("wrong")[2].output == "" and not judged("wrong")[2].sure
    unjudged = judge_translations(translator, [other], {})
    assert unjudged[0].verdict == "not judged" and not unjudged[0].right
    assert [row["output"] for row in to_judge(unjudged)] == [output]
    assert "output" not in answer_rows(unjudged)[0]
    with pytest.raises(ValueError, match="no verdict"):
        judged("perhaps")


def test_a_set_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read_sentences("open", tmp_path) == ()
    assert read_judgements(tmp_path) == {}


@pytest.mark.parametrize("name", SETS)
def test_the_sets_can_be_read(name: str) -> None:
    found = read_sentences(name)
    assert len({sentence.id for sentence in found}) == len(found) > 0
    # Only numbers are compared, so that a failure does not print a sealed sentence.
    wrong = [s.id for s in found if s.direction not in DIRECTIONS or not all(s.accepted)]
    assert not wrong


def test_judgements_have_reasons_and_are_of_known_sentences() -> None:
    typed = {s.text for name in SETS for s in read_sentences(name)}
    listed = sum(len(json.loads((SENTENCES / name).read_text("utf-8"))) for name in JUDGEMENTS)
    different = len(read_judgements())
    assert different == listed, "one output is judged twice"
    judged = read_judgements().items()
    assert not sum(text not in typed or not why.strip() for (text, _, _), (_, why) in judged)


def test_held_out_pairs_as_somebody_would_type_them() -> None:
    translator = load_model()
    found = as_typed(translator, unseen_pairs(load_grammar(), 60))
    assert found and {sentence.direction for sentence in found} == {"en-zh", "zh-en"}
    for sentence in found:
        assert "<" not in sentence.text and " ." not in sentence.text
        assert len(sentence.accepted) == 1


def test_scores_by_hand() -> None:
    tokenizer = load_model().tokenizer
    sentence = tuple("i have a cat and a dog".split())
    same = scores(tokenizer, [sentence], [sentence], "zh-en")
    assert same["zh-en BLEU"].value == pytest.approx(100)
    assert same["zh-en chrF"].value == pytest.approx(100)
    other = scores(tokenizer, [tuple("you like tea".split())], [sentence], "zh-en")
    assert other["zh-en BLEU"].value < 20
    assert scores(tokenizer, [], [], "zh-en") == {}
