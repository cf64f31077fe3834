import pytest

from glassformer.core.text.numbers import digits_of_numeral
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import Vocabulary


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
        ("陈静在图书馆", "<name1> 在 图书馆"),  # not a name of three characters
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
    assert digits_of_numeral(numeral) == expected


def test_chinese_numbers_are_figures_in_english(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("我有二十五只猫", "zh")
    decoded = tokenizer.decode(["i", "have", "<num1>", "cats", "."], encoded.fillers, "en")
    assert decoded.text == "I have 25 cats."


def test_a_word_of_the_same_meaning_is_read(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("动物没有穿过街道，因为它太疲惫了", "zh")
    assert encoded.pieces[3] == "马路" and encoded.surfaces[3] == "街道"
    assert encoded.pieces[-3] == "累" and encoded.unknown == ()
    assert tokenizer.encode("I am exhausted", "en").pieces[2] == "tired"


FORMS = """我 你 他 喜欢 知道 不 没 了 过 的 得 洗澡 见面 一点 有点 这里
玩 洗 看 找 到 见 不见 不到 跑
快 很 很快 最 最好 好 书 要 不要 第 页 七
点 十 分钟 非常 等 年 号 抽烟 看见 吗 来自 是 先生 在 走路 说 的话 话 还 还是
星期一 星期天 星期 下周 这周 上 下 个 一起 一下 看看 看书 好吃 吃 别 别的 几 天 才 什么 干
这 打扫 高兴 我们 吧 今天 去 没有 笑 月 五月 第一 很多 学 学会 机器人 出生 回家 带 回 家 一 人 像
一样 画 茶 事 有点 有 你好 跳 跳过""".split()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("你喜不喜欢他", "你 喜欢 不 喜欢 他"),
        ("你知不知道", "你 知道 不 知道"),
        ("我洗了澡", "我 洗澡 了"),
        ("我見過面", "我 见面 过"),
        ("一点儿", "一点"),
        ("他在这儿", "他 在 这里"),
        ("我看不见", "我 看 不 见"),
        ("书不见了", "书 不见 了"),
        ("找不到书", "找 不 到 书"),
        ("要不要书", "要 不 要 书"),
        ("他跑得很快", "他 跑 得 很 快"),
        ("最好的书", "最 好 的 书"),
        ("你最好看书", "你 最好 看书"),
        ("第二十页", "第 <num1> 页"),
        ("等十分钟", "等 十 分钟"),
        ("7点", "七 点"),
        ("你说的话", "你 说 的 话"),
        ("要书还是分钟", "要 书 还 是 分钟"),
        ("他还是喜欢你", "他 还是 喜欢 你"),
        ("你要书的话", "你 要 书 的话"),
        ("十点十分见", "<num1> 见"),
        ("7点05分在", "<num1> 在"),
        ("2024年", "<num1> 年"),
        ("张先生在吗", "<name1> 在 吗"),
        ("我来自保加利亚", "我 来自 <name1>"),
        ("是奥巴马", "是 <name1>"),
        ("下个星期天见", "下 个 星期天 见"),
        ("下周日见", "下 星期天 见"),
        ("这周一见", "这 星期一 见"),
        ("周一一起去", "星期一 一起 去"),
        ("礼拜天有书吗", "星期天 有 书 吗"),
        ("8点5分见", "<num1> 见"),
        ("5月3日", "五月 <num1> 号"),
        ("第一页", "第一 页"),
        ("去看看书", "去 看看 书"),
        ("等一等", "等 一下"),
        ("打扫打扫", "打扫 一下"),
        ("非常非常好", "非常 好"),
        ("高高兴兴的", "高兴 的"),
        ("他笑了笑", "他 笑 了 一下"),
        ("洗了个澡", "洗澡 了"),
        ("最好吃的书", "最 好吃 的 书"),
        ("别的书", "别的 书"),
        ("两三天", "几 天"),
        ("三天才到家", "<num1> 天 才 到 家"),
        ("你在干嘛", "你 在 干 什么"),
        ("出生于五月", "出生 在 五月"),
        ("机器人学会了", "机器人 学会 了"),
        ("学了很多", "学 了 很多"),
        ("今天还是很好", "今天 还是 很 好"),
        ("是你还是他", "是 你 还 是 他"),
        ("八十分钟", "<num1> 分钟"),
        ("我们还是看书吧", "我们 还 是 看书 吧"),
        ("你好吗", "你 好 吗"),
        ("把书带回家", "<noun1> 书 带 回 家"),
        ("有点事", "有 点 事"),
        ("没有跳过", "没有 跳 过"),
    ],
)
def test_words_that_chinese_takes_apart(text: str, pieces: str) -> None:
    counts = dict.fromkeys(FORMS, 100) | {"非常": 1000}
    found = Tokenizer(Vocabulary(FORMS, {}, counts)).encode(text, "zh")
    assert found.pieces == (*pieces.split(), "<eos>")
    assert "".join(found.surfaces[:-1]) == text


def test_an_address_beside_chinese_is_no_english_word() -> None:
    assert Tokenizer(Vocabulary(FORMS, {}, {})).detect("请看https://x.org") == "zh"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("能打个折吗", "能 打折 吗"),
        ("他请个假", "他 请假"),
        ("他有个假期", "他 有 个 假期"),
        ("我吃面", "我 吃 面条"),
        ("我吃一碗面", "我 吃 一 碗 面条"),
        ("有空房间吗", "有 空 房间 吗"),
        ("他有空吗", "他 有空 吗"),
    ],
)
def test_a_little_word_inside_and_what_is_free(text: str, pieces: str) -> None:
    words = "能 打折 打 个 吗 他 请假 请 假 假期 有 我 吃 面 面条 一 碗 空 房间 有空".split()
    small = Tokenizer(Vocabulary(words, {}, dict.fromkeys(words, 10)))
    assert " ".join(small.encode(text, "zh").pieces[:-1]) == pieces
