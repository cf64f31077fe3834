import pytest

from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.tokens import paraphrases
from glassformer.core.text.vocabulary import Vocabulary, synonyms

WORDS = """i you he she it is am are was isn't wasn't not a an few questions have dog friendly
play plays with us . ? like likes don't cats wait be careful suddenly too now can't come the music
他 她 很 不 大方 在 医院 了 有 多 人 小 气球 书 里 很多 我 其实 啊 ,""".split()


@pytest.fixture(scope="module")
def reader() -> Tokenizer:
    chinese = {word: 20 for word in WORDS if not word.isascii()}
    return Tokenizer(Vocabulary(dict.fromkeys(WORDS), {"i": "I"}, chinese))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("He hangs out with us.", "he plays with us ."),
        ("I have a couple of questions.", "i have a few questions ."),
        ("Hold on.", "wait ."),
        ("All of a sudden he is with us.", "suddenly he is with us ."),
        ("I'm fond of cats.", "i like cats ."),
        ("I'm not keen on cats.", "i don't like cats ."),
        ("He is unable to come.", "he can't come ."),
        ("It is very unfriendly.", "it isn't friendly ."),
        ("She was unfriendly.", "she wasn't friendly ."),
        ("an unfriendly dog", "a <noun1> dog"),  # nothing to say "not" to
        ("She isn't unfriendly.", "she isn't <noun1> ."),
    ],
)
def test_english_is_read_in_other_words(reader: Tokenizer, text: str, pieces: str) -> None:
    assert " ".join(reader.encode(text, "en").pieces[:-1]) == pieces


@pytest.mark.parametrize(
    ("text", "pieces", "surfaces"),
    [
        ("他很小气", "他 不 大方", "他 很 小气"),
        ("他小气", "他 不 大方", "他 小 气"),
        ("他住院了", "他 在 医院 了", "他 住 院 了"),
        ("医院里人山人海", "医院 里 有 很多 人", "医院 里 人 山 人海"),
        ("小气球", "小 气球", "小 气球"),
        ("哇,他在医院", "<name1> , 他 在 医院", "哇 , 他 在 医院"),  # an exclamation
        ("他很大方哇", "他 很 大方 啊", "他 很 大方 哇"),  # a particle
    ],
)
def test_chinese_is_read_in_other_words(
    reader: Tokenizer, text: str, pieces: str, surfaces: str
) -> None:
    encoded = reader.encode(text, "zh")
    assert " ".join(encoded.pieces[:-1]) == pieces
    assert "".join(encoded.surfaces[:-1]) == text and len(encoded.surfaces) == len(encoded.pieces)
    assert " ".join(encoded.surfaces[:-1]) == surfaces


def test_words_that_the_vocabulary_lacks_are_not_read(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("I hang out.", "en").pieces[0] == "i"
    assert "play" not in tokenizer.encode("I hang out.", "en").pieces


def test_nothing_is_listed_twice() -> None:
    for table in ("en", "not", "zh"):
        assert not {typed for typed in paraphrases(table) if " " not in typed} & set(
            synonyms("en", "zh")
        )
