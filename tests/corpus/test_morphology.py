import pytest

from glassformer.core.corpus.lexicon import (
    comparison,
    past,
    plural,
    present_participle,
    third_person,
)


@pytest.mark.parametrize(
    ("make", "word", "expected"),
    [
        (plural, "cat", "cats"),
        (plural, "city", "cities"),
        (plural, "boy", "boys"),
        (plural, "box", "boxes"),
        (plural, "machine learning", "machine learnings"),
        (third_person, "go", "goes"),
        (third_person, "study", "studies"),
        (third_person, "watch", "watches"),
        (past, "like", "liked"),
        (past, "study", "studied"),
        (past, "play", "played"),
        (past, "chat", "chatted"),
        (past, "visit", "visited"),
        (past, "clean", "cleaned"),
        (present_participle, "swim", "swimming"),
        (present_participle, "see", "seeing"),
        (present_participle, "write", "writing"),
        (present_participle, "draw", "drawing"),
        (comparison, "big", ("bigger", "biggest")),
        (comparison, "happy", ("happier", "happiest")),
        (comparison, "nice", ("nicer", "nicest")),
        (comparison, "useful", ("more useful", "most useful")),
        (comparison, "tired", ("more tired", "most tired")),
    ],
)
def test_regular_forms(make, word, expected) -> None:  # type: ignore[no-untyped-def]
    assert make(word) == expected
