"""People by surname and title: "Mr. Wang" is 王先生, and the other way round."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from core.text.gazetteer import Filler
from core.text.normalize import DATA
from core.text.tokens import Token

TITLES = {"mr": "先生", "mrs": "太太", "ms": "女士", "miss": "小姐", "dr": "医生", "prof": "教授"}
WRITTEN = {"mr": "Mr.", "mrs": "Mrs.", "ms": "Ms.", "miss": "Miss", "dr": "Dr.", "prof": "Prof."}
# Titles that are words too: "Doctor Smith", but "the doctor".
SPELLED = {"doctor": "医生", "professor": "教授", "teacher": "老师", "president": "总统"}
ENGLISH = {chinese: WRITTEN[title] for title, chinese in TITLES.items()} | {"老师": "Teacher"}
FAMILIAR = {"小": "Xiao", "老": "Lao"}  # 小王: a surname among friends
NAMES = tomllib.loads((DATA / "names.toml").read_text("utf-8"))
SURNAMES = dict(pair.split("=") for line in NAMES["surnames"] for pair in line.split())
FOREIGN = dict(pair.split("=") for line in NAMES["foreign"] for pair in line.split())
EVERY_SURNAME = FOREIGN | SURNAMES
IN_CHINESE = {latin.lower(): han for han, latin in reversed(EVERY_SURNAME.items())}


def titled(
    tokens: list[Token], position: int, reads: Callable[[Token], bool]
) -> tuple[int, Filler] | None:
    """A title and the name behind it, and how many tokens they are; None for anything else."""
    title = tokens[position]
    word = title.word in SPELLED
    plain = title.word not in TITLES or reads(title)
    if (plain and not word) or not title.surface[:1].isupper():
        return None
    end = position + 1
    while end < len(tokens) and tokens[end].kind == "word" and tokens[end].surface[:1].isupper():
        end += 1
    name = " ".join(token.surface for token in tokens[position + 1 : end])
    if not name:
        return None
    called = SPELLED.get(title.word) or TITLES[title.word]
    written = title.surface if word else WRITTEN[title.word]
    chinese = IN_CHINESE.get(name.lower(), name) + called
    return end - position, Filler("name", f"{written} {name}", chinese)


def person_in_english(word: str) -> str:
    """From 王先生 "Mr. Wang", from 小李 "Xiao Li"; "" for another name."""
    surname, title = word[:1], word[1:]
    if surname in SURNAMES and title in ENGLISH:
        return f"{ENGLISH[title]} {SURNAMES[surname]}"
    if surname in FAMILIAR and title in SURNAMES:
        return f"{FAMILIAR[surname]} {SURNAMES[title]}"
    return ""
