"""Tokens and numbers as they are written in figures."""

import re
import unicodedata
from functools import lru_cache

from glassformer.core.text import number_format as numbers

MINUS, format_number, format_percent = numbers.MINUS, numbers.format_number, numbers.format_percent
LONGEST_LABEL = 24
# What stands where a mask forbids, by the config's `mask_fill`.
MASK_FILLS = {"large_negative": "−10⁹", "minus_infinity": "−∞", "additive": "−∞"}
FIRST, LAST = "\u2068", "\u2069"  # what is between them runs its own way (Unicode, UAX 9)
RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# What stands between words of one label: "written (read)", "one|other".
_BETWEEN = re.compile(r"( \(|\)(?=\||$)|\|)")
_ISOLATED = re.compile(f"{FIRST}([^{FIRST}{LAST}]*){LAST}")


def escape(label: str) -> str:
    """A label that Plotly shows literally: `<b>`, `<s>` and `&lt;` stay what was typed."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@lru_cache(maxsize=4096)
def visible(token: str, most: int = LONGEST_LABEL) -> str:
    """A token with its blanks shown (one between words is one), without controls, not too long.

    One from right to left turns nothing around that stands beside it: neither numbers nor signs.
    """
    token = _ISOLATED.sub(r"\1", token)
    if not token:
        return "∅"
    inside = token.strip(" ")  # words that share a place are apart as on paper
    words = [] if "  " in token or inside != token else token.split(" ")
    parts = words or [token]
    shown = " ".join("".join(map(_visible_character, part)) for part in parts)
    parts = _BETWEEN.split(shorten_text(shown, most))
    return "".join(f"{FIRST}{x}{LAST}" if RIGHT_TO_LEFT.search(x) else x for x in parts)


def shorten_text(text: str, most: int) -> str:
    """A text of at most so many characters, the last of them "…" where some are missing."""
    return text if len(text) <= most else _closed(f"{text[: most - 1]}…")


def _closed(text: str) -> str:
    return text + LAST * (text.count(FIRST) - text.count(LAST))


def _visible_character(character: str) -> str:
    if character.isspace():
        return "␣"
    # Controls and format characters (zero-width, right-to-left marks) would be invisible
    # or turn the label round.
    return "�" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co") else character


@lru_cache(maxsize=4096)
def is_chinese(token: str) -> bool:
    """Whether a token has a wide (East Asian) character."""
    return any(unicodedata.east_asian_width(character) in "WF" for character in token)


@lru_cache(maxsize=4096)
def text_width(text: str, font: float) -> float:
    """Roughly how many pixels a text takes: 1 em a wide character, 0.56 em any other."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = text.count(FIRST) + text.count(LAST)
    return font * (wide + 0.56 * (len(text) - wide - none))


def break_lines(text: str, room: float, font: float) -> list[str]:
    """A text in lines no wider than `room` pixels: between words, within Chinese anywhere."""
    lines, line = [], ""
    for part in re.findall(r"[\u2e80-\uffef]|\s+|[^\s\u2e80-\uffef]+", text):
        if (
            line
            and text_width(f"{line}{part}".rstrip(), font) > room
            and part not in "，。、；：）”"
        ):
            lines.append(line.rstrip())
            line = part.lstrip()
        else:
            line += part
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def widest(text: str, font: float) -> float:
    """How many pixels a text takes at most: capitals and the signs for blanks are wide."""
    return font * sum(_ems(character) for character in text)


def _ems(character: str) -> float:
    if character in (FIRST, LAST):
        return 0.0
    if is_chinese(character) or character in "␣⋯…�∅":
        return 1.0
    if character in "MWmw@%":
        return 0.92
    return 0.66 if character.isupper() or ord(character) > 0x24F else 0.56


def fit_to_width(text: str, font: float, pixels: float) -> str:
    """A text cut to a width, with an ellipsis where something is missing."""
    if widest(text, font) <= pixels:
        return text
    while len(text) > 1 and widest(f"{text}…", font) > pixels:
        text = text[:-1]
    return _closed(f"{text}…")
