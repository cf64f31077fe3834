"""Recurrent writers: their scores by hand, what they write step by step, what they learn."""

import math

import pytest
import torch
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.rnn import (
    END,
    LETTERS,
    LONGEST,
    STEPS,
    TRAINED_TO,
    WAYS,
    Course,
    Way,
    Writer,
    goal,
    read_letters,
    read_plan,
    train_writers,
    write_letters,
)


@pytest.fixture(scope="module")
def course() -> Course:
    return train_writers("copy", 32, 0)


def test_dot_product_is_torchs_own_attention(course: Course) -> None:
    writer = course.writer("dot", STEPS)
    query, states = torch.randn(2, 2, 5, 32, generator=torch.Generator().manual_seed(0))
    mixed = writer.scores(query, states).softmax(dim=-1) @ states
    own = functional.scaled_dot_product_attention(query, states, states, scale=1)
    torch.testing.assert_close(mixed, own)


def test_additive_scores_by_hand(course: Course) -> None:
    writer = course.writer("additive", STEPS)
    query, states = torch.randn(2, 1, 3, 32, generator=torch.Generator().manual_seed(0))
    found = writer.scores(query, states)[0]
    w, u, v = (getattr(writer, name).weight for name in ("of_query", "of_key", "to_score"))
    for row in range(3):
        for column in range(3):
            inside = [math.tanh(each) for each in (w @ query[0, row] + u @ states[0, column])]
            by_hand = sum(a * b for a, b in zip(v[0].tolist(), inside, strict=True))
            assert float(found[row, column]) == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_is_what_one_pass_over_it_makes_likeliest(course: Course, way: Way) -> None:
    letters = "HEADBADGE"
    made = write_letters(course, way, STEPS, letters)
    writer = course.writer(way, STEPS)
    states, last = writer.read(torch.tensor([[LETTERS.index(each) for each in letters]]))
    given = [END, *(LETTERS.index(each) for each in made.text)]
    logits, _, weights = writer.write(torch.tensor([given]), last, states)
    said = logits[0].argmax(dim=-1).tolist()
    assert said[: len(made.text)] == given[1:]
    assert (said[-1] == END) == made.ended
    torch.testing.assert_close(weights[0, : len(made.weights)], made.weights)
    assert made.right == sum(a == b for a, b in zip(made.text, letters, strict=False))
    assert made.parameters == sum(each.numel() for each in writer.parameters())


def test_one_vector_is_too_narrow_for_long_words_and_attention_is_not(course: Course) -> None:
    by_way = {way: write_letters(course, way, STEPS, "BADGE") for way in WAYS}
    assert all(float(each.accuracy[2]) > 0.9 for each in by_way.values())  # short ones are easy
    long = {way: float(each.accuracy[TRAINED_TO - 1]) for way, each in by_way.items()}
    assert long["vector"] < 0.65 < 0.85 < min(long["dot"], long["additive"])
    for way in ("dot", "additive"):
        weights = by_way[way].weights
        assert by_way[way].text == "BADGE"
        assert weights.sum(dim=1).tolist() == pytest.approx([1] * len(weights), abs=1e-5)
        assert weights[:5].argmax(dim=1).tolist() == [*range(5)]  # where it should look
    assert float(by_way["vector"].weights.abs().sum()) == 0


def test_untrained_writers_write_by_chance() -> None:
    untrained = train_writers("reverse", 16, 3, 0)
    for way in WAYS:
        found = write_letters(untrained, way, 0, "ABCDEFGH")
        assert found.accuracy.shape == (LONGEST,)
        assert float(found.accuracy.mean()) < 0.3  # an eighth, by chance
    assert isinstance(untrained.writer("dot", 0), Writer)
    assert goal("ABC", "reverse") == "CBA"


def test_what_is_typed() -> None:
    assert read_letters(" head bag ") == "HEADBAG"
    assert read_plan("copy", "16", "50", "0") == ("copy", 16, 50, 0)
    for letters, key in (("", "shape"), ("A" * 15, "shape"), ("Ä", "choice"), ("A1", "choice")):
        with pytest.raises(GlassformerError) as raised:
            read_letters(letters)
        assert raised.value.key == f"lab_{key}"
    for typed in ({"task": "sort"}, {"width": "24"}, {"steps": "30"}, {"seed": "-1"}):
        with pytest.raises(GlassformerError):
            read_plan(**{"task": "copy", "width": "16", "steps": "50", "seed": "0"} | typed)
