"""The cut through one row of logits: what stays after temperature, top-k and top-p.

Top-k is Fan et al. 2018 (arXiv 1805.04833), top-p ("nucleus") Holtzman et al. 2020 (arXiv
1904.09751). In this order: words that may not be written leave; logits / temperature; the k best
stay, and with the k-th all that equal it; of these, with probabilities renormalised, the fewest
that reach p together stay.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import torch
from torch import Tensor

from glassformer.core.decoding.step import check_number
from glassformer.core.model.device import to_float64

HOTTEST, MOST_WORDS = 100.0, 1_000_000
BEYOND = 10  # words cut away that are listed too, the best of them


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


@dataclass(frozen=True, eq=False)
class Cut:
    """What one step could draw from: all words that stay and a few that do not, best first.

    Words that may not be written are not among them. The columns have an entry a word, (N,) each:
    ids; probability, the model's own, 0..1; tempered, after temperature, among the words that may
    be written; cumulative, of `tempered`, from the best word to this one.

    kept: how many stay, the first ones. mass: their `tempered` probabilities together. draw: the
    lot, 0..1; the word is taken in whose stretch of the running sum of what stays it falls.
    """

    ids: Tensor
    probability: Tensor
    tempered: Tensor
    cumulative: Tensor
    kept: int
    mass: float
    draw: float


def cut_of(logits: Tensor, how: Sampling, draw: float, forbidden: Collection[int] = ()) -> Cut:
    """The cut through one row of logits: what stays, with which probability it is drawn.

    Args:
        logits: (V,).
        how: temperature, top-k and top-p; its seed takes no part.
        draw: the lot that is kept with the cut, 0..1.
        forbidden: ids that may not be written.

    Returns:
        The words that stay and up to ten that do not, best first, on the CPU.
    """
    allowed, order = _allowed(logits, forbidden)  # (allowed,), best first
    own = logits.detach().float().cpu().softmax(dim=-1)[order]  # as every strategy has it
    tempered = _tempered(allowed, how.temperature)
    possible = max(1, int((tempered > 0).sum()))
    first = min(possible, _best(allowed, how.top_k) if how.top_k else possible)
    kept = first if how.top_p is None else _nucleus(tempered[:first], how.top_p)
    columns = (order, own, tempered, tempered.cumsum(dim=0))
    ids, chances, shares, sums = (column[: kept + BEYOND].clone() for column in columns)
    return Cut(ids, chances, shares, sums, kept, float(tempered[:kept].sum()), draw)


def draw_id(cut: Cut, without: Collection[int] = ()) -> int | None:
    """The id in whose stretch of the running sum the lot falls.

    Args:
        cut: what one step can draw from, with its lot.
        without: ids that are left out.

    Returns:
        The id; None where none stays.
    """
    ids, shares = cut.ids[: cut.kept], cut.tempered[: cut.kept] / cut.mass
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
    row = to_float64(logits).nan_to_num(nan=least)  # (V,)
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


def _best(allowed: Tensor, top_k: int) -> int:
    """How many logits, best first, top-k leaves: those that equal the k-th one stay with it."""
    return int((allowed >= allowed[min(top_k, len(allowed)) - 1]).sum())


def _nucleus(tempered: Tensor, top_p: float) -> int:
    """How many of these, best first, it takes to reach p of them all together; at least one."""
    if top_p == 1:
        return len(tempered)
    sums = tempered.cumsum(dim=0) / tempered.sum()
    return min(1 + int((sums < top_p).sum()), len(tempered))


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
    """The first words and the chosen one, one a row; what lies between them in one row.

    Args:
        cut: what one step could draw from.
        chosen: the id that was written.
        shown: how many of the first words have a row of their own.

    Returns:
        The rows, best first. The last is all that was cut away and is not shown, where that is
        anything. The chosen word is missing where it could not be drawn at all and was given.
    """
    ids, tempered, sums = cut.ids.tolist(), cut.tempered.tolist(), [0.0, *cut.cumulative.tolist()]
    alone = {*range(min(shown, len(ids))), *([ids.index(chosen)] if chosen in ids else [])}
    edges = sorted({cut.kept, *alone, *(at + 1 for at in alone)})  # the cut splits what is together
    rows = list[CutRow]()
    for first, after in pairwise(edges):
        stretch, kept = (sums[first], sums[after]), first < cut.kept
        if first in alone:
            own, word = float(cut.probability[first]), ids[first]
            rows.append(CutRow(word, 1, own, tempered[first], *stretch, kept, word == chosen))
        else:
            together = sums[after] - sums[first]
            rows.append(CutRow(None, after - first, None, together, *stretch, kept))
    reached = rows[-1].end
    if 1 - reached > 1e-12:
        rows.append(CutRow(None, None, None, 1 - reached, reached, 1.0, False))
    return tuple(rows)


def lot_position(cut: Cut) -> float:
    """Where the lot falls on the running sum of `tempered`: its share of what stays.

    Args:
        cut: what one step could draw from.

    Returns:
        Between 0 and the cut's mass.
    """
    return cut.draw * cut.mass
