"""The word lists: one entry a word, with its forms in both languages."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from glassformer.core.errors import GlassformerError

VOWELS = "aeiou"
DATA = Path(__file__).parent / "data"
SETTINGS = ("classifier", "agreement", "mass", "copy")  # of a whole category
WORD_FILES = ("nouns.toml", "verbs.toml", "adjectives.toml", "others.toml", "scenes.toml")
ACTS = ("verb", "giving", "act", "compute", "tuning")  # kinds of words that are verbs
THINGS = ("learner", "datum", "component", "fact")  # and nouns, beside the kind "noun"
EVENNESS = 10  # the word at rank r of its category is drawn as often as 1 / (r + EVENNESS)


def plural_form(noun: str) -> str:
    """Cat → cats, city → cities, box → boxes; of several words the last changes.

    Args:
        noun: in the singular.

    Returns:
        The regular plural.
    """
    if _consonant_y(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")


def third_person(verb: str) -> str:
    """Like → likes, watch → watches, study → studies, go → goes, have → has.

    Args:
        verb: its base form.

    Returns:
        The third person singular of the present tense.
    """
    if verb == "have":
        return "has"
    return verb + "es" if verb.endswith("o") else plural_form(verb)


def past_form(verb: str) -> str:
    """Like → liked, study → studied, chat → chatted, visit → visited.

    Args:
        verb: its base form.

    Returns:
        The regular past tense.
    """
    if verb.endswith("e"):
        return verb + "d"
    if _consonant_y(verb):
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def present_participle(verb: str) -> str:
    """Like → liking, swim → swimming, see → seeing.

    Args:
        verb: its base form.

    Returns:
        The form that ends in -ing.
    """
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def comparison_forms(adjective: str) -> tuple[str, str]:
    """Big → bigger, biggest; useful → more useful, most useful.

    Args:
        adjective: its base form.

    Returns:
        (comparative, superlative).
    """
    short = _syllables(adjective) == 1 or (_syllables(adjective) == 2 and adjective[-1] == "y")
    if not short:
        return f"more {adjective}", f"most {adjective}"
    if _consonant_y(adjective):
        return adjective[:-1] + "ier", adjective[:-1] + "iest"
    stem = adjective[:-1] if adjective.endswith("e") else _doubled(adjective)
    return stem + "er", stem + "est"


def _consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and word[-2] not in VOWELS


def _syllables(word: str) -> int:
    stem = word[:-1] if word.endswith("e") else word
    return max(1, len(re.findall(r"[aeiouy]+", stem)))


def _doubled(word: str) -> str:
    """One short vowel before one final consonant doubles it: swim → swimm."""
    ends_short = re.search(r"(^|[^aeiou])[aeiou][^aeiouwxy]$", word)
    return word + word[-1] if ends_short and _syllables(word) == 1 else word


@dataclass(frozen=True, eq=False)
class Entry:
    """A word (or a fixed group of words) in both languages."""

    key: str  # "cat=猫": what a held-out combination is named by
    category: str  # "noun.animal"
    english: dict[str, tuple[str, ...]]  # form -> words; "" is the base form
    chinese: tuple[str, ...]
    classifier: str = "个"
    container: str = ""  # "cup" for 茶: a cup of tea
    agreement: str = "third"  # "first", "third", "other": I am, he is, they are
    mass: bool = False
    takes: tuple[str, ...] = ()
    fits: tuple[str, ...] = ()
    copy: str = ""  # the kind of slot an unknown word of this category takes
    frequency: float = 1.0  # how often it is drawn, beside an average word of its category
    synonyms: "tuple[Entry, ...]" = field(default=())

    @property
    def is_slot(self) -> bool:
        """Whether this stands for a word that the vocabulary does not have."""
        return self.key.startswith("<")

    def words(self, form: str) -> tuple[str, ...]:
        """The English words in a form.

        Args:
            form: such as "plural" or "past"; "" is the base form.

        Returns:
            The words; for a form that the entry lacks those of its base form.
        """
        return self.english.get(form, self.english[""])


class Lexicon:
    """All entries, found by category and by what goes together with what."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._categories = _by_category(self.entries)
        self._matches: dict[tuple[str, str, tuple[str, ...], bool], tuple[Entry, ...]] = {}
        self._reached: dict[int, tuple[tuple[Entry, ...], list[float]]] = {}

    def category(self, name: str) -> tuple[Entry, ...]:
        """Entries of a category: "noun.animal", or "noun" for all nouns.

        Args:
            name: of the category.

        Returns:
            The entries in the order of the word lists; () where there is no such category.
        """
        return self._categories.get(name, ())

    def matching(self, name: str, partner: Entry) -> tuple[Entry, ...]:
        """Entries of a category that go with the partner.

        Adjectives that fit a noun, the verbs that take it, or the nouns that a verb takes. Beside a
        copy slot only words that have one translation whatever they go with.

        Args:
            name: of the category.
            partner: the word that they go with.

        Returns:
            The entries in the order of the word lists; there may be none.
        """
        index = (name, partner.category, partner.takes, partner.is_slot)
        if index not in self._matches:
            found = [e for e in self.category(name) if _go_together(e, partner)]
            if partner.is_slot:
                found = [e for e in found if self._means_one(name, e)]
            self._matches[index] = tuple(found)
        return self._matches[index]

    def cumulative(self, entries: tuple[Entry, ...]) -> list[float]:
        """Cumulative frequencies of entries.

        Args:
            entries: as `category` or `matching` gave them.

        Returns:
            As many numbers, the last the sum of all frequencies.
        """
        found = self._reached.get(id(entries))
        if found is None:  # kept with its list: while it is here, no other has its id
            found = entries, list(accumulate(entry.frequency for entry in entries))
            self._reached[id(entries)] = found
        return found[1]

    def _means_one(self, name: str, entry: Entry) -> bool:
        """Whether a word has the same translation whatever it goes with.

        Beside a slot, which tells nothing of its noun, no other word has a determined
        translation (old: 老 or 旧?).
        """
        same = [
            e
            for e in self.category(name)
            if e.english[""] == entry.english[""] or e.chinese == entry.chinese
        ]
        return len({(e.english[""], e.chinese) for e in same}) == 1


def _by_category(entries: tuple[Entry, ...]) -> dict[str, tuple[Entry, ...]]:
    """Each category's entries in their order: those of "noun.animal" are also among "noun"."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        parts = entry.category.split(".")
        for end in range(1, len(parts) + 1):
            found.setdefault(".".join(parts[:end]), []).append(entry)
    return {name: tuple(listed) for name, listed in found.items()}


def _go_together(one: Entry, other: Entry) -> bool:
    return (
        other.category in one.fits
        or other.category in one.takes
        or one.category in other.takes
        or one.category in other.fits
    )


def load_lexicon(folder: Path = DATA) -> Lexicon:
    """Reads the word lists.

    Args:
        folder: with the files of `WORD_FILES`.

    Returns:
        The lexicon.

    Raises:
        GlassformerError: `grammar`, for a malformed line or an unknown setting.
        ValueError: a file is no TOML.
    """
    entries: list[Entry] = []
    for name in WORD_FILES:
        for kind, categories in tomllib.loads((folder / name).read_text("utf-8")).items():
            for category, table in categories.items():
                found = [_entry(name, f"{kind}.{category}", table, li) for li in table["words"]]
                shares = _frequencies(len(found))
                entries += [replace(e, frequency=f) for e, f in zip(found, shares, strict=True)]
    return Lexicon(entries)


def _frequencies(count: int) -> list[float]:
    """How often each of so many words is drawn, the first the most often; 1 on average.

    Zipf's law, mildly: people type frequent words, but rare ones have to be learned too.
    """
    shares = [1 / (rank + EVENNESS) for rank in range(count)]
    return [share * count / sum(shares) for share in shares]


def _entry(file: str, category: str, table: dict[str, Any], line: str) -> Entry:
    """From "mouse/mice, rat = 老鼠 / 只" the entry of mouse, with rat as its synonym."""
    english, separator, rest = line.partition(" = ")
    if not separator:
        raise GlassformerError("grammar", file=file, problem=f"“{line}” lacks “ = ”")
    chinese, _, measure = rest.partition(" / ")
    classifier, _, container = measure.partition(" ")
    spellings = [spelling.strip() for spelling in english.split(",")]
    if unknown := sorted(set(table) - {"words", "takes", "fits", *SETTINGS}):
        problem = f"[{category}] has the unknown setting {', '.join(unknown)}"
        raise GlassformerError("grammar", file=file, problem=problem)
    first = Entry(
        key=f"{spellings[0].split('/')[0]}={chinese}",
        category=category,
        english=_forms(category, spellings[0], container),
        chinese=tuple(chinese.split()),
        container=container,
        takes=tuple(table.get("takes", ())),
        fits=tuple(table.get("fits", ())),
        **{name: table[name] for name in SETTINGS if name in table},
    )
    if classifier:
        first = replace(first, classifier=classifier)
    others = [replace(first, english=_forms(category, s, container)) for s in spellings[1:]]
    return replace(first, synonyms=tuple(others))


def _forms(category: str, spelling: str, container: str) -> dict[str, tuple[str, ...]]:
    """From "go/went/gone to" {"": go to, "past": went to, …}: every form has the tail."""
    kind = category.partition(".")[0]
    given = spelling.split("/")
    tail: list[str] = []
    if kind in ACTS:
        given[-1], *tail = given[-1].split(" ")
    makers = {"adjective": _adjective, "pronoun": _pronoun}
    makers |= dict.fromkeys(("noun", *THINGS), _noun) | dict.fromkeys(ACTS, _verb)
    forms = makers[kind](given) if kind in makers else {"": given[0]}
    if container:
        forms |= {"container": container, "containers": plural_form(container)}
    return {form: tuple(f"{text} {' '.join(tail)}".lower().split()) for form, text in forms.items()}


def _noun(given: list[str]) -> dict[str, str]:
    return {"": given[0], "plural": given[1] if len(given) > 1 else plural_form(given[0])}


def _verb(given: list[str]) -> dict[str, str]:
    base = given[0]
    regular = past_form(base)
    return {
        "": base,
        "third": third_person(base),
        "past": given[1] if len(given) > 1 else regular,
        "done": given[2] if len(given) > 2 else regular,
        "ing": given[3] if len(given) > 3 else present_participle(base),
    }


def _adjective(given: list[str]) -> dict[str, str]:
    more, most = comparison_forms(given[0])
    if len(given) > 2:
        more, most = given[1], given[2]
    return {"": given[0], "more": more, "most": most}


def _pronoun(given: list[str]) -> dict[str, str]:
    return dict(zip(("", "object", "possessive"), given, strict=True))


def spellings(folder: Path = DATA) -> dict[str, str]:
    """How words with capitals are written: {"beijing": "Beijing", "i": "I"}.

    A word that is also written small ("new" beside "New Year") stays small.

    Args:
        folder: with the files of `WORD_FILES`.

    Returns:
        The word as it is written, by the word in small letters.
    """
    words: set[str] = set()
    for name in WORD_FILES:
        for categories in tomllib.loads((folder / name).read_text("utf-8")).values():
            for table in categories.values():
                for line in table["words"]:
                    english = line.partition(" = ")[0]
                    words.update(english.replace("/", " ").replace(",", " ").split())
    return {word.lower(): word for word in words if word != word.lower() not in words}
