"""Numbers as people type them: the digits of any script, groups of thousands, a comma, a unit.

A comma between groups of three digits divides thousands, as in 1,000 or 12,34,567; any other is
the decimal sign, as in 0,5. A point is the decimal sign always. What was read is shown to who
typed it.
"""

import re
import unicodedata
from collections.abc import Iterable

LONGEST_TYPED = 60  # letters, the unit with them
_SIGNS = {
    **dict.fromkeys("−–－﹣", "-"), **dict.fromkeys("＋﹢", "+"), **dict.fromkeys("％٪﹪", "%"),
    **dict.fromkeys("．。｡٫", "."), **dict.fromkeys("，،﹐", ","), **dict.fromkeys("'’‘＇٬", " "),
}  # fmt: skip
_GROUPS = re.compile(
    r"[+-]?(?:[1-9][0-9]{0,2}([ ,])(?:[0-9]{3}\1)*|[1-9][0-9]?([ ,])(?:[0-9]{2}\2)+)"
    r"[0-9]{3}(?:(?!\1|\2)[.,][0-9]*)?"
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number_of(typed: str, units: Iterable[str] = ()) -> float | None:
    """The number that somebody typed, with % or one of the units after it; None for anything else.

    It may be infinite.
    """
    if len(typed) > LONGEST_TYPED:
        return None
    text = re.sub(r"^% *(.+)", r"\1%", _plain(typed))  # before it in Turkish and Basque
    for unit in ("", "%", *map(_plain, units)):
        if text.endswith(unit) and (found := _read(text.removesuffix(unit).strip())) is not None:
            return found
    return None


def _read(text: str) -> float | None:
    text = re.sub(r"^([+-]) +", r"\1", text)
    if groups := _GROUPS.fullmatch(text):
        text = text.replace(groups[1] or groups[2], "")
    text = text.replace(",", ".")
    return float(text) if _NUMBER.fullmatch(text) else None


def _plain(typed: str) -> str:
    """With digits and signs of ASCII, every space alike; marks of direction are left out."""
    return "".join(
        " " if sign.isspace() else _SIGNS.get(sign, str(unicodedata.decimal(sign, sign)))
        for sign in typed.casefold()
        if unicodedata.category(sign) != "Cf"
    ).strip()
