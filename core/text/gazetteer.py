"""Names and nouns beyond the vocabulary: what a slot is to be filled with in each language.

Beside the listed ones, people by surname and title ("Mr. Wang" is 王先生) and Chinese names in
Latin letters (王芳 is Wang Fang; characters of common names only).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from glassformer.core.text.normalize import word_list
from glassformer.core.text.tokens import Token

TITLES = {"mr": "先生", "mrs": "太太", "ms": "女士", "miss": "小姐", "dr": "医生", "prof": "教授"}
WRITTEN = {"mr": "Mr.", "mrs": "Mrs.", "ms": "Ms.", "miss": "Miss", "dr": "Dr.", "prof": "Prof."}
# Titles that are words too: "Doctor Smith", but "the doctor".
SPELLED = {"doctor": "医生", "professor": "教授", "teacher": "老师", "president": "总统"}
ENGLISH = {chinese: WRITTEN[title] for title, chinese in TITLES.items()} | {"老师": "Teacher"}
FAMILIAR = {"小": "Xiao", "老": "Lao"}  # 小王: a surname among friends
NAMES = word_list("names")
SURNAMES = dict(pair.split("=") for line in NAMES["surnames"] for pair in line.split())
FOREIGN = dict(pair.split("=") for line in NAMES["foreign"] for pair in line.split())
EVERY_SURNAME = FOREIGN | SURNAMES
IN_CHINESE = {latin.lower(): han for han, latin in reversed(EVERY_SURNAME.items())}
GIVEN = {
    character: sound
    for line in NAMES["given"]
    for sound, characters in (pair.split("=") for pair in line.split())
    for character in characters
}


@dataclass(frozen=True)
class Filler:
    """What a slot stands for: how it is written in either language.

    `kind` is "name", "noun" or "num"; `plural` and `classifier` are empty where not known.
    """

    kind: str
    english: str
    chinese: str
    plural: str = ""
    classifier: str = ""

    @classmethod
    def literal(cls, kind: str, surface: str) -> "Filler":
        """An unknown word: carried over as it was typed.

        Args:
            kind: "name", "noun" or "num".
            surface: as typed.

        Returns:
            A filler that is written alike in both languages.
        """
        return cls(kind, surface, surface)

    def written(self, language: str) -> str:
        """How the filler is written.

        Args:
            language: "en"; any other is read as "zh".

        Returns:
            The word in that language, in the singular.
        """
        return self.english if language == "en" else self.chinese


@dataclass(frozen=True)
class Gazetteer:
    """Fillers by what may be typed."""

    english: dict[str, Filler]  # lower case, singular and plural
    chinese: dict[str, Filler]
    surnames: frozenset[str]
    apart: frozenset[str]  # English compounds that are read word by word where all are known


@cache
def load_gazetteer() -> Gazetteer:
    """Reads `data/gazetteer.toml`, once.

    Returns:
        Names, nouns and numbers by what may be typed.
    """
    table = word_list("gazetteer")
    english: dict[str, Filler] = {}
    chinese: dict[str, Filler] = {}
    for kind in ("name", "noun", "num"):
        for line in table[kind]:
            filler = _filler(kind, line)
            english.setdefault(filler.english.lower(), filler)
            if filler.plural:
                english.setdefault(filler.plural.lower(), filler)
            chinese.setdefault(filler.chinese, filler)
    return Gazetteer(english, chinese, frozenset(table["surnames"]), frozenset(table["apart"]))


def _filler(kind: str, line: str) -> Filler:
    english, _, rest = line.partition(" = ")
    chinese, _, classifier = rest.partition(" / ")
    singular, _, plural = english.partition("/")
    if kind == "noun" and not plural:
        plural = _plural(singular)
    return Filler(kind, singular, chinese, plural, classifier)


def _plural(noun: str) -> str:
    if noun[-1] == "y" and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def titled_name(
    tokens: list[Token], position: int, reads: Callable[[Token], bool]
) -> tuple[int, Filler] | None:
    """A title and the name behind it: "Mr. Smith", "Doctor Li".

    Args:
        tokens: of an English sentence.
        position: where the title would stand, from 0.
        reads: whether the model has a word for a token; then a title such as "mr" is that word.

    Returns:
        How many tokens they are, and the filler; None for anything else.
    """
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
    """From 王先生 "Mr. Wang", from 小李 "Xiao Li".

    Args:
        word: Chinese, simplified.

    Returns:
        The person in English; "" for another name.
    """
    surname, title = word[:1], word[1:]
    if surname in SURNAMES and title in ENGLISH:
        return f"{ENGLISH[title]} {SURNAMES[surname]}"
    if surname in FAMILIAR and title in SURNAMES:
        return f"{FAMILIAR[surname]} {SURNAMES[title]}"
    return ""


def name_in_english(name: str) -> str:
    """From 王小红 "Wang Xiaohong", from 李老师 "Teacher Li".

    Args:
        name: Chinese, simplified.

    Returns:
        The name in Latin letters; "" where a sound is not known.
    """
    if person := person_in_english(name):
        return person
    surname, given = name[:1], name[1:]
    if surname not in SURNAMES or not given or any(c not in GIVEN for c in given):
        return ""
    return f"{SURNAMES[surname]} {''.join(GIVEN[c] for c in given).capitalize()}"
