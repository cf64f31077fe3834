"""Where a run of Chinese must be cut, and where it must not, whatever the words cost."""

from __future__ import annotations

import re

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


def stops(run: str) -> set[int]:
    """Places that no word reaches across: behind a day of the week."""
    return {found.end() for found in [*WEEKDAY.finditer(run), *STOP.finditer(run)]}


def bonds(run: str) -> set[int]:
    """Places inside a word or a number: 星期·五, but 下周|五 may be two words."""
    days = (
        found.end() - 1
        for found in WEEKDAY.finditer(run)
        if found["week"] != "周" or run[: found.start()][-1:] not in WHICH
    )
    return {*days, *(found.end() for found in BOND.finditer(run))}
