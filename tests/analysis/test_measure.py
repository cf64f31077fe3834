"""Statistics and histograms of recorded tensors, with what they leave out."""

import math

import numpy as np
import pytest
import torch

from glassformer.core.analysis.measure import (
    Measure,
    histogram,
    histogram_at,
    measure,
    measure_addresses,
)
from tests.hand_made import hand_made

WHERE = "decoder/0/self_attention"


def test_statistics_of_known_numbers() -> None:
    measured = measure(np.array([[1.0, -3.0], [2.0, 4.0]], np.float32))
    assert (measured.count, measured.least, measured.most) == (4, -3.0, 4.0)
    assert measured.mean == 1.0
    assert measured.std == pytest.approx(math.sqrt(6.5))
    assert (measured.masked, measured.nan, measured.infinite) == (0, 0, 0)


def test_what_is_not_finite_is_counted_and_left_out() -> None:
    measured = measure(np.array([np.nan, np.inf, -np.inf, 2.0, 4.0], np.float32))
    assert (measured.nan, measured.infinite, measured.mean) == (1, 2, 3.0)
    nothing = measure(np.array([np.nan], np.float32))
    assert math.isnan(nothing.mean)
    assert nothing.limits == (0.0, 1.0)


@pytest.mark.parametrize("fill", [-1e9, -math.inf])
def test_mask_fills_are_left_out(fill: float) -> None:
    mask = torch.ones(1, 2, 3, 3, dtype=torch.bool).tril()
    masked = torch.ones(1, 2, 3, 3).masked_fill(~mask, fill)
    run = hand_made(
        {f"{WHERE}/mask": mask, f"{WHERE}/masked": masked, f"{WHERE}/weights": masked.softmax(-1)}
    )
    found = {each.address: each.measure for each in measure_addresses(run)}
    measured = found[f"{WHERE}/masked"]
    assert (measured.least, measured.most, measured.std) == (1.0, 1.0, 0.0)
    assert (measured.masked, measured.infinite) == (6, 0)
    assert histogram_at(run, f"{WHERE}/masked").counts.sum() == 12
    weights = found[f"{WHERE}/weights"]
    assert weights.masked == 0
    assert weights.mean == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("least", "most", "limits"),
    [(0, 0.4, (0, 0.4)), (-1, 3, (-3, 3)), (-5, -2, (-5, 5)), (0, 0, (0, 1)), (2, 8, (0, 8))],
)
def test_colour_limits(least: float, most: float, limits: tuple[float, float]) -> None:
    assert Measure(1, least, most, 0.0, 0.0).limits == limits


def test_histogram_holds_every_finite_value() -> None:
    values = np.concatenate([np.linspace(-2, 2, 999), [np.nan]]).astype(np.float32)
    drawn = histogram(values, bins=40)
    assert drawn.counts.sum() == 999
    assert len(drawn.counts) == 40
    assert drawn.edges[0] == pytest.approx(-2)
    assert len(histogram(values[:16]).counts) == 8


def test_histogram_of_one_value_of_whole_numbers_and_of_nothing() -> None:
    one = histogram(np.full(7, 3.0, np.float32))
    assert one.counts.tolist() == [7]
    assert one.edges[0] < 3 < one.edges[1]
    truth = histogram(np.array([True, False, True]))
    assert truth.counts.tolist() == [1, 2]
    assert truth.edges.tolist() == [-0.5, 0.5, 1.5]
    assert histogram(np.array([np.nan])).counts.tolist() == [0]


def test_overview_has_a_line_for_every_address() -> None:
    stream = torch.arange(16.0).reshape(1, 4, 4)
    run = hand_made(
        {
            "source/input": stream,
            "encoder/0/self_attention_residual/stream": stream.view(1, 4, 4),
            "memory": torch.full((1, 4, 4), torch.nan),
        }
    )
    first, view, broken = measure_addresses(run)
    assert [entry.address for entry in (first, view, broken)] == list(run)
    assert (first.nbytes, first.shared) == (64, False)
    assert (view.nbytes, view.shared) == (64, True)
    assert first.letters == ("B", "S", "D")
    assert max(first.spark) == "f"
    assert broken.spark == ""
    assert broken.measure.nan == 16
