"""The cut through one row of logits: what stays after temperature, top-k and top-p.

Top-k is Fan et al. 2018 (arXiv 1805.04833), top-p ("nucleus") Holtzman et al. 2020 (arXiv
1904.09751). In this order: words that may not be written leave; logits / temperature; the k best
stay; of these, with probabilities renormalised, the fewest that reach p together stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from core.decoding.step import check_number
from core.device import precise

HOTTEST, MOST_WORDS = 100.0, 1_000_000
BEYOND = 10  # words cut away that are listed too, the best of them
Fate = Literal["kept", "top_k", "top_p", "temperature"]  # what cut a word away


@dataclass(frozen=True)
class Sampling:
    """How words are drawn; the same seed draws the same words.

    temperature: 0 is greedy, 1 the model's own distribution, more is more even. top_k, top_p: None
    cuts nothing. Raises `decoding_range` for what cannot be.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_number("temperature", self.temperature, 0.0, HOTTEST)
        check_number("seed", self.seed, 0, 2**63 - 1)
        if self.top_k is not None:
            check_number("top_k", self.top_k, 1, MOST_WORDS)
        if self.top_p is not None:
            check_number("top_p", self.top_p, 0.0, 1.0)


class CutWord(NamedTuple):
    """One word at the cut; all probabilities 0..1.

    probability: the model's own. tempered: after temperature, among the words that may be written.
    cumulative: of `tempered`, from the best word to this one. renormalised: what it is drawn with,
    0 for a word cut away. fate: `temperature` where that left nothing of a word.
    """

    id: int
    probability: float
    tempered: float
    cumulative: float
    renormalised: float
    fate: Fate


class CutWords:
    """Words best first, thousands perhaps, each made when it is asked for.

    Those that stay, then some that do not. columns: ids, the model's own probabilities, tempered,
    cumulative, renormalised, each (N,). beyond: what cut away the last of them; all before stay.
    """

    def __init__(self, columns: Sequence[Tensor], beyond: Sequence[Fate]) -> None:
        self._columns, self._beyond = tuple(columns), tuple(beyond)

    def __len__(self) -> int:
        return len(self._columns[0])

    def __iter__(self) -> Iterator[CutWord]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> CutWord:
        past = place - len(self) + len(self._beyond)
        fate: Fate = self._beyond[past] if past >= 0 else "kept"
        numbers: list[Any] = [column[place].item() for column in self._columns]
        return CutWord._make([*numbers, fate])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CutWords) or len(self) != len(other):
            return False
        pairs = zip(self._columns, other._columns, strict=True)
        return self._beyond == other._beyond and all(torch.equal(*pair) for pair in pairs)

    __hash__ = None  # type: ignore[assignment]  # as a list has none

    @property
    def stay(self) -> tuple[Tensor, Tensor]:
        """Ids and `renormalised` of the words that stay, (kept,) each."""
        kept = len(self) - len(self._beyond)
        return self._columns[0][:kept], self._columns[-1][:kept]

    @property
    def ids(self) -> list[int]:
        """The ids of all, best first."""
        found: list[int] = self._columns[0].tolist()
        return found


@dataclass(frozen=True)
class Cut:
    """What one step could draw from: all words that stay and a few that do not, best first.

    Words that may not be written are not among them.

    kept: how many stay. mass: their `tempered` probabilities together. draw: the lot, 0..1; the
    word is taken in whose stretch of the running sum of `renormalised` it falls.
    """

    words: CutWords
    kept: int
    mass: float
    draw: float


def cut_of(logits: Tensor, how: Sampling, draw: float, forbidden: Collection[int] = ()) -> Cut:
    """The cut through one row of logits (V,): what stays, with which probability it is drawn."""
    allowed, order = _allowed(logits, forbidden)  # (allowed,), best first
    own = logits.detach().float().cpu().softmax(dim=-1)[order]  # as every strategy has it
    tempered = _tempered(allowed, how.temperature)
    possible = max(1, int((tempered > 0).sum()))
    first = min(possible, how.top_k or possible)  # so many top-k leaves
    kept = first if how.top_p is None else _nucleus(tempered[:first], how.top_p)
    mass = tempered[:kept].sum()
    renormalised = torch.where(torch.arange(len(tempered)) < kept, tempered / mass, 0.0)
    columns = (order, own, tempered, tempered.cumsum(dim=0), renormalised)
    fates = [_fate(place, first, possible) for place in range(kept, kept + BEYOND)]
    listed = [column[: kept + BEYOND].clone() for column in columns]
    words = CutWords(listed, fates[: len(order) - kept])
    return Cut(words, kept, float(mass), draw)


def drawn(cut: Cut, without: Collection[int] = ()) -> int | None:
    """The id in whose stretch the lot falls, some left out; None where none stays."""
    ids, shares = cut.words.stay
    if without:
        shares = shares.masked_fill(torch.isin(ids, torch.tensor([*without])), 0.0)
    sums = shares.cumsum(dim=0)
    if sums[-1] == 0:
        return None
    place = int(torch.searchsorted(sums, cut.draw * sums[-1], right=True))
    last = int(shares.nonzero()[-1])  # where the sum was rounded
    return int(ids[min(place, last)])


def _allowed(logits: Tensor, forbidden: Collection[int]) -> tuple[Tensor, Tensor]:
    """Logits of the words that may be written, and their ids: best first, equal ones by id.

    What is no number counts as the least, so that a broken network still writes something.
    """
    least = torch.finfo(torch.float64).min
    row = precise(logits).nan_to_num(nan=least)  # (V,)
    ids = _ids(len(row), frozenset(forbidden))  # (allowed,)
    values, places = row[ids].sort(descending=True, stable=True)
    return values, ids[places]


@lru_cache(maxsize=64)
def _ids(size: int, forbidden: frozenset[int]) -> Tensor:
    """The other ids: every step of a sentence asks for the same."""
    may = torch.ones(size, dtype=torch.bool)
    may[list(forbidden)] = False
    return may.nonzero()[:, 0]


def _tempered(allowed: Tensor, temperature: float) -> Tensor:
    """Logits, best first, to probabilities; temperature 0 leaves the first alone."""
    if temperature == 0:
        return torch.zeros_like(allowed).index_fill(0, torch.tensor([0]), 1.0)
    return ((allowed - allowed[0]) / temperature).softmax(dim=-1)


def _nucleus(tempered: Tensor, top_p: float) -> int:
    """How many of these, best first, it takes to reach p of them all together; at least one."""
    if top_p == 1:
        return len(tempered)
    sums = tempered.cumsum(dim=0) / tempered.sum()
    return min(1 + int((sums < top_p).sum()), len(tempered))


def _fate(place: int, first: int, possible: int) -> Fate:
    """What cut away the word at a place beyond the kept ones."""
    if place < first:
        return "top_p"
    return "top_k" if place < possible else "temperature"


@dataclass(frozen=True)
class CutRow:
    """One word, or several together; probabilities 0..1.

    id: None for several. count: how many; None for all that remain. probability: the model's own,
    None for several. tempered: after temperature. start, end: its stretch of the running sum of
    `tempered`. kept: whether it could be drawn. chosen: whether it was written.
    """

    id: int | None
    count: int | None
    probability: float | None
    tempered: float
    start: float
    end: float
    kept: bool
    chosen: bool = False


def cut_rows(cut: Cut, chosen: int, shown: int = 10) -> tuple[CutRow, ...]:
    """The first `shown` words and the chosen one, one a row; what lies between them in one row.

    The last row is all that was cut away and is not shown, where that is anything. The chosen word
    is missing where it could not be drawn at all and was given.
    """
    place = _place(cut, chosen)
    alone = [*range(min(shown, len(cut.words)))]
    alone += [place] if place is not None and place >= shown else []
    rows, upto = list[CutRow](), 0
    for at in alone:
        rows += _together(cut, upto, at)
        word = cut.words[at]
        start = cut.words[at - 1].cumulative if at else 0.0
        rows.append(
            CutRow(word.id, 1, word.probability, word.tempered, start, word.cumulative,
                   at < cut.kept, at == place)
        )  # fmt: skip
        upto = at + 1
    rows += _together(cut, upto, max(upto, cut.kept))
    reached = rows[-1].end
    if 1 - reached > 1e-12:
        rows.append(CutRow(None, None, None, 1 - reached, reached, 1.0, False))
    return tuple(rows)


def lot(cut: Cut) -> float:
    """Where the lot falls on the running sum of `tempered`: its share of what stays."""
    return cut.draw * cut.mass


def _place(cut: Cut, chosen: int) -> int | None:
    ids = cut.words.ids
    return ids.index(chosen) if chosen in ids else None


def _together(cut: Cut, start: int, stop: int) -> list[CutRow]:
    """The words between two that are shown, split where the cut goes through them."""
    edge = min(max(cut.kept, start), stop)
    parts = [(start, edge, True), (edge, stop, False)]
    found = list[CutRow]()
    for first, after, kept in parts:
        if first < after:
            low = cut.words[first - 1].cumulative if first else 0.0
            high = cut.words[after - 1].cumulative
            found.append(CutRow(None, after - first, None, high - low, low, high, kept))
    return found
