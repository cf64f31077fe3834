"""Rows of words that fit a width: what does not fit is counted in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.figures.labels import visible, widest
from app.widgets.architecture_map.shapes import Box

GAP = 5.0
LONGEST = 120.0  # pixels of one word; more is cut
TAIL = 2  # how many words at the end stay visible


@dataclass(frozen=True)
class Chip:
    """One word in its place; `index` is None for the chip that counts the words left out."""

    text: str
    box: Box
    index: int | None


def flow(
    tokens: Sequence[str], span: tuple[float, float], y: float, rows: int, font: float,
    height: float = 22, least: float = 0,
) -> list[Chip]:  # fmt: skip
    """The words centred in rows; where they do not all fit, the middle becomes "⋯ 40"."""
    whole = list(enumerate(tokens))
    shown: list[tuple[int | None, str]] = [(at, shorten(token, font)) for at, token in whole]
    for kept in range(len(tokens), 0, -1):
        if kept < len(tokens):
            head = max(kept - TAIL, 1)
            tail = len(tokens) - (kept - head)
            shown = [(at, shorten(token, font)) for at, token in whole[:head]]
            shown.append((None, f"⋯ {tail - head}"))
            shown += [(at, shorten(token, font)) for at, token in whole[tail:]]
        lines = _wrapped(shown, span[1] - span[0], font, least)
        if len(lines) <= rows:
            break
    placed = [
        _centred(line, span, y + (height + GAP) * at, height) for at, line in enumerate(lines)
    ]
    return [chip for line in placed for chip in line]


def shorten(token: str, font: float) -> str:
    """A word as it is shown, cut to the width of a chip."""
    shown = visible(token)
    while widest(shown, font) > LONGEST:
        shown = f"{shown.removesuffix('…')[:-1]}…"
    return shown


_Line = list[tuple[int | None, str, float]]


def _wrapped(
    shown: Sequence[tuple[int | None, str]], width: float, font: float, least: float
) -> list[_Line]:
    lines: list[_Line] = [[]]
    used = 0.0
    for index, token in shown:
        room = max(widest(token, font) + 11, least)
        if lines[-1] and used + room > width:
            lines.append([])
            used = 0.0
        lines[-1].append((index, token, room))
        used += room + GAP
    return lines


def _centred(line: _Line, span: tuple[float, float], y: float, height: float) -> list[Chip]:
    x = (span[0] + span[1] - sum(room + GAP for *_, room in line) + GAP) / 2
    chips = []
    for index, token, room in line:
        chips.append(Chip(token, Box(x, y, room, height), index))
        x += room + GAP
    return chips
