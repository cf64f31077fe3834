"""What holds for any text that anybody may type."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.core.errors import GlassformerError
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import RESERVED, SLOTS, SPECIALS, Vocabulary
from tests.text.conftest import CHINESE, ENGLISH

TOKENIZER = Tokenizer(Vocabulary(dict.fromkeys([*ENGLISH, *CHINESE]), {"i": "I"}, {"我": 9}))
# Written without a space before it; and "not", which makes one word with the word before.
BOUND = {".", ",", "?", "!", "'s", "not"}
NASTY = [
    "<b>x</b>",
    "<s>",
    "</s>",
    "<eos>",
    "<pad>",
    "<name1>",
    "$x$",
    "&lt;",
    "\u202e",
    "{}",
    "\\",
]


@given(st.text(max_size=120), st.sampled_from(["en", "zh"]))
def test_any_text_is_encoded_or_refused(text: str, language: str) -> None:
    try:
        encoded = TOKENIZER.encode(text, language)
    except GlassformerError:
        return
    assert len(encoded.pieces) == len(encoded.ids) == len(encoded.surfaces) <= 64
    assert encoded.pieces.count("<eos>") == 1 and encoded.pieces[-1] == "<eos>"
    assert not set(encoded.pieces) & {"<pad>", "<en>", "<zh>"}
    assert set(encoded.fillers) == set(encoded.pieces) & set(SLOTS)
    decoded = TOKENIZER.decode(encoded.pieces, encoded.fillers, language)
    assert len(decoded.surfaces) == len(encoded.pieces)


@given(st.text(max_size=60))
def test_detect_answers_or_refuses(text: str) -> None:
    try:
        assert TOKENIZER.detect(text) in ("en", "zh")
    except GlassformerError:
        with pytest.raises(GlassformerError):
            TOKENIZER.encode(text, "en")


@given(st.lists(st.sampled_from([w for w in ENGLISH if w not in BOUND]), min_size=1, max_size=20))
def test_english_round_trip(words: list[str]) -> None:
    """Written and read again, known words stay the same pieces."""
    text = TOKENIZER.decode(words, {}, "en").text
    again = TOKENIZER.encode(text, "en").pieces[:-1]
    assert TOKENIZER.decode(again, {}, "en").text == text


@given(st.lists(st.sampled_from(CHINESE), min_size=1, max_size=20))
def test_chinese_round_trip(words: list[str]) -> None:
    text = TOKENIZER.decode(words, {}, "zh").text
    again = TOKENIZER.encode(text, "zh")
    assert "".join(again.surfaces[:-1]) == text
    spaced = TOKENIZER.encode(" ".join(words), "zh")
    assert "".join(spaced.surfaces[:-1]) == text


@pytest.mark.parametrize("word", NASTY)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_special_can_be_typed(word: str, language: str) -> None:
    encoded = TOKENIZER.encode(f"I {word} cats 我", language)
    assert not set(encoded.pieces[:-1]) & set(SPECIALS)
    shown = [s for s in encoded.surfaces if word in s]
    assert shown or not any(character.isalnum() for character in word)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "empty_text"),
        (" \t\n\u3000", "empty_text"),
        ("\u200b\u202e\x07", "empty_text"),
        ("?!... ---", "no_words"),
        ("\U0001f355\U0001f600", "no_words"),
        ("a " * 64, "too_long"),
        ("我" * 70, "too_long"),
        ("x" * 10_000, "too_long"),
        ("Привет, мир", "unknown_script"),
        ("こんにちは世界", "unknown_script"),
        ("مرحبا بالعالم", "unknown_script"),
    ],
)
def test_refusals(text: str, key: str) -> None:
    with pytest.raises(GlassformerError) as refusal:
        TOKENIZER.encode(text, TOKENIZER.detect(text))
    assert refusal.value.key == key


def test_unknown_language() -> None:
    with pytest.raises(GlassformerError, match="knows en, zh"):
        TOKENIZER.encode("Bonjour", "fr")


@pytest.mark.parametrize(
    ("text", "language"),
    [("I love cats", "en"), ("我爱猫", "zh"), ("I live in 北京", "en"), ("我喜欢 Python", "zh")],
)
def test_detect(text: str, language: str) -> None:
    assert TOKENIZER.detect(text) == language


def test_a_hundred_thousand_characters_are_refused_at_once() -> None:
    with pytest.raises(GlassformerError) as refusal:
        TOKENIZER.encode("我爱你 " * 100_000, "zh")
    assert refusal.value.key == "too_long"


def test_save_and_load(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path)
    again = Tokenizer.load(tmp_path).vocabulary
    assert again.pieces == TOKENIZER.vocabulary.pieces
    assert again.spelling == {"i": "I"} and again.counts == {"我": 9}
    assert again.pieces[: len(RESERVED)] == RESERVED
    assert [again.id(piece) for piece in SPECIALS] == [0, 1, 2, 3, 4]
    assert again.id("no such word") == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"pieces": ["a"], "spelling": {}, "counts": {}}']
)
def test_a_damaged_vocabulary(tmp_path: Path, text: str) -> None:
    (tmp_path / "vocabulary.json").write_text(text)
    with pytest.raises(ValueError, match=r".+"):
        Tokenizer.load(tmp_path)


def test_words_of_the_other_language_are_known_as_such() -> None:
    vocabulary = Vocabulary(["cat", "猫", ".", "ai"], {}, {"猫": 3, ".": 5, "ai": 1})
    assert vocabulary.foreign_ids("en") == (vocabulary.id("猫"),)
    assert vocabulary.foreign_ids("zh") == (vocabulary.id("cat"),)
