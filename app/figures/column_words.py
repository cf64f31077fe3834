"""Words below the columns of a small heat map: Latin slanted, Chinese upright, sign below sign."""

from __future__ import annotations

import math
from typing import Any

from app.figures.labels import escape, fitted, is_chinese, visible, widest
from app.figures.picture import Picture
from app.figures.theme import Look

MOST = 14  # columns that have room for their words
FONT, SLANT = 11, 45  # pixels, degrees
LATIN, SIGNS = 46, 4  # pixels of a slanted word along its line, signs of an upright one


def words_height(picture: Picture, look: Look) -> int:
    """How many pixels the words below the columns take; 0 where the picture has none."""
    if picture.columns is None or not 0 < len(picture.columns) <= MOST:
        return 0
    font = look.px(FONT)
    heights = [
        len(word) * font * 1.2
        if is_chinese(word)
        else (widest(word, font) + font) * math.sin(math.radians(SLANT))
        for word in (_short(word, look) for word in picture.columns)
    ]
    return math.ceil(max(heights)) + 6


def column_words(picture: Picture, look: Look, width: float, name: str) -> list[dict[str, Any]]:
    """An annotation for each column; width: of the picture in pixels, name: of its axes."""
    if not words_height(picture, look):
        return []
    columns = picture.columns or ()
    font = {"size": min(look.px(FONT), max(round(width / len(columns)), 10))}
    common = {
        "xref": f"x{name}", "yref": f"y{name} domain", "y": 0, "yanchor": "top", "yshift": -2,
        "showarrow": False, "font": font | {"color": look.colour("text")},
    }  # fmt: skip
    # A mark at the end would slant below the upright word before it.
    upright, last = any(map(is_chinese, columns)), len(columns) - 1
    return [
        common | {"x": at + 1} | _placed(_short(word, look), to_right=upright and 2 * at > last)
        for at, word in enumerate(columns)
    ]


def _placed(word: str, to_right: bool) -> dict[str, Any]:
    if is_chinese(word):
        return {"text": "<br>".join(map(escape, word)), "xanchor": "center"}
    if len(word) == 1:
        return {"text": escape(word), "xanchor": "center"}
    way = 1 if to_right else -1
    return {"text": escape(word), "xanchor": "left" if to_right else "right",
            "textangle": way * SLANT, "xshift": -way * 5}  # fmt: skip


def _short(word: str, look: Look) -> str:
    shown = visible(word)
    if is_chinese(shown):
        return shown if len(shown) <= SIGNS else f"{shown[: SIGNS - 1]}…"
    return fitted(shown, look.px(FONT), look.px(LATIN))
