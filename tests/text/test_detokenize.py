import pytest

from glassformer.core.text.gazetteer import Filler
from glassformer.core.text.tokenizer import Tokenizer

PENGUIN = Filler("noun", "penguin", "企鹅", "penguins", "只")
OSLO = Filler("name", "Oslo", "奥斯陆")


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ("i have a apple .", "I have an apple."),
        ("i have a book , my friend 's book", "I have a book, my friend's book"),
        ("welcome to beijing !", "Welcome to Beijing!"),
        ("i like <noun1>", "I like penguins"),
        ("i have a <noun1> .", "I have a penguin."),
        ("these <noun1> live in <name1>", "These penguins live in Oslo"),
        ("i have <num1> apple <eos>", "I have 8 apple"),
        ("<noun1> like <name1> . you like <noun1> .", "Penguins like Oslo. You like penguins."),
        ("i like you , !", "I like you!"),
        ("a university , a uninteresting hour", "A university, an uninteresting hour"),
        ("a mri , a fbi , a unit , a one", "A mri, a fbi, a unit, a one"),
    ],
)
def test_english(tokenizer: Tokenizer, pieces: str, text: str) -> None:
    fillers = {"<noun1>": PENGUIN, "<name1>": OSLO, "<num1>": Filler("num", "8", "八")}
    decoded = tokenizer.decode(pieces.split(), fillers, "en")
    assert decoded.text == text
    assert len(decoded.surfaces) == len(pieces.split())


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ("我 爱 机器 学习 .", "我爱机器学习。"),
        ("我 有 一 个 <noun1>", "我有一只企鹅"),
        ("我 有 一 个 小 的 <noun1>", "我有一只小的企鹅"),
        ("我 喜欢 <noun2> 和 <noun3>", "我喜欢Python和Rust"),
        ("我 喜欢 <noun2> <noun3> ?", "我喜欢Python Rust？"),
        ("<zh> 我 <eos>", "我"),
        ("我 爱 你 , ! 你 呢 ?", "我爱你！你呢？"),
    ],
)
def test_chinese(tokenizer: Tokenizer, pieces: str, text: str) -> None:
    fillers = {
        "<noun1>": PENGUIN,
        "<noun2>": Filler.literal("noun", "Python"),
        "<noun3>": Filler.literal("noun", "Rust"),
    }
    assert tokenizer.decode(pieces.split(), fillers, "zh").text == text


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("MRI", "an"),
        ("USA", "a"),
        ("NASA", "a"),
        ("8", "an"),
        ("11", "an"),
        ("110", "a"),
        ("18", "an"),
    ],
)
def test_the_article_before_what_is_spelled_out(
    tokenizer: Tokenizer, word: str, article: str
) -> None:
    fillers = {"<noun1>": Filler.literal("noun", word)}
    assert tokenizer.decode(["i", "have", "a", "<noun1>"], fillers, "en").surfaces[2] == article


def test_a_word_of_its_own_capitals_begins_a_sentence_as_it_is(tokenizer: Tokenizer) -> None:
    for word, begins in (("iPhone", "iPhone"), ("wug", "Wug"), ("a@b.org", "a@b.org")):
        fillers = {"<noun1>": Filler.literal("noun", word)}
        assert tokenizer.decode(["<noun1>", "likes", "you"], fillers, "en").surfaces[0] == begins


def test_specials_and_empty_slots_stay(tokenizer: Tokenizer) -> None:
    decoded = tokenizer.decode(["<en>", "i", "<noun4>", "<eos>"], {}, "en")
    assert decoded.surfaces == ("<en>", "I", "<noun4>", "<eos>")
