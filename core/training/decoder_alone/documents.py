"""Documents to read: a few English sentences that share a word, of the grammar and free ones.

Sentences drawn one by one have nothing to do with each other, and a model that reads them learns
nothing from what stands further back. So a document is about one word; names and nouns that the
grammar leaves open are filled once a document, most of them with made-up ones; now and then
everything is said twice, and lists of words, many of them made up, always are.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from glassformer.core.corpus import Grammar, draw_pair
from glassformer.core.corpus.lexicon import spellings
from glassformer.core.corpus.split import is_held_out
from glassformer.core.text.detokenize import detokenize_pieces
from glassformer.core.text.gazetteer import Filler, load_gazetteer
from glassformer.core.text.vocabulary import SLOTS, Vocabulary

SENTENCES = Path(__file__).resolve().parents[3] / "assets" / "sentences"
OPEN = ("everyday.json", "free_typed_open.json", "teachers_open.json", "daily_open.json")
SEALED = ("free_typed_sealed.json", "teachers_sealed.json", "daily_sealed.json")
DRAWN = 5000  # sentences that are drawn together, so that some share a word
SHORTEST, LONGEST = 2, 6  # sentences of a document
COMMON = 100  # a word of more sentences in `DRAWN` is no topic
FREE_RATE, TWICE_RATE, EXCLAMATION_RATE, MADE_UP_RATE = 0.04, 0.15, 0.05, 0.5
SHORTEST_LIST, LONGEST_LIST = 6, 14  # words that have nothing to say
MOST_TWICE = 3  # sentences of a document that says them twice
LARGEST_NUMBER = 200
BEGINNINGS = "b bl br ch d dr f g gl h j k l m n p pl r s sh sk sn t th tr v w y z".split()
MIDDLES, ENDINGS = "a e i o u ee oo ar or".split(), ("", "", "n", "l", "r", "x", "b", "m", "ck")
KINDS = ("name", "noun", "num")
OPEN_TOPICS = ("<name>", "<noun>")
Pieces = tuple[str, ...]


def held_out_sentences(grammar: Grammar, count: int) -> tuple[Pieces, ...]:
    """Sentences whose combination of template and words is kept for testing.

    Args:
        grammar: the sentences' grammar.
        count: how many.

    Returns:
        English sentences in pieces, each once; no mark ends them but "?".
    """
    rng, found = random.Random("held-out documents"), dict[Pieces, None]()
    while len(found) < count:
        found[draw_pair(grammar, rng, wanted=is_held_out).english] = None
    return tuple(found)


def held_out_documents(grammar: Grammar, count: int) -> list[str]:
    """Documents of held-out sentences alone, made as those of the training are.

    Args:
        grammar: the sentences' grammar.
        count: sentences.

    Returns:
        The documents.
    """
    return list(documents_of(held_out_sentences(grammar, count), random.Random("held out")))


def lesson_documents(grammar: Grammar, count: int) -> list[str]:
    """Documents of so many fresh sentences alone, none of them of a held-out combination.

    Args:
        grammar: the sentences' grammar.
        count: sentences.

    Returns:
        The documents.
    """
    rng, found = random.Random("lessons"), dict[Pieces, None]()
    while len(found) < count:
        found[draw_pair(grammar, rng, wanted=lambda key: not is_held_out(key)).english] = None
    return list(documents_of(tuple(found), rng))


def training_documents(
    grammar: Grammar, kept: frozenset[Pieces], seed: str, lists: float
) -> Iterator[str]:
    """Documents of fresh sentences without end; in between free ones, and lists of words.

    Args:
        grammar: the sentences' grammar.
        kept: sentences of the test set, which are left out, as are all of their combinations.
        seed: of what is drawn.
        lists: how many lists of words there are for each document of sentences.

    Yields:
        The documents.
    """
    rng, free = random.Random(f"documents {seed}"), free_sentences()
    while True:
        drawn = list[Pieces]()
        while len(drawn) < DRAWN:
            sentence = draw_pair(grammar, rng, wanted=lambda key: not is_held_out(key)).english
            if sentence not in kept:
                drawn.append(sentence)
        for document in documents_of(drawn, rng):
            if rng.random() < FREE_RATE:
                yield " ".join(rng.sample(free, rng.randint(SHORTEST, LONGEST)))
            if rng.random() < lists:
                yield list_said_twice(rng)
            yield document


def list_said_twice(rng: random.Random) -> str:
    """Words in no order that mean nothing together, and the same again: only a look back helps.

    Args:
        rng: what draws.

    Returns:
        The document.
    """
    words = random_words(rng, rng.randint(SHORTEST_LIST, LONGEST_LIST))
    said = f"{words[:1].upper()}{words[1:]}."
    return f"{said} {said}"


def random_words(rng: random.Random, count: int) -> str:
    """Rare and made-up words.

    Args:
        rng: what draws.
        count: how many.

    Returns:
        The words with blanks between them.
    """
    kinds = rng.choices(("noun", "name"), weights=(3, 1), k=count)
    return " ".join(_filler(kind, rng).english for kind in kinds)


def held_out_free_documents() -> list[str]:
    """Documents of the sealed free sentences, four of one set each; none is in the training.

    Returns:
        The documents.
    """
    known = set(free_sentences())
    fresh = [each for each in _read_english(SEALED) if each not in known]
    return [" ".join(fresh[i : i + 4]) for i in range(0, len(fresh), 4)]


@cache
def free_sentences() -> tuple[str, ...]:
    """English of the open sets: what is typed, and what translations may be.

    Returns:
        The sentences, each once and with a mark at its end.
    """
    return _read_english(OPEN)


def _read_english(files: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for file in files:
        for row in json.loads((SENTENCES / file).read_text("utf-8")):
            english = [row["text"]] if row["direction"] == "en-zh" else row["accepted"]
            for text in english:
                found[text if text[-1] in ".?!" else f"{text}."] = None
    return tuple(found)


def documents_of(drawn: Sequence[Pieces], rng: random.Random) -> Iterator[str]:
    """Sentences gathered to documents; each is in one.

    Args:
        drawn: English sentences in pieces.
        rng: what draws.

    Yields:
        The documents.
    """
    counts = Counter(word for sentence in drawn for word in set(_topics(sentence)))
    having: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(drawn):
        for word in set(_topics(sentence)):
            having[word].append(place)
    used: set[int] = set()
    for first, sentence in enumerate(drawn):
        if first in used:
            continue
        words = dict.fromkeys(_topics(sentence))
        topics = [w for w in words if 1 < counts[w] <= COMMON or w in OPEN_TOPICS]
        others = having[rng.choice(topics)] if topics else []
        length = rng.randint(SHORTEST, LONGEST)
        places = [first, *(each for each in others if each not in used and each != first)]
        places = places[:length]
        used.update(places)
        yield _written([drawn[place] for place in places], rng)


def _topics(sentence: Pieces) -> Iterator[str]:
    """The words that a document may be about; all slots of a kind are one."""
    for piece in sentence:
        if piece in SLOTS:
            yield f"<{_kind(piece)}>"
        elif piece.isalpha():
            yield piece


def _kind(slot: str) -> str:
    return slot.strip("<>1234")


def _written(sentences: list[Pieces], rng: random.Random) -> str:
    """The text of a document."""
    if rng.random() < TWICE_RATE:
        sentences = sentences[:MOST_TWICE]
        sentences = [*sentences, *rng.sample(sentences, len(sentences))]
    fillers = {kind: [_filler(kind, rng) for _ in range(len(SLOTS))] for kind in KINDS}
    marks = {each: "!" if rng.random() < EXCLAMATION_RATE else "." for each in sentences}
    return " ".join(_sentence(each, fillers, marks[each]) for each in sentences)


def _sentence(pieces: Pieces, fillers: dict[str, list[Filler]], mark: str) -> str:
    """One sentence: its first slot of a kind is the document's first filler of that kind."""
    ends = pieces[-1] in (".", "?", "!")
    pieces = pieces if ends and pieces[-1] != "." else (*(pieces[:-1] if ends else pieces), mark)
    slots = dict.fromkeys(piece for piece in pieces if piece in SLOTS)
    numbers: Counter[str] = Counter()
    filled: dict[str, Filler] = {}
    for slot in slots:
        kind = _kind(slot)
        filled[slot] = fillers[kind][numbers[kind]]
        numbers[kind] += 1
    return detokenize_pieces(pieces, filled, "en", _spelling()).text


def _filler(kind: str, rng: random.Random) -> Filler:
    if kind == "num":
        return Filler.literal(kind, str(rng.randint(2, LARGEST_NUMBER)))
    if kind == "noun" and rng.random() >= MADE_UP_RATE:
        return rng.choice(_nouns())
    syllables = rng.randint(2, 3) if kind == "name" else rng.randint(1, 2)
    made = "".join(rng.choice(BEGINNINGS) + rng.choice(MIDDLES) for _ in range(syllables))
    made += rng.choice(ENDINGS)
    if kind == "name":
        return Filler.literal(kind, made.capitalize())
    return Filler(kind, made, made, plural=f"{made}s")


@cache
def _nouns() -> tuple[Filler, ...]:
    every = dict.fromkeys(load_gazetteer().english.values())
    return tuple(each for each in every if each.kind == "noun" and each.english.isascii())


@cache
def _spelling() -> Vocabulary:
    return Vocabulary((), spellings(), {})
