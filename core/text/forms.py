"""Chinese words that their neighbours decide: what is one word here is two words there.

`whole_forms` puts together what Chinese takes apart, `separate_words` cuts what is two words in its
surroundings.
"""

import re
from collections.abc import Callable, Iterator

from glassformer.core.text.tokens import Token

Known = Callable[[str], bool]

NUMERALS = re.compile("(?:第|百分之)?[零〇一二三四五六七八九十百千万两]+")
PAGE = re.compile("第(.+)")
COUNTED = frozenset("页课章节题句")  # of a book: 第二十页
BEFORE_CLOCK = {str(hour): word for hour, word in enumerate("零一两三四五六七八九十") if hour}
BEFORE_CLOCK |= {"11": "十一", "12": "十二"}
MONTHS = BEFORE_CLOCK | {"2": "二"}
CAN_FAIL = frozenset("看听找买吃想做拿打学记闻等走说读写赶睡回进出开") | {"好久"}  # 看不见, 找不到
# What follows 很 快, "very fast", and 最 好, "the best", but neither "soon" nor "had better".
APART = {"很": frozenset(".?!,"), "最": frozenset("的.?!,")}
TAKEN = frozenset("了到过有")  # 学了很多
SUBJECTS = frozenset("我 你 您 他 她 它 我们 你们 他们 她们 它们 大家".split())
ENDS = frozenset(".?!,的") | {""}  # of 最 好吃
# Behind 还是, "still": it joins no two things there, unless somebody asks.
STILL = frozenset("不 没 没有 很 太 觉得 想 要 会 能 得 应该 喜欢 忘 爱".split())
BUT = frozenset(", 但是 却 最终 今天 现在 也".split())  # in front of it
OF = frozenset("的地")
THINGS = SUBJECTS | frozenset("个 一 两 这 那 这些 那些".split())
DIRECTIONS = frozenset("下上来去家树课班画里饭歌")  # 坐 了 下 来, 下 了 课: the 了 stays inside
SEVERAL = frozenset("两三 三两 二三 三四 三五 四五 五六 六七 七八 八九".split())
BEHIND = {("干", "嘛"): "什么", ("干", "吗"): "什么", ("碗", "面"): "面条", ("吃", "面"): "面条"}
EXCLAIMED = frozenset("哇哦喔")  # at the end they are 啊, in front of a comma what they are
MORE = frozenset("高低大小多少好重早晚")  # 高于
TRIED = frozenset("帮尝算闻摸读写问等走玩洗学练查教改修换站坐躺") | set(
    "讨论 商量 研究 打扫 休息 介绍 学习 了解 认识 准备 收拾 考虑 检查 练习 锻炼 整理 复习".split()
)
SOLE = frozenset("澡觉婚舞步")  # what 洗, 睡 … have behind them and nothing else has
ONCE = frozenset("折忙发会假照歉电账")  # 打个折, 帮个忙
# Words that are two behind a word of the first set or in front of one of the second.
TWO = {
    "你好": ("比 祝 没有", "吗 多"),  # 比你好, 你好吗
    "好多": ("", "了"),
    "有点": ("", "事 事情"),
    "回家": ("带 拿 送", ""),  # 把书带回家
    "的话": ("说 讲", ""),  # 他说的话, but 如果你来的话
    "一起": ("发生 了", "事故"),
}
SPLIT = {word: (set(a.split()), set(b.split())) for word, (a, b) in TWO.items()}


def whole_forms(tokens: list[Token], known: Known) -> list[Token]:
    """Words that Chinese takes apart, read as the model knows them; what was typed stays.

    喜不喜欢 is 喜欢 不 喜欢, 洗了澡 is 洗澡 了, 第二十页 is 第 二十 页, 7点 is 七 点.

    Args:
        tokens: of a sentence.
        known: whether the vocabulary has a word.

    Returns:
        The tokens; their surfaces together are what was typed.
    """
    whole: list[Token] = []
    place = 0
    while place < len(tokens):
        ahead = tokens[place : place + 4]
        read = next((n for rule in RULES if (n := rule(whole, ahead, known))), 0)
        if not read:
            whole.append(tokens[place])
        place += read or 1
    return whole


def _asked(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """喜不喜欢 is 喜欢 不 喜欢."""
    token, first, second = _words(ahead, 3)
    asked = first in ("不", "没") and len(token) == 1 < len(second) and second[0] == token
    if not asked or known(token):
        return 0
    whole.append(Token(ahead[0].surface, second))
    return 1


def _counted(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """第二十页 is 第 二十 页; 第一页 is 第一 页."""
    token, first = _words(ahead, 2)
    page = PAGE.fullmatch(token)
    if not page or first not in COUNTED or not known("第") or not NUMERALS.fullmatch(token):
        return 0
    if token in ("第一", "第十") and known(token):
        whole.append(Token(ahead[0].surface, token))
    else:
        kind = "word" if known(page[1]) else "number"
        whole += [Token("第", "第"), Token(ahead[0].surface[1:], page[1], kind)]
    return 1


def _dated(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """7点 is 七 点, 5月 is 五月, 3日 behind a month is 3 号."""
    token, first = _words(ahead, 2)
    if first == "点" and known(BEFORE_CLOCK.get(token, token)):
        whole.append(Token(ahead[0].surface, BEFORE_CLOCK.get(token, token)))
        return 1
    month = MONTHS.get(token, token) + "月"
    if first == "月" and token in MONTHS and known(month):
        whole.append(Token(ahead[0].surface + ahead[1].surface, month))
        return 2
    behind_month = len(whole) > 1 and whole[-2].word.endswith("月")
    if token == "日" and behind_month and known("号"):
        whole.append(Token(ahead[0].surface, "号"))
        return 1
    return 0


def _weekday(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """这周五 is 这 星期五, 下周日 is 下 星期天; 下周 五 stays."""
    token, day = _words(ahead, 2)
    name = "星期" + ("天" if day == "日" else day)
    week = {"这周": "这", "下周": "下", "上周": "上", "每周": "每"}.get(token)
    typed = ahead[0].surface
    if not week or len(day) != 1 or day not in "一二三四五六日天" or not known(name):
        return 0
    if (week in "上下" and day not in "日天") or len(typed) != 2:
        return 0
    whole += [Token(typed[0], week), Token(typed[1] + ahead[1].surface, name)]
    return 2


def _around(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """A verb around its 了 or 过, put together: 洗 了 澡 and 洗 了 个 澡 are 洗澡 了."""
    if len(whole) < 2 or whole[-1].word not in ("了", "过") or whole[-2].kind == "mark":
        return 0
    (verb, mark), (first, second) = whole[-2:], _words(ahead, 2)
    read = 2 if first in ("个", "一") and second in SOLE else 1
    joined = verb.word + (second if read == 2 else first)
    if len(joined) != 2 or joined[1] in DIRECTIONS or not known(joined):
        return 0
    typed = "".join(token.surface for token in ahead[:read])
    whole[-2:] = [Token(verb.surface, joined), Token(mark.surface + typed, mark.word)]
    return read


def _once(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """打 个 折 is 打折."""
    verb, piece, thing = _words(ahead, 3)
    if piece != "个" or thing not in ONCE or not known(verb + thing):
        return 0
    whole.append(Token("".join(token.surface for token in ahead[:3]), verb + thing))
    return 3


def _twice(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """看 看书 is 看看 书, 尝 尝, 尝 一 尝, 尝 了 尝 are 尝 一下, 大 大 的 is 大 的."""
    token, following = _words(ahead, 2)
    if not whole or ahead[0].kind != "word" or token in SUBJECTS:
        return 0
    last, around = whole[-1].word, (whole[-2].word if len(whole) > 1 else "")
    surface = ahead[0].surface
    again = token == around and len(token) == 1 and token not in DIRECTIONS and known("一下")
    tried = token in TRIED and following not in SUBJECTS and known("一下")
    if again and last == "一" and token in TRIED:
        whole[-1] = Token(whole[-1].surface + surface, "一下")
    elif (again and last == "了") or (token == last and tried):
        whole.append(Token(surface, "一下"))
    elif token == last and (token in TRIED or len(token) > 1 or following in OF):
        whole[-1] = Token(whole[-1].surface + surface, last)
    elif len(token) == 2 and token[0] == last and known(last * 2) and known(token[1]):
        whole[-1] = Token(whole[-1].surface + surface[0], last * 2)
        whole.append(Token(surface[1:], token[1]))
    else:
        return 0
    return 1


def _regrouped(whole: list[Token], ahead: list[Token], known: Known) -> int:
    """最好 吃 的 is 最 好吃 的, 别 的 is 别的, 干嘛 is 干 什么, 两三 个 is 几 个."""
    token, first, second = _words(ahead, 3)
    surface = ahead[0].surface
    if token == "最好" and first and known("好" + first) and second in ENDS:
        whole += [Token(surface[0], "最"), Token(surface[1] + ahead[1].surface, "好" + first)]
        return 2
    if token == "别" and first == "的" and known("别的"):
        whole.append(Token(surface + ahead[1].surface, "别的"))
        return 2
    last = whole[-1].word if whole else ""
    meant = BEHIND.get((last, token), "几" if token in SEVERAL else "")
    if token == "于" and last not in MORE:
        meant = "在"
    elif token == "那样" and {"像", "不"} & {each.word for each in whole} == {"像"}:
        meant = "一样"
    elif token in EXCLAIMED and whole and whole[-1].kind == "word":
        meant = "啊"
    if meant and known(meant):
        whole.append(Token(surface, meant))
        return 1
    return 0


RULES = (_asked, _counted, _dated, _weekday, _once, _twice, _around, _regrouped)


def separate_words(tokens: list[Token], known: Known) -> list[Token]:
    """Words that are two words in their surroundings: 看不见 is 看 不 见, but 不见了 is lost.

    要不要 is 要 不 要, 跑得很快 is 跑 得 很 快, 最好的书 is 最 好 的 书.

    Args:
        tokens: of a sentence.
        known: whether the vocabulary has a word; what is cut off must be known.

    Returns:
        The tokens, such words as two.
    """
    cut: list[Token] = []
    asks = next((token.word for token in tokens if token.word in ("?", "吧")), "")
    for place, token in enumerate(tokens):
        last = cut[-1].word if cut else ""
        following = tokens[place + 1].word if place + 1 < len(tokens) else "."
        head, tail = token.word[:1], token.word[1:]
        two = _negated(token.word, last) or _degree(token.word, last, following)
        two = two or _is_two(token.word, last, following, asks)
        if token.surface == token.word and two and tail and known(tail):
            cut += [Token(head, head), Token(tail, tail)]
        else:
            cut.append(token)
    return cut


def _negated(word: str, last: str) -> bool:
    """不见 in 看不见, 不要 in 要不要, 上网 in 连不上网."""
    return word[:1] == "不" and word != "不同" and (last in CAN_FAIL or last == word[1:])


def _degree(word: str, last: str, following: str) -> bool:
    """很快 in 跑得很快, 最好 in 最好的书; 最近 and 学了很多 are words."""
    if word[0] not in APART or word in ("最近", "最后") or (word == "很多" and last in TAKEN):
        return False
    alone = word[0] == "很" and not last
    return last == "得" or (following in APART[word[0]] and not alone)


def _is_two(word: str, last: str, following: str, asks: str) -> bool:
    """还 是 between two things and in 我们还是走吧, and the words of `TWO`."""
    if word == "还是":
        if last in SUBJECTS:
            return following in THINGS or (last == "我们" and asks == "吧")
        return bool(asks) or not (last in BUT or following in STILL)
    before, behind = SPLIT.get(word, (set(), set()))
    return last in before or following in behind


def _words(ahead: list[Token], count: int) -> Iterator[str]:
    words = [token.word for token in ahead[:count]]
    return iter(words + [""] * (count - len(words)))
