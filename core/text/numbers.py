"""Numbers as they are typed, and how each is written in the other language."""

import re

NUMERALS = "零一二三四五六七八九"
DIGITS = {digit: value for value, digit in enumerate(NUMERALS)} | {"两": 2, "〇": 0}
UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
WORDS = (
    {word: value for value, word in enumerate(SMALL)}
    | {word: 10 * value for value, word in enumerate(TENS, 2)}
    | LARGE
)
CURRENCIES = {"$": "美元", "€": "欧元", "£": "英镑", "¥": "元", "￥": "元"}
ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)", re.IGNORECASE)
CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))? ?([ap])\.?m\.?", re.IGNORECASE)
CLOCK_ZH = re.compile(  # 三点十五, 七点零五分, 3点05; 三点五 is a decimal, 三点五分 is not
    r"(?P<hour>\d{1,2}|[一二三四五六七八九十两]{1,3})点"
    r"(?P<minutes>\d\d|[零〇][一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?"
    r"|[1-9一二三四五六七八九](?=分))分?"
)
MONEY = re.compile(rf"([{''.join(CURRENCIES)}])(\d+(?:[.,]\d+)*)")
MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


def digits_of_numeral(numeral: str) -> str:
    """From "二十五" "25", from "一九四九" "1949".

    Args:
        numeral: Chinese.

    Returns:
        Its digits; anything else unchanged.
    """
    if not numeral or any(c not in DIGITS and c not in UNITS for c in numeral):
        return numeral
    if all(character in DIGITS for character in numeral):
        return "".join(str(DIGITS[character]) for character in numeral)
    total, section, digit = 0, 0, 0
    for character in numeral:
        if character == "万":
            total, section, digit = total + (section + digit or 1) * 10_000, 0, 0
        elif character in UNITS:
            section, digit = section + (digit or 1) * UNITS[character], 0
        else:
            digit = DIGITS[character]
    return str(total + section + digit)


def chinese_numeral(value: int) -> str:
    """From 25 "二十五", from 120000 "十二万".

    Args:
        value: a whole number from 0.

    Returns:
        The numeral.
    """
    if value < 10:
        return NUMERALS[value]
    if value < 20:
        return f"十{NUMERALS[value % 10] if value % 10 else ''}"
    if value >= 10_000:
        above, rest = divmod(value, 10_000)
        head = chinese_numeral(above)
        tail = ("零" if rest < 1000 else "") + chinese_numeral(rest) if rest else ""
        return f"{head}万{tail}"
    unit, sign = next((u, s) for s, u in reversed(UNITS.items()) if u <= value and u < 10_000)
    digit, rest = divmod(value, unit)
    gap = "零" if rest and rest * 10 < unit else ""
    low = f"一{chinese_numeral(rest)}" if 10 <= rest < 20 else chinese_numeral(rest)
    return NUMERALS[digit] + sign + (gap + low if rest else "")


def value_of(words: list[str]) -> int | None:
    """The value of an English number in words.

    Args:
        words: in lower case, such as ["two", "hundred", "and", "five"].

    Returns:
        The value; None where a word is no number, and of no words.
    """
    total, section = 0, 0
    for place, word in enumerate(words):
        if word == "and" and 0 < place < len(words) - 1 and words[place - 1] in LARGE:
            continue
        value = WORDS.get(word)
        if value is None:
            return None
        if word == "hundred":
            section = (section or 1) * value
        elif word in LARGE:
            total, section = total + (section or 1) * value, 0
        else:
            section += value
    return total + section if words else None


def in_both(surface: str, before: str = "") -> tuple[str, str]:
    """How a number typed with figures is written in English and in Chinese.

    Args:
        surface: as typed, with figures or Chinese numerals: an ordinal, a time, an amount, a year,
            …
        before: the word in front of it: "in 1999" is a year. "" for none.

    Returns:
        (English, Chinese); what is none of these is alike in both, but for Chinese numerals.
    """
    if match := ORDINAL.fullmatch(surface):
        return surface, f"第{match[1]}"
    if match := CLOCK.fullmatch(surface):
        hour, minutes, half = match.groups()
        day = "上午" if half.lower() == "a" else "下午"
        return surface, f"{day}{hour}:{minutes}" if minutes else f"{day}{hour}点"
    if match := CLOCK_ZH.fullmatch(surface):
        return (
            f"{digits_of_numeral(match['hour'])}:{digits_of_numeral(match['minutes']):0>2}",
            surface,
        )
    if match := MONEY.fullmatch(surface):
        return surface, f"{match[2]}{CURRENCIES[match[1]]}"
    if before == "in" and YEAR.fullmatch(surface):
        return surface, f"{surface}年"
    if surface.endswith("年"):
        return digits_of_numeral(surface[:-1]), surface
    if surface.startswith("百分之"):
        return f"{digits_of_numeral(surface[3:])}%", surface
    if surface.startswith("第"):
        return _ordinal(digits_of_numeral(surface[1:])), surface
    return digits_of_numeral(surface), surface


def _ordinal(number: str) -> str:
    if number[-2:] in ("11", "12", "13"):
        return f"{number}th"
    return number + {"1": "st", "2": "nd", "3": "rd"}.get(number[-1:], "th")
