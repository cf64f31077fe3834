"""The table of positions and its waves, against the formula of §3.5 written out in plain numpy."""

import math
from typing import Any

import numpy as np
import pytest

from glassformer.core.analysis.positions import (
    VARIANTS,
    Column,
    Variant,
    column,
    compare_with_paper,
    model_table,
    pair_dimensions,
    pair_of,
    position_table,
)
from glassformer.core.errors import GlassformerError
from tests.seeded_runs import seeded_run


def all_columns(width: int, variant: Variant) -> list[Column]:
    return [column(width, dimension, variant) for dimension in range(width)]


def by_formula(length: int, width: int, variant: Variant) -> np.ndarray:
    table = np.zeros((length, width))
    for position in range(length):
        for i in range(width // 2):
            sine = math.sin(position / 10000 ** (2 * i / width))
            power = 2 * i + 1 if variant == "notes" else 2 * i
            cosine = math.cos(position / 10000 ** (power / width))
            at = (i, width // 2 + i) if variant == "halves" else (2 * i, 2 * i + 1)
            table[position, at[0]], table[position, at[1]] = sine, cosine
    return table


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("width", [2, 6, 64])
def test_table_and_waves_are_those_of_the_formula(variant: Variant, width: int) -> None:
    expected = by_formula(50, width, variant)
    assert position_table(50, width, variant) == pytest.approx(expected, abs=1e-6)
    waves = np.stack([each.at(np.arange(50.0)) for each in all_columns(width, variant)], axis=1)
    assert waves == pytest.approx(expected, abs=1e-6)


def test_wavelengths_grow_from_tau() -> None:
    for variant in VARIANTS:
        waves = all_columns(512, variant)
        sines = [each.wavelength for each in waves if each.wave == "sine"]
        assert sines == sorted(sines)
        assert sines[0] == pytest.approx(math.tau)
        assert sines[-1] == pytest.approx(math.tau * 10000 ** (510 / 512))
    assert column(4, 2).wavelength == pytest.approx(math.tau * 100)
    wave = column(64, 21, "notes")
    assert (wave.wave, wave.exponent) == ("cosine", 21)
    whole = wave.at(np.array([3.0, 3.0 + wave.wavelength]))
    assert whole[0] == pytest.approx(whole[1])


def test_where_the_notes_differ() -> None:
    found = compare_with_paper(60, 16, "notes")
    gap = by_formula(60, 16, "notes") - by_formula(60, 16, "paper")
    assert found.columns == tuple(range(1, 16, 2))  # the cosines, all of them
    assert found.difference == pytest.approx(gap, abs=1e-6)
    assert found.largest == pytest.approx(np.abs(gap).max(), abs=1e-6)
    assert abs(gap[found.at]) == pytest.approx(found.largest, abs=1e-6)
    assert found.reordered == found.largest
    assert not found.difference[0].any()  # at position 0 every cosine is 1


def test_halves_are_the_papers_numbers_in_another_order() -> None:
    found = compare_with_paper(60, 16, "halves")
    assert found.largest > 1
    assert found.reordered == 0
    assert pair_dimensions(16, "halves").tolist() == [[i, i + 8] for i in range(8)]
    same = compare_with_paper(60, 16, "paper")
    assert (same.columns, same.largest) == ((), 0)


def test_each_dimension_has_its_pair() -> None:
    assert [pair_of(8, each) for each in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [pair_of(8, each, "halves") for each in range(8)] == [0, 1, 2, 3, 0, 1, 2, 3]
    with pytest.raises(GlassformerError, match="0 to 7"):
        pair_of(8, 8)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("variant", ["paper", "notes", "halves", "learned", "none"])
def test_what_a_model_adds(stack: Any, variant: Any) -> None:
    trace, model = seeded_run(positions=variant)
    side = "source" if stack == "encoder" else "target"
    recorded = trace[f"{side}/positions"].numpy()
    table = model_table(model, stack)
    assert table.shape == (model.config.max_length, model.config.d_model)
    assert np.array_equal(table[: len(recorded)], recorded)
    if variant == "learned":
        embedding = model.source_embedding if stack == "encoder" else model.target_embedding
        assert np.array_equal(table, embedding.position_table.weight.numpy())
        with pytest.raises(GlassformerError, match="0 to 31"):
            model_table(model, stack, 33)
    else:
        assert model_table(model, stack, 40).shape == (40, 18)


def test_refusals() -> None:
    for length, width in ((3, 5), (3, 0), (0, 4)):
        with pytest.raises(GlassformerError):
            position_table(length, width)
    with pytest.raises(GlassformerError, match="0 to 3"):
        column(4, 4)
