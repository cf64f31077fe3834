"""A language model of counts: how often a word followed the words before it.

Of an order n, it looks at the n − 1 words before. What was never counted has a probability of 0;
smoothing gives it some: k is added to every count (Laplace), or the shares of longer and shorter
contexts are mixed (Jelinek and Mercer).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any, Literal, get_args

from glassformer.core.lab.inputs import read_choice, read_number

Kind = Literal["mix", "add"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST = 5  # words of an n-gram
BEGIN = "<s>"  # stands before the first word as often as it takes

Words = Sequence[str]
Context = tuple[str, ...]


@dataclass(frozen=True)
class Smoothing:
    """How words that were never counted get a probability."""

    kind: Kind
    k: float  # "add": added to every count
    share: float  # "mix": of the longest context that was counted


@dataclass(frozen=True)
class Likely:
    """A word that may come next."""

    word: str
    probability: float
    count: int  # how often it followed the context


@dataclass(frozen=True)
class Perplexity:
    """How well a model foresees sentences."""

    value: float  # e to the mean of −ln p of a word: among so many words it is torn
    words: int  # of the sentences, with the end token of each
    unseen: int  # of them, those that never followed their context


@dataclass(frozen=True)
class NGrams:
    """What followed what, and how often.

    Args:
        followers: at n − 1: of each context of n − 1 words, how often each word followed.
        vocabulary: how many words there are, counted or not.
    """

    followers: tuple[Mapping[Context, Counter[str]], ...]
    vocabulary: int

    def probability(self, word: str, before: Words, order: int, smoothing: Smoothing) -> float:
        """How likely a word comes next.

        Args:
            word: the word.
            before: all words before it, of the sentence.
            order: n, 1 to `LONGEST`.
            smoothing: what is done about words that were never counted.

        Returns:
            0 to 1; over the whole vocabulary they sum to 1.
        """
        counts = self.after(before, order)
        total = counts.total()
        if smoothing.kind == "add":
            k = smoothing.k
            spread = total + k * self.vocabulary
            return (counts[word] + k) / spread if spread else 0.0
        shorter = (
            1 / self.vocabulary
            if order == 1
            else self.probability(word, before, order - 1, smoothing)
        )
        if not total:
            return shorter
        return smoothing.share * counts[word] / total + (1 - smoothing.share) * shorter

    def after(self, before: Words, order: int) -> Counter[str]:
        """What followed the last words of these.

        Args:
            before: the words of a sentence so far.
            order: n: its last n − 1 words count.

        Returns:
            How often each word came next; empty where the context was never met.
        """
        return self.followers[order - 1].get(_context(before, order), Counter())

    def likeliest(
        self, before: Words, order: int, smoothing: Smoothing, most: int
    ) -> tuple[Likely, ...]:
        """The words that are most probably next.

        Args:
            before: the words of a sentence so far.
            order: n.
            smoothing: of the probabilities.
            most: how many words.

        Returns:
            The likeliest first, of equals the more frequent one; none with a probability of 0.
        """
        counts, frequent = self.after(before, order), self.followers[0][()]
        known = [
            (self.probability(word, before, order, smoothing), often, word)
            for word, often in frequent.items()
        ]
        best = sorted(known, key=lambda each: (-each[0], -each[1], each[2]))[:most]
        return tuple(Likely(word, p, counts[word]) for p, _, word in best if p > 0)

    def perplexity(
        self, sentences: Iterable[Words], end: str, order: int, smoothing: Smoothing, first: int = 0
    ) -> Perplexity:
        """How well the counts foresee sentences.

        Args:
            sentences: in words.
            end: the end token, which is foreseen, too; "" for none.
            order: n.
            smoothing: of the probabilities.
            first: the first word that is foreseen; those before it are only read.

        Returns:
            The perplexity, ∞ where a word has a probability of 0.
        """
        losses, unseen = list[float](), 0
        for sentence in sentences:
            words = [*sentence, end] if end else sentence
            for at, word in enumerate(words[first:], first):
                p = self.probability(word, sentence[:at], order, smoothing)
                losses.append(-log(p) if p > 0 else inf)
                unseen += not self.after(sentence[:at], order)[word]
        return Perplexity(exp(sum(losses) / len(losses)), len(losses), unseen)


def count_ngrams(sentences: Iterable[Words], end: str, vocabulary: int) -> NGrams:
    """Counts what follows what.

    Args:
        sentences: in words.
        end: the end token, which follows the last word of each.
        vocabulary: how many different words there are.

    Returns:
        The counts of every order up to `LONGEST`.
    """
    followers = [defaultdict[Context, Counter[str]](Counter) for _ in range(LONGEST)]
    for sentence in sentences:
        for at, word in enumerate((*sentence, end)):
            for order, counts in enumerate(followers, start=1):
                counts[_context(sentence[:at], order)][word] += 1
    return NGrams(tuple(map(dict, followers)), vocabulary)


def read_smoothing(smoothing: Any, k: Any, share: Any) -> Smoothing:
    """What is typed of the smoothing.

    Args:
        smoothing: one of `KINDS`.
        k: 0 to 10.
        share: 0 to 1.

    Returns:
        The same, as numbers.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    kind: Kind = "add" if read_choice("smoothing", smoothing, KINDS) == "add" else "mix"
    return Smoothing(kind, read_number("k", k, 0, 10), read_number("share", share, 0, 1))


def _context(before: Words, order: int) -> Context:
    wanted = order - 1
    kept = tuple(before[max(0, len(before) - wanted) :])
    return (BEGIN,) * (wanted - len(kept)) + kept
