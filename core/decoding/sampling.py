"""Decoding by lot: the next word is drawn, after temperature, top-k and top-p made their cut.

Top-k is Fan et al. 2018 (arXiv 1805.04833), top-p ("nucleus") Holtzman et al. 2020 (arXiv
1904.09751). In this order: words that may not be written leave; logits / temperature; the k best
stay; of these, with probabilities renormalised, the fewest that reach p together stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import torch
from torch import Tensor

from core.decoding.cut_words import CutWord as CutWord
from core.decoding.cut_words import CutWords, Fate
from core.decoding.guard import Watch
from core.decoding.rows import rows_of
from core.decoding.step import Step, step_of
from core.decoding.task import NOTHING, Forced, Task, check_number
from core.device import precise
from core.interruption import counted
from core.model.transformer import Transformer
from core.trace.tape import Tape

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


@dataclass(frozen=True)
class SampledStep:
    """One step with what was cut away before it was drawn."""

    step: Step
    cut: Cut


def sample(
    model: Transformer,
    task: Task,
    how: Sampling,
    tape: Callable[[], Tape] | None = None,
    forced: Forced = NOTHING,
) -> tuple[SampledStep, ...]:
    """Draws one sentence, word by word; `tape` and `forced` as in `greedy`.

    Every step draws one lot, forced or not, so that the same seed goes on with the same lots.
    """
    return samples(model, task, [how], tape, forced)[0]


@torch.no_grad()
def samples(
    model: Transformer,
    task: Task,
    hows: Sequence[Sampling],
    tape: Callable[[], Tape] | None = None,
    forced: Forced = NOTHING,
) -> tuple[tuple[SampledStep, ...], ...]:
    """Draws a sentence for each of these, all at once: the same beginning is read once."""
    task.check(model, forced.values(), forced)
    rows = rows_of(model, task.source_ids(model), tape)
    drawing = [_Drawing(task, how) for how in hows]
    for place in counted(range(task.limit), task.limit):
        live = [each for each in drawing if not each.done]
        if not live:
            break
        beginnings = list(dict.fromkeys(tuple(each.written) for each in live))
        logits = rows([(task.start, *each) for each in beginnings])  # (N, V)
        now = dict(zip(beginnings, logits, strict=True))
        cuts = dict[tuple[tuple[int, ...], Sampling], Cut]()
        for each in live:
            row, key = now[tuple(each.written)], (tuple(each.written), replace(each.how, seed=0))
            if key not in cuts:
                cuts[key] = cut_of(row, each.how, 0.0, task.forbidden)
            each.go_on(row, cuts[key], forced.get(place))
    return tuple(tuple(each.steps) for each in drawing)


@dataclass
class _Drawing:
    """One sentence that is being drawn."""

    task: Task
    how: Sampling
    written: list[int] = field(default_factory=list)
    steps: list[SampledStep] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        self._lots = _lots(self.how.seed)
        self._watch = Watch(self.task.guard, self.task.end) if self.task.guard else None

    def go_on(self, row: Tensor, cut: Cut, given: int | None) -> None:
        """The next word, from its logits (V,) and the cut through them."""
        cut = replace(cut, draw=next(self._lots))
        redraw = _redraw(row, cut, self.task.forbidden)
        taken, guarded = redraw(()), None
        if self._watch is not None:
            taken, guarded = self._watch.choose(taken, redraw, self.written)
        if given is not None:
            taken, guarded = given, None
        self.steps.append(SampledStep(step_of(row, taken, guarded=guarded), cut))
        self.done = taken == self.task.end
        self.written.append(taken)


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


def _redraw(row: Tensor, cut: Cut, forbidden: Collection[int]) -> Callable[[Collection[int]], int]:
    """What the lot takes without some words; where none of the kept stays, the best other."""

    def best_but(also: Collection[int]) -> int:
        taken = drawn(cut, also)
        if taken is not None:
            return taken
        return cut_of(row, Sampling(temperature=0), 0.0, {*forbidden, *also}).words[0].id

    return best_but


def _fate(place: int, first: int, possible: int) -> Fate:
    """What cut away the word at a place beyond the kept ones."""
    if place < first:
        return "top_p"
    return "top_k" if place < possible else "temperature"


def _lots(seed: int) -> Iterator[float]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield float(torch.rand((), dtype=torch.float64, generator=generator))
