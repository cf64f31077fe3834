"""Splitting typed Chinese into words: the cheapest way to cover it with known words.

Every word costs −ln of its frequency; a word of the gazetteer, a personal name, a number and an
unknown run cost fixed amounts. Dynamic programming finds the cheapest cover. Spaces, where
somebody typed them, are word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.text.english import ADDRESS, MARKS
from core.text.gazetteer import Gazetteer
from core.text.normalize import HAN, simplify
from core.text.numbers import CLOCK_ZH
from core.text.people import ENGLISH
from core.text.pinyin import GIVEN
from core.text.tokens import Token, single_marks, without_faces
from core.text.vocabulary import Vocabulary

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
NEVER_IN_NAMES = frozenset("的了着过是有在不没很太真都也要会能就和跟给把被对从到去来住叫姓吗呢吧啊")
GRAMMATICAL = frozenset("的了着过是不没吗吧得")  # hardly ever inside an unknown word
GRAMMATICAL_COST = 12.0
SOUNDS = frozenset(
    "阿埃艾奥安昂巴贝比波伯布查达德迪多顿尔法菲费弗夫冈戈格根哈赫霍基加吉卡科克拉莱勒里利林卢鲁伦罗洛马曼梅"
    "蒙米密莫姆穆纳奈内尼诺帕佩皮普奇乔切萨塞桑斯什苏塔泰特汀托瓦维温沃乌西希谢亚扬伊因尤约泽扎兹朱坦保"
)
CAN_FAIL = frozenset("看听找买吃想做拿打学记闻等走说读写赶睡回进出开") | {"好久"}  # 看不见, 找不到
# What follows 很 快, "very fast", and 最 好, "the best", but neither "soon" nor "had better".
APART = {"很": frozenset(".?!,"), "最": frozenset("的.?!,")}
SUBJECTS = frozenset("我 你 他 她 它 我们 你们 他们 她们 大家".split())
HERE = {"这儿": "这里", "那儿": "那里"}
FAMILIAR = frozenset("小老阿")  # 小王, 老李: a surname among friends
NUMERALS = re.compile("(?:第|百分之)?[零〇一二三四五六七八九十百千万两]+")
DOTTED = re.compile(rf"[{HAN}]{{1,5}}(?:·[{HAN}]{{1,5}})+")  # 艾伦·图灵
YEAR = r"\d{4}年"
CLOCK = r"\d{1,2}点\d{1,2}(?:分(?!钟))?"
PAGE = re.compile("第(.+)")
COUNTED = frozenset("页课章节题句")  # of a book: 第二十页
BEFORE_CLOCK = {str(hour): word for hour, word in enumerate("零一两三四五六七八九十") if hour}
BEFORE_CLOCK |= {"11": "十一", "12": "十二"}
RUN = re.compile(
    rf"《[^》]+》|(?:{ADDRESS.pattern})|[{HAN}]+(?:·[{HAN}]+)*|{YEAR}|{CLOCK}|\d+(?:[.,:]\d+)*%?"
    rf"|&#?\w+;|[.,?!;:]|[^\s{HAN}.,?!;:《》]+",
    re.ASCII,
)


@dataclass(frozen=True)
class Cover:
    """The cheapest cover of the text up to here, and its last word."""

    cost: float
    start: int
    kind: str


def split_chinese(text: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[Token]:
    """Tokens of normalised Chinese text, segmented or not."""
    chunks = text.split(" ")
    spaced = len(chunks) > 2 and sum(map(len, chunks)) <= 3 * len(chunks)
    tokens: list[Token] = []
    for chunk in chunks:
        for match in RUN.finditer(chunk):
            tokens.extend(_run(match[0], spaced and match[0] == chunk, vocabulary, gazetteer))
    return without_faces(
        single_marks(apart(whole_forms(tokens, vocabulary.has_word), vocabulary.has_word))
    )


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
        return (
            [Token(run, run.lower(), "odd")] if re.search(r"\w", run) or not run.isascii() else []
        )
    words = _cheapest(simplify(run), vocabulary, gazetteer)
    if whole and any(kind == "unknown" for _, _, kind in words):
        words = [(0, len(run), "unknown")]
    return [Token(run[i:j], _word(simplify(run[i:j]), vocabulary), kind) for i, j, kind in words]


def _word(typed: str, vocabulary: Vocabulary) -> str:
    """What a word is looked up by: 一点儿 is 一点, 这儿 is 这里, where the vocabulary lacks it."""
    if vocabulary.has_word(typed) or typed[-1] != "儿" or typed == "会儿":
        return typed
    plain = HERE.get(typed, typed[:-1])
    return plain if vocabulary.has_word(plain) else typed


def _cheapest(run: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[tuple[int, int, str]]:
    """(start, end, kind) of every word of the cheapest cover."""
    covers = [Cover(0.0, 0, "")]
    for end in range(1, len(run) + 1):
        options = []
        for start in range(max(0, end - LONGEST), end):
            kind, cost = _price(run[start:end], vocabulary, gazetteer)
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
    if word in gazetteer.chinese:
        return "word", GAZETTEER_COST
    if NUMERALS.fullmatch(word) or CLOCK_ZH.fullmatch(word):
        return "number", NUMBER_COST
    if DOTTED.fullmatch(word):
        return "name", DOTTED_COST + DOTTED_CHARACTER_COST * len(word)
    if len(word) > 1 and word[0] in gazetteer.surnames:
        if word[1:] in ENGLISH:
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


def whole_forms(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """Words that Chinese takes apart, read as the model knows them; what was typed stays.

    喜不喜欢 is 喜欢 不 喜欢, 洗了澡 is 洗澡 了, 第二十页 is 第 二十 页, 7点 is 七 点.
    """
    whole: list[Token] = []
    for place, token in enumerate(tokens):
        ahead = [other.word for other in tokens[place + 1 : place + 3]]
        first, second = (*ahead, "", "")[:2]
        last = whole[-1] if whole else None
        page = PAGE.fullmatch(token.word)
        if first in ("不", "没") and _begins(second, token.word) and not known(token.word):
            whole.append(Token(token.surface, second))
        elif page and first in COUNTED and known("第") and NUMERALS.fullmatch(token.word):
            whole += [Token("第", "第"), Token(token.surface[1:], page[1], "number")]
        elif first == "点" and known(BEFORE_CLOCK.get(token.word, token.word)):
            whole.append(Token(token.surface, BEFORE_CLOCK.get(token.word, token.word)))
        elif last and last.word in ("了", "过") and (joined := _separated(whole, token, known)):
            whole[-2:] = joined
        else:
            whole.append(token)
    return whole


def _begins(word: str, character: str) -> bool:
    return len(character) == 1 < len(word) and word[0] == character


def apart(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """Words that are two words in their surroundings: 看不见 is 看 不 见, but 不见了 is lost.

    要不要 is 要 不 要, 跑得很快 is 跑 得 很 快, 最好的书 is 最 好 的 书.
    """
    cut: list[Token] = []
    for place, token in enumerate(tokens):
        last = cut[-1].word if cut else ""
        following = tokens[place + 1].word if place + 1 < len(tokens) else "."
        head, tail = token.word[:1], token.word[1:]
        compared = (last in ("比", "祝") and token.word == "你好") or (
            token.word == "好多" and following == "了"
        )  # 比你好, 祝你好运, 好多了
        negated = head == "不" and (last in CAN_FAIL or last == tail)
        degree = head in ("很", "最") and (last == "得" or following in APART[head])
        degree = degree and token.word not in ("最近", "最后")  # 最近 的 车站
        spoken = token.word == "的话" and last in ("说", "讲")  # 他说的话, but 如果你来的话
        choice = token.word == "还是" and last not in SUBJECTS  # 茶还是咖啡, but 他还是来了
        parted = negated or degree or compared or spoken or choice
        if token.surface == token.word and parted and tail and known(tail):
            cut += [Token(head, head), Token(tail, tail)]
        else:
            cut.append(token)
    return cut


def _separated(
    before: list[Token], token: Token, known: Callable[[str], bool]
) -> list[Token] | None:
    """A verb around its 了 or 过, put together: 洗 了 澡 is 洗澡 了; None for anything else."""
    if len(before) < 2 or len(token.word) != 1:
        return None
    verb, mark = before[-2:]
    if not known(verb.word + token.word) or len(verb.word) != 1 or verb.kind == "mark":
        return None
    return [
        Token(verb.surface, verb.word + token.word),
        Token(mark.surface + token.surface, mark.word),
    ]
