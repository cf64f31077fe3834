"""The fit of the badge: what it learns, what it never reads."""

import json
import random
from pathlib import Path

import pytest

from glassformer import load_model
from glassformer.core.analysis.confidence import Calibration
from glassformer.core.corpus import load_grammar
from glassformer.core.training import calibrate
from glassformer.core.training.calibrate import Case, fit_badge, fit_calibration, nonsense_sentences
from glassformer.core.training.evaluation.typed import SEALED, SETS, Sentence


def cases(count: int) -> list[Case]:
    """The more undecided, the more often wrong; "noise" tells nothing."""
    rng = random.Random(3)
    found = []
    for index in range(count):
        undecided = rng.random() * 4
        right = rng.random() < 1 / (1 + 2.718 ** (3 * (undecided - 2)))
        features = {"undecided": undecided, "noise": rng.random()}
        found.append(Case(features, right, "typed" if index % 2 else "held out"))
    return found


def test_it_finds_what_matters_and_badges_the_wrong_ones() -> None:
    found = fit_badge(cases(600))
    weights = found.calibration.weights
    assert weights["undecided"] < -2 and abs(weights["noise"]) < 1
    assert found.calibration.intercept == pytest.approx(6, abs=1.5)
    assert found.wrong_badged > 0.8 > 0.4 > found.right_badged


def test_it_is_the_same_every_time() -> None:
    assert fit_badge(cases(80)) == fit_badge(cases(80))


def test_nonsense_has_no_right_translation_and_mixes_what_is_there() -> None:
    given = [
        Sentence("a", "the cat sleeps here", "en-zh", ("猫在这里睡觉",)),
        Sentence("b", "一二三四", "zh-en", ("one two three four",)),
    ]
    made = nonsense_sentences(given, count=40)
    assert made and all(each.accepted == () for each in made)
    english = [each.text.split() for each in made if each.direction == "en-zh"]
    assert any(sorted(words) == sorted("the cat sleeps here".split()) for words in english)
    assert any(words != "the cat sleeps here".split() for words in english)


def test_a_fit_is_written_beside_the_weights_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = [Sentence("a", "I love you.", "en-zh", ("我爱你。",))] * 3
    typed += [Sentence("b", "I have a cat", "en-zh", ("不",))] * 3
    asked = []

    def read(name: str) -> tuple[Sentence, ...]:
        asked.append(name)
        return tuple(typed)

    monkeypatch.setattr(calibrate, "read_sentences", read)
    monkeypatch.setattr(calibrate, "NONSENSE", 4)
    found = fit_calibration(load_model(), load_grammar(), tmp_path, pairs=6)
    assert not set(asked) & set(SEALED)
    assert set(asked) == set(SETS) - set(SEALED)
    written = json.loads((tmp_path / "confidence.json").read_text(encoding="utf-8"))
    assert Calibration.from_dict(written) == found.calibration
