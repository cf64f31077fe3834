import pytest

from glassformer.core.corpus.lexicon import (
    comparison_forms,
    past_form,
    plural_form,
    present_participle,
    third_person,
)


@pytest.mark.parametrize(
    ("make", "word", "expected"),
    [
        (plural_form, "cat", "cats"),
        (plural_form, "city", "cities"),
        (plural_form, "boy", "boys"),
        (plural_form, "box", "boxes"),
        (plural_form, "machine learning", "machine learnings"),
        (third_person, "go", "goes"),
        (third_person, "study", "studies"),
        (third_person, "watch", "watches"),
        (past_form, "like", "liked"),
        (past_form, "study", "studied"),
        (past_form, "play", "played"),
        (past_form, "chat", "chatted"),
        (past_form, "visit", "visited"),
        (past_form, "clean", "cleaned"),
        (present_participle, "swim", "swimming"),
        (present_participle, "see", "seeing"),
        (present_participle, "write", "writing"),
        (present_participle, "draw", "drawing"),
        (comparison_forms, "big", ("bigger", "biggest")),
        (comparison_forms, "happy", ("happier", "happiest")),
        (comparison_forms, "nice", ("nicer", "nicest")),
        (comparison_forms, "useful", ("more useful", "most useful")),
        (comparison_forms, "tired", ("more tired", "most tired")),
    ],
)
def test_regular_forms(make, word, expected) -> None:  # type: ignore[no-untyped-def]
    assert make(word) == expected
