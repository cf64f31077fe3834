"""Dot products, distances and rotations between positions, against sums written out."""

import math

import numpy as np
import pytest

from glassformer.core.analysis.positions import (
    VARIANTS,
    by_offset,
    fitted_rotation,
    model_table,
    nearness,
    pair_dimensions,
    position_table,
    rotation_by_offset,
)
from glassformer.core.errors import GlassformerError
from tests.seeded_runs import seeded_run


def frequencies(width: int) -> np.ndarray:
    return np.array([10000 ** (-2 * i / width) for i in range(width // 2)])


@pytest.mark.parametrize("variant", ["paper", "halves"])
def test_only_the_offset_counts(variant: str) -> None:
    table = position_table(40, 12, variant)  # type: ignore[arg-type]
    expected = [np.cos(k * frequencies(12)).sum() for k in range(40)]
    found = by_offset(table)
    assert found.mean == pytest.approx(expected, abs=1e-5)
    assert found.spread < 1e-5
    near = nearness(table)
    for i, j in ((0, 0), (3, 17), (39, 2)):
        assert near.dots[i, j] == pytest.approx(float(table[i] @ table[j]), abs=1e-5)
        assert near.distances[i, j] == pytest.approx(math.dist(table[i], table[j]), abs=1e-5)
    assert np.diag(near.dots) == pytest.approx(np.full(40, 6.0), abs=1e-5)  # D / 2


def test_in_the_notes_the_place_counts_too() -> None:
    table = position_table(40, 12, "notes")
    found = by_offset(table)
    assert found.spread > 0.1
    pairs_of_5 = [float(table[i].astype(float) @ table[i + 5]) for i in range(35)]
    assert found.least[5] == pytest.approx(min(pairs_of_5))
    assert found.most[5] == pytest.approx(max(pairs_of_5))
    assert found.mean[5] == pytest.approx(sum(pairs_of_5) / 35)


@pytest.mark.parametrize("offset", [0, 1, 7, 299])
@pytest.mark.parametrize("variant", ["paper", "halves"])
def test_a_position_is_a_turn_of_another(variant: str, offset: int) -> None:
    table = position_table(300, 64, variant)  # type: ignore[arg-type]
    found = rotation_by_offset(300, 64, offset, variant)  # type: ignore[arg-type]
    assert found.angles == pytest.approx(offset * frequencies(64))
    assert found.residual < 2e-6
    assert found.residuals.shape == (300 - offset, 32)
    carried = table[: 300 - offset] @ found.matrix.T
    assert carried == pytest.approx(table[offset:], abs=2e-6)
    assert found.carry(table[0]) == pytest.approx(table[offset], abs=2e-6)
    assert found.worst.tolist() == [max(each) for each in found.residuals.T.tolist()]
    assert found.matrix @ found.matrix.T == pytest.approx(np.eye(64))
    fitted = fitted_rotation(table, offset, pair_dimensions(64, variant))  # type: ignore[arg-type]
    assert fitted.blocks == pytest.approx(found.blocks, abs=1e-5)  # angles agree but for 2π


def test_blocks_turn_sine_and_cosine_forwards() -> None:
    found = rotation_by_offset(10, 4, 2)
    angle = 2.0  # the first frequency is 1
    block = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
    assert found.blocks[0] == pytest.approx(np.array(block))


def test_the_notes_leave_a_residual_that_no_angle_takes_away() -> None:
    table = position_table(60, 16, "notes")
    formula, best = rotation_by_offset(60, 16, 3, "notes"), fitted_rotation(table, 3)
    # By hand: the pair's cosine turns slower than its sine.
    sine, cosine = frequencies(16)[1], 10000 ** (-3 / 16)
    t = np.arange(57)
    before = np.stack([np.sin(sine * t), np.cos(cosine * t)])
    after = np.stack([np.sin(sine * (t + 3)), np.cos(cosine * (t + 3))])
    turn = 3 * sine
    block = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    missed = np.linalg.norm(block @ before - after, axis=0)
    assert formula.residuals[:, 1] == pytest.approx(missed, abs=1e-5)
    assert formula.residual > best.residual * 0.9 > 0.1
    squares = (np.square(each.residuals).sum() for each in (formula, best))
    assert next(squares) >= next(squares)


def test_best_angle_is_the_best_of_a_fine_grid() -> None:
    _, model = seeded_run(positions="learned")
    table = model_table(model, "encoder").astype(np.float64)
    found = fitted_rotation(table.astype(np.float32), 2)
    assert found.residual > 0.1
    grid = np.linspace(-math.pi, math.pi, 2001)
    for place, (sine, cosine) in enumerate(found.pairs):
        x, y = table[:-2, sine], table[:-2, cosine]
        missed = [
            np.square(math.cos(a) * x + math.sin(a) * y - table[2:, sine]).sum()
            + np.square(-math.sin(a) * x + math.cos(a) * y - table[2:, cosine]).sum()
            for a in grid
        ]
        gap = abs(grid[int(np.argmin(missed))] - found.angles[place])
        assert min(gap, math.tau - gap) < 4e-3


def test_offsets_beyond_the_table_are_refused() -> None:
    for variant in VARIANTS:
        with pytest.raises(GlassformerError, match="0 to 9"):
            rotation_by_offset(10, 4, 10, variant)
    with pytest.raises(GlassformerError, match="0 to 9"):
        fitted_rotation(position_table(10, 4), -1)
