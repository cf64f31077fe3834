"""Decoding by lot: the next word is drawn, after temperature, top-k and top-p made their cut.

Top-k is Fan et al. 2018 (arXiv 1805.04833), top-p ("nucleus") Holtzman et al. 2020 (arXiv
1904.09751). In this order: words that may not be written leave; logits / temperature; the k best
stay; of these, with probabilities renormalised, the fewest that reach p together stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import torch
from torch import Tensor

from core.decoding.guard import Watch
from core.decoding.rows import rows_of
from core.decoding.step import Step, step_of
from core.decoding.task import NOTHING, Forced, Task, check_number
from core.model.transformer import Transformer
from core.trace.tape import Tape

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


@dataclass(frozen=True)
class CutWord:
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


@dataclass(frozen=True)
class Cut:
    """What one step could draw from: all words that stay and a few that do not, best first.

    Words that may not be written are not among them.

    kept: how many stay. mass: their `tempered` probabilities together. draw: the lot, 0..1; the
    word is taken in whose stretch of the running sum of `renormalised` it falls.
    """

    words: tuple[CutWord, ...]
    kept: int
    mass: float
    draw: float


@dataclass(frozen=True)
class SampledStep:
    """One step with what was cut away before it was drawn."""

    step: Step
    cut: Cut


@torch.no_grad()
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
    task.check(model, forced.values(), forced)
    rows, lots = rows_of(model, task.source_ids(model), tape), _lots(how.seed)
    watch = Watch(task.guard, task.end) if task.guard else None
    written, steps = list[int](), list[SampledStep]()
    for lot in islice(lots, task.limit):
        row = rows([[task.start, *written]])[0]  # (V,)
        cut = cut_of(row, how, lot, task.forbidden)
        redraw = _redraw(row, cut, task.forbidden)
        taken, guarded = redraw(()), None
        if watch is not None:
            taken, guarded = watch.choose(taken, redraw, written)
        if (given := forced.get(len(steps))) is not None:
            taken, guarded = given, None
        steps.append(SampledStep(step_of(row, taken, guarded=guarded), cut))
        if taken == task.end:
            break
        written.append(taken)
    return tuple(steps)


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
    listed = zip(*(column[: kept + BEYOND].tolist() for column in columns), strict=True)
    words = tuple(
        CutWord(id, p, after, sum_so_far, drawn_with, _fate(place, kept, first, possible))
        for place, (id, p, after, sum_so_far, drawn_with) in enumerate(listed)
    )
    return Cut(words, kept, float(mass), draw)


def drawn(cut: Cut, without: Collection[int] = ()) -> int | None:
    """The id in whose stretch the lot falls, some left out; None where none stays."""
    stay = [word for word in cut.words[: cut.kept] if word.id not in without]
    left = cut.draw * sum(word.renormalised for word in stay)
    for word in stay:
        left -= word.renormalised
        if left < 0:
            return word.id
    return stay[-1].id if stay else None  # the sum was rounded


def _allowed(logits: Tensor, forbidden: Collection[int]) -> tuple[Tensor, Tensor]:
    """Logits of the words that may be written, and their ids: best first, equal ones by id.

    What is no number counts as the least, so that a broken network still writes something.
    """
    least = torch.finfo(torch.float64).min
    row = logits.detach().double().cpu().nan_to_num(nan=least)  # (V,)
    may = torch.ones(len(row), dtype=torch.bool)
    may[list(forbidden)] = False
    ids = may.nonzero()[:, 0]  # (allowed,)
    values, places = row[ids].sort(descending=True, stable=True)
    return values, ids[places]


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


def _fate(place: int, kept: int, first: int, possible: int) -> Fate:
    if place < kept:
        return "kept"
    if place < first:
        return "top_p"
    return "top_k" if place < possible else "temperature"


def _lots(seed: int) -> Iterator[float]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield float(torch.rand((), dtype=torch.float64, generator=generator))
