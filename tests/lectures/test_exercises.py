"""Exercise sheets: worked by hand from the printed numbers each gap is within its tolerance."""

import math

import pytest

from glassformer.core.lectures.exercises import KINDS, Cell, Exercise, make_sheet
from glassformer.core.trace.trace import Trace
from tests.seeded_runs import bundled_run

LONG = "The animal didn't cross the street because it was too tired"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return bundled_run(LONG)[0]


def read(cell: Cell) -> float:
    assert isinstance(cell, str)
    return float(cell.replace("\N{MINUS SIGN}", "-"))


def by_hand(exercise: Exercise) -> list[float]:
    """The gaps as a student works them: whatever is written down has three digits again."""
    rows, facts = exercise.rows, exercise.facts
    if exercise.kind == "score":
        pairs = zip(rows["q"][:4], rows["k"][:4], strict=True)
        total = sum(round(read(q) * read(k), 3) for q, k in pairs) + read(rows["product"][4])
        return [total, round(total, 3) / round(math.sqrt(int(facts["width"])), 3)]
    if exercise.kind == "softmax":
        powers = [round(math.exp(read(each)), 3) for each in rows["scaled"]]
        holes = [at for at, each in enumerate(rows["weight"]) if isinstance(each, int)]
        return [round(powers[at] / round(sum(powers), 3), 3) for at in holes]
    if exercise.kind == "mix":
        pairs = zip(rows["weight"][:-1], rows["value"][:-1], strict=True)
        products = [round(read(w) * read(v), 3) for w, v in pairs]
        hole = next(at for at, each in enumerate(rows["weighted"]) if each == 0)
        return [products[hole], round(sum(products), 3)]
    if exercise.kind == "norm":
        holes = [at for at, each in enumerate(rows["normalized"]) if isinstance(each, int)]
        mean, std = read(str(facts["mean"])), read(str(facts["std"]))
        return [round(round(read(rows["x"][at]) - mean, 3) / std, 3) for at in holes]
    holes = [at for at, each in enumerate(rows["encoding"]) if isinstance(each, int)]
    angles = [
        int(facts["at"]) / 10000 ** (int(str(rows["even"][at])) / int(facts["width"]))
        for at in holes
    ]
    waves = [exercise.columns[at] for at in holes]
    return [round(getattr(math, wave)(angle), 3) for wave, angle in zip(waves, angles, strict=True)]


def test_a_gap_worked_by_hand_from_the_printed_numbers_is_right(trace: Trace) -> None:
    for seed in range(1, 41):
        sheet = make_sheet(trace, seed)
        assert [each.kind for each in sheet] == list(KINDS), seed
        for exercise in sheet:
            assert len(exercise.gaps) == 2
            for at, given in enumerate(by_hand(exercise)):
                assert exercise.is_right(at, given), (seed, exercise, given)
                # The tolerance is no gift: what is three of them off is wrong.
                assert not exercise.is_right(at, exercise.gaps[at].value + 3 * exercise.tolerance)


def test_every_printed_number_and_gap_is_the_runs_own(trace: Trace) -> None:
    for seed in (1, 2, 3):
        for exercise in make_sheet(trace, seed):
            numbers = {round(float(each), 3) for each in trace[exercise.where].flatten().double()}
            last = exercise.gaps[-1]
            assert any(abs(last.value - each) < 1e-3 for each in numbers), exercise
            assert read(last.shown) == pytest.approx(last.value, abs=5.1e-4)


def test_a_seed_gives_one_sheet_and_another_seed_another(trace: Trace) -> None:
    assert make_sheet(trace, 7) == make_sheet(bundled_run(LONG)[0], 7)
    sheets = [make_sheet(trace, seed) for seed in range(1, 31)]
    assert len({str(each) for each in sheets}) == 30
    for at in range(len(KINDS)):
        assert len({str(sheet[at]) for sheet in sheets}) > 10
    gaps = {tuple(str(row) for row in sheet[1].rows.values()) for sheet in sheets}
    assert len(gaps) > 10


def test_a_short_sentence_leaves_exercises_out_and_fails_nothing() -> None:
    for text in ("I", "猫睡觉。"):
        for exercise in make_sheet(bundled_run(text)[0], 3):
            assert all(exercise.is_right(at, each) for at, each in enumerate(by_hand(exercise)))
