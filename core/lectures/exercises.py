"""Exercise sheets: numbers of a run with gaps, which a seed chooses; solutions and marking.

Every number is read in the run. An exercise is given only if it comes out: worked by its paper
formula from the numbers as they are printed it meets the run's own within the tolerance that it
tells. What a model computes otherwise is left out by that, not by a list of models.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from torch import Tensor

from glassformer.core.lectures.lecture import Index
from glassformer.core.model.device import to_float64
from glassformer.core.text.number_format import MINUS
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import inputs
from glassformer.core.trace.trace import Trace

Kind = Literal["score", "softmax", "mix", "norm", "position"]
KINDS: tuple[Kind, ...] = ("score", "softmax", "mix", "norm", "position")
DIGITS = 3  # after the point, of whatever is printed
HALF = 0.5 * 10**-DIGITS  # what printing may take from a number
LEAST = 0.005  # the least tolerance: an own rounding on the way is allowed
FEW, MANY = 3, 7  # words of a row that is worked by hand
PICKED = 4  # features that are printed of a vector
LARGEST_SEED = 999_999
Cell = str | int | None  # a number as printed, the number of a gap from 0, or nothing


@dataclass(frozen=True)
class Gap:
    """A number that is left out: what the run has there, as printed and whole."""

    value: float
    shown: str


@dataclass(frozen=True)
class Exercise:
    """One exercise as it is printed.

    columns: over the table: words, or numbers of features from 1. rows: by the name of what stands
    in them. facts: what the text names: printed numbers, words, counts. where: the address that the
    gaps are read at.
    """

    kind: Kind
    where: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Cell, ...]]
    gaps: tuple[Gap, ...]
    tolerance: float
    facts: Mapping[str, Index] = field(default_factory=dict)

    def is_right(self, gap: int, given: float) -> bool:
        """Whether an answer is near enough.

        Args:
            gap: its number from 0.
            given: what was answered.

        Returns:
            True within the tolerance of the run's own number, its edge with it.
        """
        return abs(given - self.gaps[gap].value) <= self.tolerance * (1 + 1e-9)


def make_sheet(trace: Trace, seed: int) -> tuple[Exercise, ...]:
    """The exercises of a run for a seed: at most one of each kind, always the same.

    Args:
        trace: the run.
        seed: chooses rows, words, features and gaps, nothing else does.

    Returns:
        Those kinds that this run has an example of, in the order of `KINDS`.
    """
    found = (MAKERS[kind](trace, Random(f"{kind} {seed}")) for kind in KINDS)
    return tuple(each for each in found if each is not None and is_solvable(each))


def is_solvable(exercise: Exercise) -> bool:
    """Whether an exercise comes out by hand.

    Args:
        exercise: as it is printed.

    Returns:
        True where `solve` meets every gap within the tolerance.
    """
    found = solve(exercise)
    return all(exercise.is_right(at, each) for at, each in enumerate(found))


def solve(exercise: Exercise) -> tuple[float, ...]:
    """The gaps by the formulas of the paper, from the printed numbers alone.

    Args:
        exercise: its rows and facts; its gaps are not looked at.

    Returns:
        A number a gap.
    """
    rows = {name: [_read(each) for each in row] for name, row in exercise.rows.items()}
    whole = {
        name: _read(each) if isinstance(each, str) else float(each)
        for name, each in exercise.facts.items()
        if not isinstance(each, str) or _is_number(each)
    }
    worked = WORKED[exercise.kind](rows, whole)
    holes = {
        each: worked[name][at]
        for name, row in exercise.rows.items()
        for at, each in enumerate(row)
        if isinstance(each, int)
    }
    return tuple(holes[at] for at in range(len(exercise.gaps)))


def format_exact(value: float) -> str:
    """A number as a sheet prints it.

    Args:
        value: the number.

    Returns:
        Always with `DIGITS` digits after the point, and a true minus.
    """
    text = f"{value:.{DIGITS}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", MINUS)


def _read(cell: Cell) -> float:
    return float(cell.replace(MINUS, "-")) if isinstance(cell, str) else math.nan


def _is_number(text: str) -> bool:
    try:
        float(text.replace(MINUS, "-"))
    except ValueError:
        return False
    return True


def _tolerance(bound: float) -> float:
    """The next 1, 2 or 5 times a power of ten above what printing may do, and a little."""
    least = max(LEAST, 1.5 * bound + HALF)
    power = 10.0 ** math.floor(math.log10(least))
    return float(f"{next(s * power for s in (1, 2, 5, 10) if s * power >= least * 0.999999):.9g}")


@dataclass(frozen=True)
class _Row:
    """A row of attention that can be worked by hand: its keys are few."""

    place: str
    head: int
    query: int
    keys: tuple[int, ...]
    words: tuple[str, ...]
    word: str

    @property
    def facts(self) -> dict[str, Index]:
        return {"head": self.head + 1, "query": self.word, "place": self.place}


def _pick_row(trace: Trace, rng: Random) -> _Row | None:
    """A row with few keys, whose weight is not all on one of them if there is such a row."""
    places = [each.rpartition("/")[0] for each in trace if each.endswith("attention/weights")]
    rng.shuffle(places)
    spare = None
    for place in places:
        weights = to_float64(trace.pick(f"{place}/weights"))
        axes = {axis.name: axis for axis in trace.axes(f"{place}/weights")}
        words, looks = axes["key"].labels, axes["query"].labels
        order = [(h, q) for h in range(weights.shape[0]) for q in range(weights.shape[1])]
        rng.shuffle(order)
        for head, query in order:
            row = weights[head, query]
            keys = tuple(int(each) for each in row.nonzero().flatten())
            if not FEW <= len(keys) <= MANY or words is None or looks is None:
                continue
            found = _Row(place, head, query, keys, tuple(words[k] for k in keys), looks[query])
            if float(row.max()) < 0.95:
                return found
            spare = spare or found
    return spare


def _holes(row: Sequence[float], holes: Sequence[int], before: int = 0) -> tuple[Cell, ...]:
    """A row as printed, with gaps at these places."""
    order = sorted(holes)
    return tuple(
        before + order.index(at) if at in order else format_exact(each)
        for at, each in enumerate(row)
    )


def _gaps(values: Sequence[float]) -> tuple[Gap, ...]:
    return tuple(Gap(each, format_exact(each)) for each in values)


def _list(tensor: Tensor) -> list[float]:
    return [float(each) for each in to_float64(tensor)]


def _score(trace: Trace, rng: Random) -> Exercise | None:
    """A score: a few products of q · k are left to do, and the division by √d_k."""
    if (row := _pick_row(trace, rng)) is None or f"{row.place}/scaled" not in trace:
        return None
    at = rng.randrange(len(row.keys))
    key = row.keys[at]
    q = _list(trace.pick(f"{row.place}/q", head=row.head, position=row.query))
    k = _list(trace.pick(f"{row.place}/k", head=row.head % _heads(trace, row), key=key))
    if len(q) != len(k) or len(q) <= PICKED:
        return None
    picked = sorted(rng.sample(range(len(q)), PICKED))
    rest = sum(x * y for each, (x, y) in enumerate(zip(q, k, strict=True)) if each not in picked)
    place = {"head": row.head, "query": row.query, "key": key}
    values = [float(trace.pick(f"{row.place}/{name}", **place)) for name in ("scores", "scaled")]
    bound = sum((abs(q[each]) + abs(k[each])) * HALF for each in picked) + HALF
    columns = (*(str(each + 1) for each in picked), "rest", "sum", "scaled")
    rows: dict[str, tuple[Cell, ...]] = {
        "q": (*(format_exact(q[each]) for each in picked), None, None, None),
        "k": (*(format_exact(k[each]) for each in picked), None, None, None),
        "product": (*[None] * PICKED, format_exact(rest), 0, 1),
    }
    facts = {
        **row.facts,
        "key": row.words[at],
        "width": len(q),
        "others": len(q) - PICKED,
        "few": PICKED,
    }
    where = f"{row.place}/scaled"
    return Exercise("score", where, columns, rows, _gaps(values), _tolerance(bound), facts)


def _heads(trace: Trace, row: _Row) -> int:
    """How many heads have keys of their own."""
    return next(x.size for x in trace.axes(f"{row.place}/k") if x.name == "head")


def _softmax(trace: Trace, rng: Random) -> Exercise | None:
    """Weights from a row of scores that are divided and masked already."""
    if (row := _pick_row(trace, rng)) is None:
        return None
    name = next((n for n in ("masked", "scaled") if f"{row.place}/{n}" in trace), None)
    if name is None:
        return None
    place = {"head": row.head, "query": row.query}
    all_scores = _list(trace.pick(f"{row.place}/{name}", **place))
    all_weights = _list(trace.pick(f"{row.place}/weights", **place))
    scores, weights = [[each[key] for key in row.keys] for each in (all_scores, all_weights)]
    holes = rng.sample(range(len(weights)), 2)
    rows = {"scaled": _holes(scores, ()), "weight": _holes(weights, holes)}
    gaps = _gaps([weights[each] for each in sorted(holes)])
    where = f"{row.place}/weights"
    return Exercise("softmax", where, row.words, rows, gaps, _tolerance(HALF), row.facts)


def _mix(trace: Trace, rng: Random) -> Exercise | None:
    """One number of z = Σ w · v."""
    if (row := _pick_row(trace, rng)) is None or f"{row.place}/context" not in trace:
        return None
    head = row.head % next(x.size for x in trace.axes(f"{row.place}/v") if x.name == "head")
    numbers = to_float64(trace.pick(f"{row.place}/v", head=head))
    feature = rng.randrange(numbers.shape[-1])
    weights_of = _list(trace.pick(f"{row.place}/weights", head=row.head, query=row.query))
    weights = [weights_of[key] for key in row.keys]
    values = [float(numbers[key, feature]) for key in row.keys]
    place = {"head": row.head, "position": row.query, "head_feature": feature}
    total = float(trace.pick(f"{row.place}/context", **place))
    products = [x * y for x, y in zip(weights, values, strict=True)]
    hole = rng.randrange(len(products))
    bound = sum((abs(x) + abs(y)) * HALF for x, y in zip(weights, values, strict=True))
    rows: dict[str, tuple[Cell, ...]] = {
        "weight": (*_holes(weights, ()), None),
        "value": (*_holes(values, ()), None),
        "weighted": (*(0 if at == hole else None for at in range(len(products))), 1),
    }
    facts = {**row.facts, "feature": feature + 1}
    where = f"{row.place}/context"
    gaps = _gaps([products[hole], total])
    return Exercise("mix", where, (*row.words, "sum"), rows, gaps, _tolerance(bound), facts)


def _norm(trace: Trace, rng: Random) -> Exercise | None:
    """Four numbers of a vector, layer norm of which needs its mean and deviation alone."""
    found = [a for a in trace if a.endswith("/normalized") and _beside(a, "std") in trace]
    if not found:
        return None
    where = rng.choice(found)
    given = inputs(trace.config, where)[0]
    axis = trace.axes(where)[1]
    at = rng.randrange(axis.size)
    x, hat = (_list(trace.pick(each, position=at)) for each in (given, where))
    if len(x) < PICKED:
        return None
    picked = sorted(rng.sample(range(len(x)), PICKED))
    holes = rng.sample(range(PICKED), 2)
    mean, std = (
        float(trace.pick(_beside(where, each), position=at).squeeze()) for each in ("mean", "std")
    )
    largest = max(abs(hat[each]) for each in picked)
    bound = (2 * HALF + largest * HALF) / max(std - HALF, HALF)
    rows = {
        "x": _holes([x[each] for each in picked], ()),
        "normalized": _holes([hat[each] for each in picked], holes),
    }
    facts: dict[str, Index] = {
        "mean": format_exact(mean), "std": format_exact(std), "width": len(x), "few": PICKED,
        "word": (axis.labels or ("",) * axis.size)[at], "place": where.rpartition("/")[0],
    }  # fmt: skip
    gaps = _gaps([hat[picked[each]] for each in sorted(holes)])
    columns = tuple(str(each + 1) for each in picked)
    return Exercise("norm", where, columns, rows, gaps, _tolerance(bound), facts)


def _beside(address: str, name: str) -> str:
    return f"{address.rpartition('/')[0]}/{name}"


def _position(trace: Trace, rng: Random) -> Exercise | None:
    """Sines and cosines of a position: one wave that turns fast, one that turns slowly."""
    where = next((f"{s}/positions" for s in ("source", "target") if f"{s}/positions" in trace), "")
    if not where:
        return None
    table = to_float64(trace[where])
    length, width = table.shape
    if length < 2 or width < 2 * PICKED:
        return None
    at = rng.randrange(1, min(length, 10))
    waves = sorted(rng.sample(range(min(width // 2, 20)), 2))
    picked = [2 * wave + part for wave in waves for part in (0, 1)]
    values = [float(table[at, each]) for each in picked]
    holes = [rng.choice((0, 1)), rng.choice((2, 3))]
    facts: dict[str, Index] = {
        "at": at,
        "start": 0,
        "width": width,
        "place": Address.of(where).branches[0],
    }
    rows: dict[str, tuple[Cell, ...]] = {
        "even": tuple(str(2 * (each // 2)) for each in picked),
        "encoding": _holes(values, holes),
    }
    columns = tuple("cos" if each % 2 else "sin" for each in picked)
    gaps = _gaps([values[each] for each in holes])
    return Exercise("position", where, columns, rows, gaps, _tolerance(HALF), facts)


Rows = Mapping[str, list[float]]
Facts = Mapping[str, float]


def _work_score(rows: Rows, facts: Facts) -> dict[str, list[float]]:
    done = sum(q * k for q, k in zip(rows["q"][:PICKED], rows["k"][:PICKED], strict=True))
    total = done + rows["product"][PICKED]
    return {"product": [math.nan] * PICKED + [math.nan, total, total / math.sqrt(facts["width"])]}


def _work_softmax(rows: Rows, _: Facts) -> dict[str, list[float]]:
    powers = [math.exp(each - max(rows["scaled"])) for each in rows["scaled"]]
    return {"weight": [each / sum(powers) for each in powers]}


def _work_mix(rows: Rows, _: Facts) -> dict[str, list[float]]:
    pairs = list(zip(rows["weight"], rows["value"], strict=True))[:-1]
    products = [weight * value for weight, value in pairs]
    return {"weighted": [*products, sum(products)]}


def _work_norm(rows: Rows, facts: Facts) -> dict[str, list[float]]:
    return {"normalized": [(each - facts["mean"]) / facts["std"] for each in rows["x"]]}


def _work_position(rows: Rows, facts: Facts) -> dict[str, list[float]]:
    angles = [facts["at"] / 10000 ** (even / facts["width"]) for even in rows["even"]]
    return {"encoding": [(math.cos if n % 2 else math.sin)(each) for n, each in enumerate(angles)]}


MAKERS: Mapping[Kind, Callable[[Trace, Random], Exercise | None]] = {
    "score": _score, "softmax": _softmax, "mix": _mix, "norm": _norm, "position": _position,
}  # fmt: skip
WORKED: Mapping[Kind, Callable[[Rows, Facts], dict[str, list[float]]]] = {
    "score": _work_score, "softmax": _work_softmax, "mix": _work_mix, "norm": _work_norm,
    "position": _work_position,
}  # fmt: skip
