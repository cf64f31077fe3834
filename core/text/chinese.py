"""Splitting typed Chinese into words: the cheapest way to cover it with known words.

Every word costs −ln of its frequency; a word of the gazetteer, a personal name, a number and an
unknown run cost fixed amounts. Dynamic programming finds the cheapest cover. Spaces, where
somebody typed them, are word boundaries; so are some places whatever the words cost.
"""

import re
from dataclasses import dataclass

from glassformer.core.text.english import ADDRESS, MARKS
from glassformer.core.text.forms import NUMERALS, separate_words, whole_forms
from glassformer.core.text.gazetteer import ENGLISH, GIVEN, Gazetteer
from glassformer.core.text.normalize import HAN, simplify
from glassformer.core.text.numbers import CLOCK_ZH
from glassformer.core.text.tokens import (
    Token,
    known_words_meaning,
    reword_tokens,
    single_marks,
    without_faces,
)
from glassformer.core.text.vocabulary import Vocabulary

WEEKDAY = re.compile(  # 周五, but neither 下周|天气 nor 每周|一次; 星期一|起床, but 星期|一起
    "(?P<week>星期|礼拜|(?<![一两三四五六七八九十几])周)[一二三四五六日天]"
    "(?!(?<=一)(?:起(?![床得晚早])|[些样直边定])|(?<=[一两三])[次个]|(?<=天)[气空]|(?<=日)[语本文])"
)
WHICH = frozenset("上下这本每")  # 周
STOP = re.compile(  # 三天|才到, 机器人|学会, 学|科学, 会议|会, 连不上|网, 没有跳|过, 看|到三点
    "(?<=[昨今明前后每几半一二两三四五六七八九十]天)(?=才)|(?<=机器人)(?=学[会习])"
    "|(?<=[^大同]学)(?=科学)|(?<=会议)(?=会)|(?<=推迟)(?=到)|(?<=打开)(?=门)|(?<=离)(?=开会)"
    "|(?<=差十)(?=分)|(?<=看)(?=到[一二两三四五六七八九十]{1,3}点)"
    "|(?<=有)(?=空(?:房|位|座|车|床|瓶|盒|教室))"
    "|(?<=连[不得]上)(?=网)|(?<=没跳)(?=过)|(?<=没有跳)(?=过)"
)
# Inside a number: 一百|度 has no 百度 in it, and 七十|分 no 十分.
BOND = re.compile("(?<=[一二两三四五六七八九])(?=[百千万])|(?<=[二三四五六七八九])(?=十)")
LONGEST = 12  # characters of a word
GAZETTEER_COST, NUMBER_COST = 9.0, 9.0
NAME_COST, TITLED_COST, RARE_NAME_COST = (
    30.0,
    12.0,
    45.0,
)  # 王小红, 张先生, one with rare characters
WORD_COST = 1.0  # of each word: 不过 rather than 不 and 过
SYNONYM_COST = 3.0  # 十 分钟, not 十分 钟
SOUND_COST, SOUND_CHARACTER_COST = 12.0, 8.0  # of a foreign name: 奥巴马
DOTTED_COST, DOTTED_CHARACTER_COST = 10.0, 8.0  # dearer than the known words in front of it
UNKNOWN_COST, UNKNOWN_CHARACTER_COST = 15.0, 12.0  # dearer than any known word
TORN_COST = 50.0  # of a cut through 星期五
NEVER_IN_NAMES = frozenset("的了着过是有在不没很太真都也要会能就和跟给把被对从到去来住叫姓吗呢吧啊")
GRAMMATICAL = frozenset("的了着过是不没吗吧得")  # hardly ever inside an unknown word
GRAMMATICAL_COST = 12.0
SOUNDS = frozenset(
    "阿埃艾奥安昂巴贝比波伯布查达德迪多顿尔法菲费弗夫冈戈格根哈赫霍基加吉卡科克拉莱勒里利林卢鲁伦罗洛马曼梅"
    "蒙米密莫姆穆纳奈内尼诺帕佩皮普奇乔切萨塞桑斯什苏塔泰特汀托瓦维温沃乌西希谢亚扬伊因尤约泽扎兹朱坦保"
)
HERE = {"这儿": "这里", "那儿": "那里"}
FAMILIAR = frozenset("小老阿")  # 小王, 老李: a surname among friends
DOTTED = re.compile(rf"[{HAN}]{{1,5}}(?:·[{HAN}]{{1,5}})+")  # 艾伦·图灵
YEAR = r"\d{4}年"
CLOCK = r"\d{1,2}点\d{1,2}(?:分(?!钟))?"
RUN = re.compile(
    rf"《[^》]+》|(?:{ADDRESS.pattern})|[{HAN}]+(?:·[{HAN}]+)*|{YEAR}|{CLOCK}|\d+(?:[.,:]\d+)*%?"
    rf"|&#?\w+;|[.,?!;:]|[^\s{HAN}.,?!;:《》]+",
    re.ASCII,
)


def breaks_behind_days(run: str) -> set[int]:
    """Places that no word reaches across: behind a day of the week, and those of `STOP`.

    Args:
        run: Chinese characters, simplified.

    Returns:
        Places between characters, counted from 0: n lies behind n characters.
    """
    return {found.end() for found in [*WEEKDAY.finditer(run), *STOP.finditer(run)]}


def places_inside_words(run: str) -> set[int]:
    """Places inside a word or a number: 星期·五, but 下周|五 may be two words.

    Args:
        run: Chinese characters, simplified.

    Returns:
        Places between characters, counted from 0: n lies behind n characters.
    """
    days = (
        found.end() - 1
        for found in WEEKDAY.finditer(run)
        if found["week"] != "周" or run[: found.start()][-1:] not in WHICH
    )
    return {*days, *(found.end() for found in BOND.finditer(run))}


@dataclass(frozen=True)
class Cover:
    """The cheapest cover of the text up to here, and its last word."""

    cost: float
    start: int
    kind: str


def split_chinese(text: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[Token]:
    """Tokens of normalised Chinese text, segmented or not.

    Of all covers of a run by words the cheapest is taken, found by dynamic programming.

    Args:
        text: normalised, in simplified or traditional characters.
        vocabulary: says which words are known and how frequent they are.
        gazetteer: names and nouns beyond the vocabulary.

    Returns:
        The tokens; each surface is what was typed, the word simplified and as the model knows it.
    """
    chunks = text.split(" ")
    spaced = len(chunks) > 2 and sum(map(len, chunks)) <= 3 * len(chunks)
    tokens: list[Token] = []
    for chunk in chunks:
        for match in RUN.finditer(chunk):
            tokens.extend(_run(match[0], spaced and match[0] == chunk, vocabulary, gazetteer))
    whole = separate_words(whole_forms(tokens, vocabulary.has_word), vocabulary.has_word)
    return without_faces(single_marks(reword_tokens(whole, "zh", vocabulary.has_word)))


def _run(run: str, whole: bool, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[Token]:
    """The words of one run of characters; `whole`: it stood between spaces in spaced text."""
    if run in MARKS:
        return [Token(run, MARKS[run], "mark")]
    if run[0].isdigit():
        if run[-1] == "年" and vocabulary.has_word("年"):
            return [Token(run[:-1], run[:-1], "number"), Token("年", "年")]
        return [Token(run, run, "number")]
    if run[0] == "《":
        return [Token(run, simplify(run[1:-1]), "title")]
    if not re.match(f"[{HAN}]", run):
        kind = "word" if vocabulary.counts.get(run.lower()) else "odd"  # Chinese has it: softmax
        written = re.search(r"\w", run) or not run.isascii()
        return [Token(run, run.lower(), kind)] if written else []
    words = _cheapest(simplify(run), vocabulary, gazetteer)
    if whole and any(kind == "unknown" for _, _, kind in words):
        words = [(0, len(run), "unknown")]
    return [Token(run[i:j], _word(simplify(run[i:j]), vocabulary), kind) for i, j, kind in words]


def _word(typed: str, vocabulary: Vocabulary) -> str:
    """What a word is looked up by: 一点儿 is 一点, 这儿 is 这里, 高高兴兴 is 高兴."""
    if len(typed) == 4 and typed[::2] == typed[1::2] and not vocabulary.has_word(typed[:2]):
        return typed[::2]
    if vocabulary.has_word(typed) or typed[-1] != "儿" or typed == "会儿":
        return typed
    plain = HERE.get(typed, typed[:-1])
    return plain if vocabulary.has_word(plain) else typed


def _cheapest(run: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[tuple[int, int, str]]:
    """(start, end, kind) of every word of the cheapest cover."""
    covers = [Cover(0.0, 0, "")]
    ends, inside = breaks_behind_days(run), places_inside_words(run)
    for end in range(1, len(run) + 1):
        options = []
        nearest = max((stop for stop in ends if stop < end), default=0)
        for start in range(max(nearest, end - LONGEST), end):
            kind, cost = _price(run[start:end], vocabulary, gazetteer)
            cost += TORN_COST * (end in inside)
            options.append(Cover(covers[start].cost + cost, start, kind))
        covers.append(min(options, key=lambda option: option.cost))
    words, end = [], len(run)
    while end:
        words.append((covers[end].start, end, covers[end].kind))
        end = covers[end].start
    return words[::-1]


def _price(word: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> tuple[str, float]:
    known = _word(word, vocabulary)
    if vocabulary.has_word(known):
        read_as = vocabulary.piece(known) != known
        return "word", WORD_COST + vocabulary.cost(known) + (SYNONYM_COST if read_as else 0.0)
    if word in gazetteer.chinese or known_words_meaning(word, "zh", vocabulary.has_word):
        return "word", GAZETTEER_COST
    if NUMERALS.fullmatch(word) or CLOCK_ZH.fullmatch(word):
        return "number", NUMBER_COST
    if DOTTED.fullmatch(word):
        return "name", DOTTED_COST + DOTTED_CHARACTER_COST * len(word)
    if len(word) > 1 and word[0] in gazetteer.surnames:
        if word[1:] in ENGLISH and word[0] != "向":  # 向老师学习
            return "name", TITLED_COST
        if len(word) < 4 and not NEVER_IN_NAMES & set(word[1:]):
            return "name", NAME_COST if all(map(GIVEN.__contains__, word[1:])) else RARE_NAME_COST
    if len(word) == 2 and word[0] in FAMILIAR and word[1] in gazetteer.surnames:
        return "name", NAME_COST
    if len(word) > 2 and set(word) <= SOUNDS:
        return "name", SOUND_COST + SOUND_CHARACTER_COST * len(word)
    return "unknown", _unknown_cost(word)


def _unknown_cost(word: str) -> float:
    grammatical = sum(map(GRAMMATICAL.__contains__, word)) if len(word) > 1 else 0
    return UNKNOWN_COST + UNKNOWN_CHARACTER_COST * len(word) + GRAMMATICAL_COST * grammatical
