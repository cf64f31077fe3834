"""Hostile texts and values: long, nested, of many scripts, half of something, of other types."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

LONGEST = 2000  # what a link carries
WORDS = (
    "The animal didn't cross the street because it was too tired . , ? ! 3 3.5 -7 1e9 $5 50% "
    "it's I'd U.S. e-mail co-operate Dr. 10:30 2026-11-23 我 爱 机器 学习 。 ， ？ ！ “ ” 《 》 "
    "猫 马路 二十三 第三 北京 學習 龍 <eos> <pad> <unk> <en> <noun4> <number> null NaN Infinity"
).split()
SIGNS = (
    "<script>alert(1)</script>", "</style>", "<img src=x onerror=1>", "&lt;&amp;&#0;",
    "javascript:1",
    "$x^2$", "$$\\frac{1}{0}$$", ":red[x]", ":material/add:", "![a](b)", "[x](javascript:1)", "`",
    "***",
    "{0}", "{given}", "{}", "{{", "%s", "%00", "%n", "\\", "\\u0000", "../../etc", "'; --", '"',
    "`'",
    "\u202e", "\u2066", "\u200d", "\u200b", "\ufeff", "\u0301" * 20, "\u0627\u0644\u0633",
    "\u05d0\u05d1",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e8\U0001f1f3", "\U00020000",
    "\U0010ffff",
    "\u3000", "\u2028", "\x00", "\x1b[31m", "\x7f", "\t", "\n", "\r\n", "…", "½", "Ⅷ", "①", "㍿",
    "ﬁ", "ß",
    "İ", "ａｂｃ", "１２３", "𝟘𝟙", "-", "—", "''", "’", "٣", "๓", "ह", "가", "か",
)  # fmt: skip
BLOCKS = ((32, 126), (0x4E00, 0x9FFF), (0x3040, 0x30FF), (0x600, 0x6FF), (0x400, 0x4FF),
          (0xAC00, 0xD7A3), (0x1F300, 0x1FAFF), (0x2000, 0x206F), (0, 0x10FFFF))  # fmt: skip
NUMBERS = (
    "0", "-1", "1", "2", "999999", "9999999", "1e309", "-1e309", "nan", "inf", "-inf", "1.5",
    "0x10",
    "1_0", " 1", "٣", "²", "9" * 400, "-0", "+1", "1e-400", str(2**63), "1/0", "",
)  # fmt: skip


def text(rng: random.Random, longest: int = LONGEST) -> str:
    """Some text that nobody would type."""
    made = rng.choice(_TEXTS)(rng)
    return made[:longest].encode("utf-8", "replace").decode()


def _characters(rng: random.Random) -> str:
    low, high = rng.choice(BLOCKS)
    return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 60)))


def _words(rng: random.Random) -> str:
    space = rng.choice(("", " ", " ", "  ", "\t"))
    return space.join(rng.choices(WORDS, k=rng.randint(1, 30)))


def _signed(rng: random.Random) -> str:
    parts = rng.choices(WORDS, k=rng.randint(0, 6)) + rng.choices(SIGNS, k=rng.randint(1, 4))
    rng.shuffle(parts)
    return rng.choice(("", " ")).join(parts)


def _repeated(rng: random.Random) -> str:
    part = rng.choice((rng.choice(WORDS), rng.choice(SIGNS), "我。", "a. ", "((", "1,", "ab "))
    return part * rng.choice((2, 30, 300, LONGEST))


_TEXTS: tuple[Callable[[random.Random], str], ...] = (
    _characters, _words, _words, _signed, _signed, _repeated, lambda rng: rng.choice(NUMBERS)
)  # fmt: skip


def value(rng: random.Random) -> Any:
    """A JSON value that was not asked for."""
    return rng.choice((
        None, True, False, 0, 1, -1, 2**31, 2**62, 10**400, 0.5, -0.0, 1e308,
        float("nan"), float("inf"),
        "", "x", "x" * 10_000, "\ud800", rng.choice(NUMBERS), rng.choice(SIGNS), [], {}, [[]],
        [None],
        [[[[[[[[1]]]]]]]], {"a": {"b": {}}}, list(range(300)), ["a"] * 300, {"__class__": "x"},
    ))  # fmt: skip


def changed(rng: random.Random, given: Any) -> Any:
    """A JSON value with one thing in it other than it was: replaced, gone, doubled, added."""
    if rng.random() < 0.15 or not (isinstance(given, dict | list) and given):
        return value(rng)
    if isinstance(given, dict):
        name, other = rng.choice(list(given)), dict(given)
        act = rng.random()
        if act < 0.15:
            del other[name]
        elif act < 0.25:
            other[rng.choice(("", "extra", "__init__", name * 2))] = value(rng)
        else:
            other[name] = changed(rng, given[name])
        return other
    at, others = rng.randrange(len(given)), list(given)
    act = rng.random()
    if act < 0.15:
        return others[:at]
    if act < 0.25:
        return others + others[at:]
    others[at] = changed(rng, given[at])
    return others


def nested(rng: random.Random) -> str:
    """JSON so deep that a reader may fall into it."""
    opening, closing = rng.choice((("[", "]"), ('{"a":', "}")))
    depth = rng.choice((100, 5_000, 200_000))
    return opening * depth + "1" + closing * rng.choice((depth, 0))


def written(rng: random.Random, given: Any) -> bytes:
    """A JSON value as a file that is damaged a little, a lot, or only in what it says."""
    drawn = rng.random()
    if drawn < 0.6:
        for _ in range(rng.choice((1, 1, 1, 3))):
            given = changed(rng, given)
        return json.dumps(given).encode("utf-8", "replace")
    if drawn < 0.7:
        return nested(rng).encode()
    return damaged(rng, json.dumps(given, ensure_ascii=False).encode())


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes of which some have changed, are gone or too many."""
    return rng.choice(_DAMAGE)(rng, bytearray(data))


def _flipped(rng: random.Random, data: bytearray) -> bytes:
    near = rng.choice((64, 2000, len(data)))  # what stands in front matters most
    for _ in range(rng.choice((1, 1, 5, 100))):
        if data:
            data[rng.randrange(min(near, len(data)))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _cut(rng: random.Random, data: bytearray) -> bytes:
    return bytes(data[: rng.randrange(len(data) + 1)])


def _moved(rng: random.Random, data: bytearray) -> bytes:
    at = rng.randrange(len(data) + 1)
    return bytes(data[:at] + rng.randbytes(rng.randint(1, 40)) + data[at:])


def _emptied(rng: random.Random, data: bytearray) -> bytes:
    return rng.choice((b"", b"\0" * 16, rng.randbytes(200), b"\xff" * 64, b"{}", b"null", b"[]"))


_DAMAGE: Sequence[Callable[[random.Random, bytearray], bytes]] = (_flipped, _cut, _moved, _emptied)
