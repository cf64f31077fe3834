"""The same sentence however it was typed: full-width, curly, invisible or traditional."""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
LOOKALIKES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"'}
    | {"。": ".", "、": ",", "｡": ".", "–": "-", "—": "-", "‐": "-", "‑": "-", "…": "."}
)
# Where 著 is not 着, and 乾 not 干: 著名, 显著, 乾隆.
KEPT = re.compile("著(?=名|作|者)|(?<=[名原巨专專编編显顯])著|乾(?=隆|坤)")
# Variation selectors and the combining grapheme joiner change only how glyphs are drawn.
SELECTOR = re.compile("[\ufe00-\ufe0f\u034f\u115f\u1160\u3164]")
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


@cache
def word_list(name: str) -> dict[str, Any]:
    """One of the tables in `data/`, read once.

    Args:
        name: of the file, without ".toml".

    Returns:
        What the file holds; shared, so not to be written to.

    Raises:
        OSError: there is no such table.
    """
    return tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))


def normalize(text: str) -> str:
    """Compatible forms united (NFKC), invisible characters removed, spaces single.

    Letter case and traditional characters stay: they are what the reader typed and are shown as
    such.

    Args:
        text: as typed.

    Returns:
        The text in one line, without spaces at its ends; "" where nothing is visible.
    """
    text = text.translate(LOOKALIKES)  # before NFKC, which would take "´" and "…" apart
    text = unicodedata.normalize("NFKC", text).translate(LOOKALIKES)
    visible = (_visible(character) for character in text)
    return re.sub(r"\s+", " ", "".join(visible)).strip()


@lru_cache(maxsize=4096)  # a text has few different ones
def _visible(character: str) -> str:
    """Spaces for white space and control characters, nothing for zero-width and bidi marks."""
    category = unicodedata.category(character)
    if character.isspace() or category in ("Cc", "Zl", "Zp"):
        return " "
    hidden = category in ("Cf", "Cs", "Co", "Cn") or SELECTOR.match(character)
    return "" if hidden else character


@lru_cache(maxsize=4096)
def is_han(character: str) -> bool:
    """Whether this is a Chinese character.

    Args:
        character: one.

    Returns:
        True for those of `HAN`.
    """
    return bool(re.match(f"[{HAN}]", character))


def has_han(text: str) -> bool:
    """Whether there is a Chinese character in the text.

    Args:
        text: any.

    Returns:
        False for an empty one.
    """
    return any(map(is_han, text))


def has_word(text: str) -> bool:
    """Whether there is a letter, a Chinese character or a digit in the text.

    Args:
        text: any.

    Returns:
        False for marks and pictures alone.
    """
    return any(character.isalnum() for character in text)


@cache
def _simplified() -> dict[int, str]:
    pairs = (DATA / "traditional.txt").read_text("utf-8").split()
    return {ord(pair[0]): pair[1] for pair in pairs}


def simplify(text: str) -> str:
    """Traditional characters as simplified ones, one for one, so that positions stay.

    Args:
        text: any; 著 in 著名 and 乾 in 乾隆 stay.

    Returns:
        As many characters.
    """
    simple = list(text.translate(_simplified()))
    for match in KEPT.finditer(text):
        simple[match.start()] = match[0]
    return "".join(simple)
