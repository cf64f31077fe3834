"""What a run of one's own learns from: families of the grammar, or one's own pairs."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from glassformer.core.corpus import DIRECTIONS, Grammar, HeldOut, Pair, draw_pair
from glassformer.core.corpus.lexicon import spellings
from glassformer.core.corpus.split import is_held_out, vary_punctuation, without_punctuation
from glassformer.core.errors import GlassformerError
from glassformer.core.text.detokenize import detokenize_pieces
from glassformer.core.text.normalize import has_word, normalize
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import RESERVED, Vocabulary
from glassformer.core.text.words import WordTokenizer, split_words
from glassformer.core.text_models.checkpoints import CHECKPOINTS, DEFAULT
from glassformer.core.training.data import Stream, corpus_tokenizer, grammar_stream
from glassformer.core.training.evaluation.held_out import has_pronoun

MOST_WORDS = 8_000  # the rarer ones are `<unk>`: a larger table would make every step slow
HELD_OUT_SHARE, FEWEST_HELD_OUT = 0.1, 5
SIDES = ("en", "zh")  # the places of the first and of the second language

SentencePair = tuple[str, str]
SAMPLE = 20_000  # sentences that the vocabulary is drawn from
MEASURED = 100  # held-out pairs
DRAWS = 40 * MEASURED  # for them: about one pair in 25 is held out
FEWEST_MEASURED = 5
EXAMPLE_DRAWS = 50  # for each example


@cache
def reference_vocabulary() -> Vocabulary:
    """The bundled translator's words, which divide Chinese until pairs have a vocabulary.

    Returns:
        The vocabulary; one without words where the translator is not there or cannot be read.
    """
    try:
        return Vocabulary.load(CHECKPOINTS / DEFAULT)
    except (OSError, ValueError):
        return Vocabulary((), {}, {})


def held_apart(
    pairs: Sequence[SentencePair], seed: int
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Pairs divided into those to learn from and those to measure on.

    A tenth is measured on, at least five; pairs of one source stay together, and those of one
    source at least are learned from.

    Args:
        pairs: of one's own.
        seed: of what is drawn.

    Returns:
        (to learn from, to measure on), both in the order given.
    """
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
    """A tokenizer that knows the words of the pairs, as they are mostly written.

    Args:
        pairs: of one's own.

    Returns:
        The tokenizer; it knows the `MOST_WORDS` most frequent words. A language begins its
        sentences with a capital where more than half of the pairs do.
    """
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
    vocabulary = Vocabulary(words[:MOST_WORDS], _capitalised(surfaces), second)
    return WordTokenizer(vocabulary, [SIDES[i] for i in (0, 1) if 2 * capitals[i] > len(pairs)])


def own_pairs(pairs: Sequence[SentencePair], tokenizer: WordTokenizer) -> tuple[Pair, ...]:
    """The pairs in pieces of the tokenizer's vocabulary; nothing is known of their alignment.

    Args:
        pairs: of one's own.
        tokenizer: divides the texts.

    Returns:
        The pairs, the first side as English and the second as Chinese; each teaches both
        directions.
    """
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
    """The pairs again and again, each time in another order.

    Args:
        pairs: in pieces; at least one.
        seed: of the orders.

    Yields:
        Pairs without end.
    """
    rng = random.Random(f"own pairs {seed}")
    while True:
        yield from rng.sample(pairs, len(pairs))


def _pieces(text: str, tokenizer: WordTokenizer) -> tuple[str, ...]:
    return tuple(map(tokenizer.piece, split_words(normalize(text), tokenizer.vocabulary)))


def _capitalised(surfaces: dict[str, Counter[str]]) -> dict[str, str]:
    """Words that are mostly written with capitals, even inside a sentence."""
    written = {word: max(found, key=found.__getitem__) for word, found in surfaces.items()}
    return {word: s for word, s in written.items() if s != word and has_word(s) and s.isascii()}


@dataclass(frozen=True)
class Lessons:
    """A tokenizer, an endless stream of pairs, and the pairs that are never trained on."""

    tokenizer: Tokenizer
    stream: Stream
    held_out: tuple[Pair, ...]
    pairs: int | None = None  # to learn from; None: ever fresh ones


def family_names(grammar: Grammar) -> tuple[str, ...]:
    """The families of sentence patterns.

    Args:
        grammar: the sentences' grammar.

    Returns:
        Their names, in the order of the grammar's templates: by name, where it was loaded.
    """
    return tuple(dict.fromkeys(rule.name for rule in grammar.templates.rules))


def pronoun_families(grammar: Grammar) -> tuple[str, ...]:
    """The families in which a pronoun stands for a noun of the sentence.

    Args:
        grammar: the sentences' grammar.

    Returns:
        Their names, in the order of the grammar's templates.
    """
    found = (rule.name for rule in grammar.templates.rules if has_pronoun(rule))
    return tuple(dict.fromkeys(found))


def narrow_grammar(grammar: Grammar, families: Sequence[str]) -> Grammar:
    """The grammar with some families alone.

    Args:
        grammar: the sentences' grammar.
        families: their names, () for all.

    Returns:
        A grammar with the templates of these families.

    Raises:
        GlassformerError: `training`, for a family that it lacks.
    """
    if not families:
        return grammar
    known = family_names(grammar)
    if foreign := [name for name in families if name not in known]:
        problem = f"the grammar has no family {', '.join(foreign)}; it has {', '.join(known)}"
        raise GlassformerError("training", problem=problem)
    return grammar.narrowed(lambda rule: rule.name in families)


def examples_of(grammar: Grammar, family: str, count: int = 1) -> tuple[tuple[str, str], ...]:
    """Sentences of a family in English and Chinese, the same ones every time.

    Args:
        grammar: the sentences' grammar.
        family: its name.
        count: how many at most, at least 1.

    Returns:
        (English, Chinese) of different sentences without copy slots; where none was drawn, one
            that
        has them.

    Raises:
        GlassformerError: `training`, for a family that the grammar lacks.
    """
    rng, narrow = random.Random(f"example {family}"), narrow_grammar(grammar, [family])
    found: dict[tuple[str, str], None] = {}
    for _ in range(EXAMPLE_DRAWS * count):
        pair = draw_pair(narrow, rng)
        if not {*pair.english, *pair.chinese} & {*RESERVED}:  # without copy slots
            found[detokenized_pair(pair)] = None
        if len(found) == count:
            break
    return tuple(found) or (detokenized_pair(pair),)


def detokenized_pair(pair: Pair) -> tuple[str, str]:
    """A pair of the grammar as people write it.

    Args:
        pair: in pieces.

    Returns:
        (English, Chinese).
    """
    sides = (("en", pair.english), ("zh", pair.chinese))
    english, chinese = (
        detokenize_pieces(pieces, {}, language, _spelling()).text for language, pieces in sides
    )
    return english, chinese


@cache
def _spelling() -> Vocabulary:
    return Vocabulary((), spellings(), {})


def grammar_lessons(
    grammar: Grammar, families: Sequence[str] = (), sample: int = SAMPLE
) -> Lessons:
    """Lessons on some families: fresh sentences, some combinations held out.

    Args:
        grammar: the sentences' grammar.
        families: their names, () for all.
        sample: sentence pairs that the vocabulary is drawn from.

    Returns:
        The lessons, at most `MEASURED` pairs held out.

    Raises:
        GlassformerError: `training`, for a family that the grammar lacks.
    """
    narrow = narrow_grammar(grammar, families)
    held_out = _held_out(narrow)
    return Lessons(
        corpus_tokenizer(narrow, sample), grammar_stream(narrow, held_out), held_out.pairs
    )


def own_lessons(pairs: Sequence[SentencePair], seed: int) -> Lessons:
    """Lessons on pairs of one's own: a tenth held out, the vocabulary that of the others.

    Args:
        pairs: of one's own.
        seed: of what is held out.

    Returns:
        The lessons; of what is held out at most `MEASURED` pairs are measured.
    """
    learned, kept = held_apart(pairs, seed)
    tokenizer = own_tokenizer(learned)
    taught = own_pairs(learned, tokenizer)
    held_out = own_pairs(kept, tokenizer)[:MEASURED]
    return Lessons(tokenizer, partial(own_stream, taught), held_out, len(taught))


def _held_out(grammar: Grammar) -> HeldOut:
    """Pairs of held-out combinations; whole sentences where the patterns have no such thing."""
    rng = random.Random("held out of one's own run")
    drawn = [draw_pair(grammar, rng) for _ in range(DRAWS)]
    found = {(p.english, p.chinese): p for p in drawn if is_held_out(p.key)}
    if len(found) < FEWEST_MEASURED:
        distinct = {(p.english, p.chinese): p for p in drawn}
        some = min(FEWEST_MEASURED, len(distinct) // 5)  # of a handful, most are for learning
        found = dict(list(distinct.items())[:some])
    pairs = tuple(vary_punctuation(pair, rng) for pair in list(found.values())[:MEASURED])
    return HeldOut(
        pairs,
        frozenset(without_punctuation(side) for pair in pairs for side in pair.sides("en-zh")),
    )
