"""What people's own pairs are made of: their words, as a tokenizer, and as examples to learn."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from core.checkpoints import CHECKPOINTS, DEFAULT
from core.corpus import DIRECTIONS, Pair
from core.text.normalize import has_word, normalize
from core.text.tokens import Token
from core.text.vocabulary import RESERVED, UNKNOWN, Vocabulary
from core.text.words import WordTokenizer, split_words

MOST_WORDS = 8_000  # the rarer ones are `<unk>`: a larger table would make every step slow
HELD_OUT_SHARE, FEWEST_HELD_OUT = 0.1, 5
SIDES = ("en", "zh")  # the places of the first and of the second language

SentencePair = tuple[str, str]


@cache
def reference_vocabulary() -> Vocabulary:
    """The bundled translator's words, which divide Chinese until pairs have a vocabulary."""
    try:
        return Vocabulary.load(CHECKPOINTS / DEFAULT)
    except (OSError, ValueError):
        return Vocabulary((), {}, {})


def held_apart(
    pairs: Sequence[SentencePair], seed: int
) -> tuple[list[SentencePair], list[SentencePair]]:
    """(to learn from, to measure on): a tenth, at least five; pairs of one source stay together."""
    together: dict[str, list[SentencePair]] = defaultdict(list)
    for pair in pairs:
        together[pair[0]].append(pair)
    sources = list(together)
    random.Random(f"own pairs {seed}").shuffle(sources)
    wanted = max(FEWEST_HELD_OUT, round(HELD_OUT_SHARE * len(pairs)))
    kept: set[str] = set()
    count = 0
    for source in sources[:-1]:  # one at least is learned from
        if count >= wanted:
            break
        kept.add(source)
        count += len(together[source])
    learned = [pair for pair in pairs if pair[0] not in kept]
    return learned, [pair for pair in pairs if pair[0] in kept]


def own_tokenizer(pairs: Sequence[SentencePair]) -> WordTokenizer:
    """A tokenizer that knows the words of the pairs, as they are mostly written."""
    counts = Counter[str](), Counter[str]()
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    capitals = [0, 0]
    for pair in pairs:
        for side, text in enumerate(pair):
            tokens = split_words(normalize(text), reference_vocabulary())
            counts[side].update(token.word for token in tokens)
            capitals[side] += text[:1].isupper()
            for token in tokens[1:]:  # the first word may owe its capital to its place
                surfaces[token.word][token.surface] += 1
    both = counts[0] + counts[1]
    words = sorted((w for w in both if w not in RESERVED), key=lambda w: (-both[w], w))
    second = {word: n for word, n in counts[1].items() if n > counts[0][word]}
    vocabulary = Vocabulary(words[:MOST_WORDS], _spelling(surfaces), second)
    return WordTokenizer(vocabulary, [SIDES[i] for i in (0, 1) if 2 * capitals[i] > len(pairs)])


def own_pairs(pairs: Sequence[SentencePair], tokenizer: WordTokenizer) -> tuple[Pair, ...]:
    """The pairs in pieces of the tokenizer's vocabulary; nothing is known of their alignment."""
    return tuple(
        Pair(
            english=_pieces(first, tokenizer),
            chinese=_pieces(second, tokenizer),
            alignment=(),
            antecedents=(),
            template="own",
            key="",
            directions=DIRECTIONS,
        )
        for first, second in pairs
    )


def own_stream(pairs: Sequence[Pair], seed: str) -> Iterator[Pair]:
    """The pairs again and again, each time in another order."""
    rng = random.Random(f"own pairs {seed}")
    while True:
        yield from rng.sample(pairs, len(pairs))


def _pieces(text: str, tokenizer: WordTokenizer) -> tuple[str, ...]:
    tokens = split_words(normalize(text), tokenizer.vocabulary)
    return tuple(_piece(token, tokenizer) for token in tokens)


def _piece(token: Token, tokenizer: WordTokenizer) -> str:
    return token.word if tokenizer.knows(token.word) else UNKNOWN


def _spelling(surfaces: dict[str, Counter[str]]) -> dict[str, str]:
    """Words that are mostly written with capitals, even inside a sentence."""
    written = {word: max(found, key=found.__getitem__) for word, found in surfaces.items()}
    return {word: s for word, s in written.items() if s != word and has_word(s) and s.isascii()}
