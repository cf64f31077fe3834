"""What position does to the words of a sentence: one word at two places, and how much is position.

§3.4, §3.5: x_t = √D E_w + PE_t. The same word has the same embedding everywhere; only its position
makes two different inputs of it.
"""

from dataclasses import dataclass

import numpy as np

from glassformer.core.analysis.positions import Table
from glassformer.core.analysis.vectors import Numbers, cosines, lengths, rows_at, side_of, tokens_of
from glassformer.core.errors import check_index
from glassformer.core.trace.graph import Stack
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace


@dataclass(frozen=True)
class Repeated:
    """A word that stands at several positions; by id, so two unknown words are one."""

    piece: str
    token: str  # as typed at its first place
    positions: tuple[int, ...]  # two or more, ascending


@dataclass(frozen=True)
class TwoPlaces:
    """Two positions of a sentence: the vectors of both, (2, D) each, and how alike they are."""

    positions: tuple[int, int]
    tokens: tuple[str, str]
    same: bool  # the same entry of the embedding table
    scaled: Numbers  # (2, D) √D E_w
    encoding: Numbers  # (2, D) PE
    input: Numbers  # (2, D) their sum

    @property
    def cosines(self) -> dict[str, float]:
        """Of `scaled`, `encoding` and `input`, −1..1; NaN where one has length 0."""
        return {name: float(cosines(*rows)) for name, rows in self._parts()}

    @property
    def distances(self) -> dict[str, float]:
        """‖first − second‖ of `scaled`, `encoding` and `input`."""
        return {name: float(lengths(first - second)) for name, (first, second) in self._parts()}

    def _parts(self) -> tuple[tuple[str, Numbers], ...]:
        return ("scaled", self.scaled), ("encoding", self.encoding), ("input", self.input)


@dataclass(frozen=True)
class Shares:
    """How much of each token's input is word and how much position, (T,) each.

    The shares of the squared length add up to 1: each is the part's dot product with the sum. One
    may be below 0 or above 1 where the two parts pull against each other.
    """

    tokens: tuple[str, ...]
    word: Numbers  # ‖√D E_w‖
    position: Numbers  # ‖PE‖
    sum: Numbers  # ‖√D E_w + PE‖, before dropout
    cosine: Numbers  # between the two parts; NaN where one has length 0
    position_share: Numbers  # PE · x / ‖x‖²
    word_share: Numbers  # √D E_w · x / ‖x‖²


def repeated_words(trace: Trace, stack: Stack) -> tuple[Repeated, ...]:
    """The words that a stack reads at more than one position.

    Args:
        trace: the run that is read, its first sentence.
        stack: which stack.

    Returns:
        In order of their first place, positions from 0.
    """
    ids = as_numpy(trace[f"{side_of(stack)}/ids"][0]).tolist()
    places: dict[int, list[int]] = {}
    for position, index in enumerate(ids):
        places.setdefault(index, []).append(position)
    tokens = tokens_of(trace, stack)
    return tuple(
        Repeated(trace.vocabulary[index], tokens[found[0]], tuple(found))
        for index, found in places.items()
        if len(found) > 1
    )


def two_places(
    trace: Trace, stack: Stack, first: int, second: int, table: Table | None = None
) -> TwoPlaces:
    """What enters a stack at two positions, of one word or of two (§3.5).

    The sum is before dropout and edits of `input`.

    Args:
        trace: the run that is read, its first sentence.
        stack: which stack.
        first: a position, from 0.
        second: a position, from 0.
        table: (S, D) encodings that are added in place of the run's own: the same sentence under
            another variant; None for the run's own.

    Returns:
        Word, encoding and their sum at both positions, (2, D) each.

    Raises:
        GlassformerError: `out_of_range` for a position beyond the sentence or the table.
    """
    tokens, at = tokens_of(trace, stack), [first, second]
    scaled, encoding = _parts(trace, stack)
    known = encoding if table is None else table.astype(np.float64)
    for position in at:
        check_index("position", position, min(len(tokens), len(known)))
    ids = as_numpy(trace[f"{side_of(stack)}/ids"][0])
    return TwoPlaces(
        positions=(first, second),
        tokens=(tokens[first], tokens[second]),
        same=bool(ids[first] == ids[second]),
        scaled=scaled[at],
        encoding=known[at],
        input=scaled[at] + known[at],
    )


def measure_shares(trace: Trace, stack: Stack) -> Shares:
    """The lengths of word and position in each token's input, and their shares in the sum's.

    Args:
        trace: the run that is read, its first sentence.
        stack: which stack.

    Returns:
        (T,) float64 each; a share is NaN where the sum has length 0.
    """
    word, position = _parts(trace, stack)  # (T, D) each
    whole = word + position  # (T, D)
    squared = np.square(whole).sum(axis=-1)  # (T,)
    with np.errstate(divide="ignore", invalid="ignore"):
        position_share = (position * whole).sum(axis=-1) / squared
        word_share = (word * whole).sum(axis=-1) / squared
    return Shares(
        tokens=tokens_of(trace, stack),
        word=lengths(word),
        position=lengths(position),
        sum=lengths(whole),
        cosine=cosines(word, position),
        position_share=position_share,
        word_share=word_share,
    )


def _parts(trace: Trace, stack: Stack) -> tuple[Numbers, Numbers]:
    """√D E_w and PE of each token, (T, D) each, as recorded."""
    side = side_of(stack)
    return rows_at(trace, f"{side}/scaled"), rows_at(trace, f"{side}/positions")
