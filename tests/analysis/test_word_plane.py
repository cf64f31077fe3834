"""Which words are drawn, and the plane they lie on."""

import numpy as np
import pytest

from glassformer.core.analysis.training_views import FALLBACK, plane, word_groups, words_to_draw


def test_groups_are_pairs_and_no_word_is_in_two() -> None:
    words = [word for pairs in word_groups().values() for pair in pairs for word in pair]
    assert len(words) == len(set(words))
    assert all(len(pairs) >= 4 for pairs in word_groups().values())


def test_words_of_the_vocabulary_then_those_of_the_sentence() -> None:
    pieces = ("<pad>", "<eos>", "<name1>", "cat", "猫", "street", "eat", "other", "街", ".")
    drawn = words_to_draw(pieces, {"street", "cat", "<eos>", "<name1>", "nowhere", "街", "."})
    assert [(word.piece, word.group, word.language, word.spoken) for word in drawn] == [
        ("cat", "animals", "en", True),
        ("猫", "animals", "zh", False),
        ("eat", "actions", "en", False),
        ("street", "", "en", True),
        ("街", "", "zh", True),
        (".", "", "", True),
    ]
    assert drawn[0].named


def test_a_vocabulary_without_the_groups_draws_its_first_words() -> None:
    pieces = ("<pad>", *(f"w{at}" for at in range(100)))
    drawn = words_to_draw(pieces, {"w1", "w90"})
    assert len(drawn) == FALLBACK + 1
    assert [word.piece for word in drawn if word.spoken] == ["w1", "w90"]


def test_the_plane_keeps_what_differs_most() -> None:
    vectors = np.array([[0, 9, 1], [0, -9, 1], [4, 0, 1], [-4, 0, 1]], dtype=np.float32)
    found = plane(vectors)
    assert found.middle == pytest.approx([0, 0, 1])
    assert found.directions == pytest.approx(np.array([[0, 1, 0], [1, 0, 0]]), abs=1e-6)
    assert found.shares == pytest.approx((162 / 194, 32 / 194))
    assert found.of(np.array([[2, 3, 50]], dtype=np.float32)) == pytest.approx(np.array([[3, 2]]))


def test_one_word_has_a_plane_too() -> None:
    found = plane(np.array([[1, 2, 3]], dtype=np.float32))
    assert found.of(np.array([[1, 2, 3]], dtype=np.float32)) == pytest.approx(np.zeros((1, 2)))
    assert np.isfinite(found.shares).all()
