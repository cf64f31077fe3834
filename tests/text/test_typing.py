"""What people type on the spot: contractions, numbers, names, other languages, pictures."""

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.text.english import expand_word
from glassformer.core.text.gazetteer import name_in_english
from glassformer.core.text.normalize import simplify
from glassformer.core.text.numbers import chinese_numeral, digits_of_numeral, in_both, value_of
from glassformer.core.text.slots import known_stem
from glassformer.core.text.tokenizer import Tokenizer, foreign_language, split_sentences

KNOWN = frozenset(
    "isn't i am you are not do don't would had has is us let let's want to that".split()
)


@pytest.mark.parametrize(
    ("typed", "following", "parts"),
    [
        ("I'm", "", "I=i 'm=am"),
        ("don't", "", "don't=don't"),
        ("DON'T", "", "DON'T=don't"),
        ("dont", "", "dont=don't"),
        ("mustn't", "", "must=must n't=not"),
        ("she'd", "like", "she=she 'd=would"),
        ("she'd", "better", "she=she 'd=had"),
        ("they've", "", "they=they 've=have"),
        ("we'll", "", "we=we 'll=will"),
        ("who's", "that", "who=who 's=is"),
        ("he's", "been", "he=he 's=has"),
        ("Tom's", "sleeping", "Tom=tom 's=is"),
        ("Tom's", "king", "Tom=tom 's='s"),
        ("Tom's", "cat", "Tom=tom 's='s"),
        ("parents'", "house", "parents=parents '='s"),
        ("let's", "go", "let's=let's"),
        ("lets", "go", "lets=let's"),
        ("im", "", "i=i m=am"),
        ("wanna", "", "wan=want na=to"),
        ("ain't", "", "ain't=isn't"),
        ("dunno", "", "du=don't nno=know"),
        ("shes", "", "she=she s=is"),
    ],
)
def test_contractions(typed: str, following: str, parts: str) -> None:
    found = expand_word(typed, following, KNOWN.__contains__)
    assert [f"{surface}={word}" for surface, word in found] == parts.split()
    assert "".join(surface for surface, _ in found) == typed


@pytest.mark.parametrize(
    ("typed", "before", "english", "chinese"),
    [
        ("1,234", "", "1,234", "1,234"),
        ("3.5", "", "3.5", "3.5"),
        ("21st", "", "21st", "第21"),
        ("3:30", "at", "3:30", "3:30"),
        ("3:30 pm", "at", "3:30 pm", "下午3:30"),
        ("9am", "at", "9am", "上午9点"),
        ("1999", "in", "1999", "1999年"),
        ("1999", "", "1999", "1999"),
        ("$5", "", "$5", "5美元"),
        ("二十五", "", "25", "二十五"),
        ("第三", "", "3rd", "第三"),
        ("第十二", "", "12th", "第十二"),
        ("百分之五十", "", "50%", "百分之五十"),
        ("1999年", "", "1999", "1999年"),
        ("三点十五分", "", "3:15", "三点十五分"),
        ("十一点零五", "", "11:05", "十一点零五"),
    ],
)
def test_numbers_in_both_languages(typed: str, before: str, english: str, chinese: str) -> None:
    assert in_both(typed, before) == (english, chinese)


@pytest.mark.parametrize("value", [0, 7, 10, 11, 20, 99, 101, 115, 1005, 2345, 10_005, 250_000])
def test_chinese_numerals_read_back(value: int) -> None:
    assert digits_of_numeral(chinese_numeral(value)) == str(value)


def test_english_numerals_have_a_value() -> None:
    assert value_of("two hundred and five".split()) == 205
    assert value_of("three thousand twenty".split()) == 3020
    assert value_of("seven cats".split()) is None


@pytest.mark.parametrize(
    ("text", "piece", "chinese"),
    [
        ("I have twenty-five cats", "<num1>", "二十五"),
        ("I have two hundred and five cats", "<num1>", "二百零五"),
        ("I have 1,234 cats", "<num1>", "1,234"),
        ("the 3rd book", "<num1>", "第3"),
        ("we are in London at 3:30 pm.", "<num1>", "下午3:30"),
        ("I love a@b.org!", "<noun1>", "a@b.org"),
        ("I love https://x.org/a?b=1.", "<noun1>", "https://x.org/a?b=1"),
        ("I love www.x.org, too", "<noun1>", "www.x.org"),
        ("I like Mr. Smith", "<name1>", "史密斯先生"),
        ("I like Mr. Kowalski", "<name1>", "Kowalski先生"),
        ("I like Doctor Smith", "<name1>", "史密斯医生"),
        ("I like Professor Wang", "<name1>", "王教授"),
        ("I like Mrs Wang", "<name1>", "王太太"),
        ("I like John Smith", "<name1>", "John Smith"),
        ("I LIKE FLURBS", "<noun1>", "FLURBS"),
        ("Flurbs are happy", "<noun1>", "Flurbs"),
        ("I love cats\U0001f355", "<noun1>", "\U0001f355"),
    ],
)
def test_what_fills_a_slot(tokenizer: Tokenizer, text: str, piece: str, chinese: str) -> None:
    encoded = tokenizer.encode(text, "en")
    assert encoded.fillers[piece].chinese == chinese
    assert encoded.pieces.count(piece) == 1


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("I love the cats (and dogs).", "i love the cats , <noun1> ."),
        ("I love the book - my friend", "i love the book , my friend"),
        ('"I love cats," he likes', "i love cats , he likes"),
        ("I love cats \U0001f60a", "i love cats"),
        ("I love \U0001f355", "i love <noun1>"),
        ("machine-learning", "machine learning"),
        ("I LOVE CATS", "i love cats"),
        ("he is not only happy", "he is not only happy"),
        ("he is not happy", "he isn't happy"),
        ("we loved a animals", "<noun1> love a animal"),
        ("aa bb cc dd ee ff love the cat", "<noun1> love the cat"),
        ("aa, bb, cc, dd, ee, ff", "<noun1> , <noun2> , <noun3> , <noun4> , <name1> , <name2>"),
    ],
)
def test_nothing_of_the_rest_is_lost(tokenizer: Tokenizer, text: str, pieces: str) -> None:
    encoded = tokenizer.encode(text, "en")
    assert encoded.pieces == (*pieces.split(), "<eos>")
    typed = "".join(encoded.surfaces[:-1]).replace(" ", "")
    assert all(part in typed for part in text.replace("\U0001f60a", "").split() if part.isalpha())


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("张伟和王小红爱猫", "<name1> 和 <name2> 爱 猫"),
        ("我喜欢卡尔·波普尔", "我 喜欢 <name1>"),
        ("我喜欢 machine learning", "我 喜欢 <noun1>"),
        ("我爱a@b.org", "我 爱 <noun1>"),
        ("我1999年爱猫", "我 <num1> 爱 猫"),
        ("我愛貓\U0001f60a", "我 爱 猫"),
    ],
)
def test_chinese_typing(tokenizer: Tokenizer, text: str, pieces: str) -> None:
    assert tokenizer.encode(text, "zh").pieces == (*pieces.split(), "<eos>")


@pytest.mark.parametrize(
    ("name", "english"),
    [("王小红", "Wang Xiaohong"), ("李老师", "Teacher Li"), ("小王", "Xiao Wang"), ("王㐂", "")],
)
def test_chinese_names_in_latin_letters(name: str, english: str) -> None:
    assert name_in_english(name) == english


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Je t'aime, mais tu ne m'aimes pas.", "français"),
        ("Bonjour", "français"),
        ("Ich liebe dich", "Deutsch"),
        ("Das Wetter ist heute sehr schön.", "Deutsch"),
        ("¿Dónde está la biblioteca?", "español"),
        ("I love you", ""),
        ("It's 7:30 a.m.", ""),
        ("It's 100 m away.", ""),
        ("Leonardo de la Cruz is my friend", ""),
        ("asdf qwer zxcv", ""),
        ("I want to die in Los Angeles", ""),
    ],
)
def test_other_languages_are_recognised(tokenizer: Tokenizer, text: str, language: str) -> None:
    assert foreign_language(text, tokenizer.vocabulary.has_word) == language
    if language:
        with pytest.raises(GlassformerError, match=language) as refusal:
            tokenizer.encode(text, "en")
        assert refusal.value.key == "other_language"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I love you. Do you love me?", ["I love you.", "Do you love me?"]),
        ("我爱你。你爱我吗？", ["我爱你。", "你爱我吗？"]),
        ("Mr. Smith has 3.5 cats. Dr. Wang sleeps", ["Mr. Smith has 3.5 cats.", "Dr. Wang sleeps"]),
        ("See https://x.org/?a=1 now", ["See https://x.org/?a=1 now"]),
        ("He lives in the U.S. with me", ["He lives in the U.S. with me"]),
        ("You and I. We go", ["You and I.", "We go"]),
        ("What?! No...", ["What?!", "No..."]),
        ("!!! Hello", ["!!! Hello"]),
        ("Hello \U0001f60a", ["Hello \U0001f60a"]),
        ("", [""]),
    ],
)
def test_several_sentences(text: str, sentences: list[str]) -> None:
    assert list(split_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("jumping", "jump"),
        ("stopped", "stop"),
        ("loving", "love"),
        ("cries", "cry"),
        ("organise", "organize"),
        ("colour", "color"),
        ("travelled", "traveled"),
        ("grey", "gray"),
        ("messiest", "messy"),
        ("forest", ""),
        ("news", ""),
        ("king", ""),
        ("flurbed", ""),
    ],
)
def test_other_forms_of_a_known_word(word: str, form: str) -> None:
    known = frozenset("jump stop love cry organize color new k traveled gray messy for".split())
    assert known_stem(word, known.__contains__) == form


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("電腦軟體與網際網路", "电脑软体与网际网路"),
        ("請問圖書館在哪裡？", "请问图书馆在哪里？"),
        ("她看著著名的著作", "她看着著名的著作"),
        ("乾隆皇帝喝乾杯", "乾隆皇帝喝干杯"),
        ("飛機飛過臺灣海峽", "飞机飞过台湾海峡"),
        ("鬱鬱蔥蔥", "郁郁葱葱"),
        ("简体字不变", "简体字不变"),
    ],
)
def test_traditional_characters(traditional: str, simplified: str) -> None:
    assert simplify(traditional) == simplified


@pytest.mark.parametrize(
    ("text", "language"),
    [("我喜欢 Python 和 machine learning", "zh"), ("I love 我的家", "en"), ("Tom是学生", "zh")],
)
def test_the_frame_decides_the_language_of_a_mixed_sentence(
    tokenizer: Tokenizer, text: str, language: str
) -> None:
    assert tokenizer.detect(text) == language
