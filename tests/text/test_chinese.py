import pytest

from core.text import Tokenizer
from core.text.numbers import figures


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("我爱机器学习", "我 爱 机器 学习"),
        ("我 爱 机器 学习", "我 爱 机器 学习"),
        ("我 爱 机器学习", "我 爱 机器 学习"),
        ("欢迎来到北京。", "欢迎 来 到 北京 ."),
        ("我愛你們", "我 爱 你们"),  # traditional
        ("我有三只猫，两本书！", "我 有 三 只 猫 , 两 本 书 !"),
        ("他昨天在图书馆看了一本书", "他 昨天 在 图书馆 看 了 一 本 书"),
        ("动物没有穿过马路，因为它太累了", "动物 没有 穿过 马路 , 因为 它 太 累 了"),
        ("我和同学一起听和光同尘", "我 和 同学 一起 听 <noun1>"),
        ("我 和 同学 一起 听 和 光同尘", "我 和 同学 一起 听 和 <noun1>"),
        ("王小明喜欢苹果", "<name1> 喜欢 苹果"),
        ("小明喜欢苹果", "小明 喜欢 苹果"),
        ("小王喜欢苹果", "<name1> 喜欢 苹果"),
        ("我有二十五只企鹅", "我 有 <num1> 只 <noun1>"),
        ("我喜欢Python", "我 喜欢 <noun1>"),
        ("《红楼梦》很累", "<noun1> 很 累"),
    ],
)
def test_segmentation(tokenizer: Tokenizer, text: str, pieces: str) -> None:
    assert tokenizer.encode(text, "zh").pieces == (*pieces.split(), "<eos>")


def test_surfaces_keep_traditional_characters(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("我愛你們", "zh").surfaces == ("我", "愛", "你們", "<eos>")


@pytest.mark.parametrize(
    ("numeral", "expected"),
    [
        ("二十五", "25"),
        ("十", "10"),
        ("一百零三", "103"),
        ("一万二千", "12000"),
        ("一九四九", "1949"),
    ],
)
def test_numerals(numeral: str, expected: str) -> None:
    assert figures(numeral) == expected


def test_chinese_numbers_are_figures_in_english(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("我有二十五只猫", "zh")
    decoded = tokenizer.decode(["i", "have", "<num1>", "cats", "."], encoded.fillers, "en")
    assert decoded.text == "I have 25 cats."


def test_a_word_of_the_same_meaning_is_read(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("动物没有穿过街道，因为它太疲惫了", "zh")
    assert encoded.pieces[3] == "马路" and encoded.surfaces[3] == "街道"
    assert encoded.pieces[-3] == "累" and encoded.unknown == ()
    assert tokenizer.encode("I am exhausted", "en").pieces[2] == "tired"
