"""Chinese numerals as figures: 二十五 is 25, so that it can be carried into English."""

from __future__ import annotations

DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}


def figures(numeral: str) -> str:
    """From "二十五" "25", from "一九四九" "1949"; anything else unchanged."""
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
