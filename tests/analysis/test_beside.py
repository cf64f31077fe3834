"""Two runs beside each other: what stands beside what, and the numbers of both."""

import numpy as np
import pytest
import torch

from glassformer.core.analysis.comparison import (
    MIDDLE,
    NONE,
    compare_tensor,
    differences,
    fit_cells,
    largest_lines,
    pair_words,
)
from glassformer.core.analysis.residual_stream import compare_streams
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.effect import measure_change
from glassformer.core.interventions.masks import Causal
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the old street because it was too wide"


@pytest.fixture(scope="module")
def two() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), model.trace(WIDE)


@pytest.fixture(scope="module")
def switched() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), run(Experiment((Causal(),)), model, TIRED)


def test_words_are_paired_by_place_where_there_are_as_many() -> None:
    assert pair_words(("a", "b"), ("b", "a"), by_place=False) == ((0, 0), (1, 1))
    assert pair_words(("a",), ("b", "a"), by_place=True) == ((0, 0), (None, 1))


def test_words_that_both_have_find_each_other() -> None:
    found = pair_words(("a", "b", "d"), ("a", "x", "b", "c"), by_place=False)
    assert found == ((0, 0), (None, 1), (1, 2), (2, 3))


def test_the_numbers_are_those_of_the_runs(two: tuple[Trace, Trace]) -> None:
    address = "encoder/1/self_attention/weights"
    found = compare_tensor(two, address, pins={"head": 2})
    rows, columns = found.rows.places, found.columns.places
    for run_, trace in enumerate(two):
        recorded = trace[address][0, 2].numpy()
        for at in np.argwhere(found.there[run_]):
            own = rows[run_][at[0]], columns[run_][at[1]]
            assert found.values[run_][tuple(at)] == recorded[own]
    both = found.there[0] & found.there[1]
    assert (found.difference[both] == (found.values[1] - found.values[0])[both]).all()
    assert np.isnan(found.difference[~both]).all()
    assert both.sum() == 12 * 12


def test_a_word_that_one_sentence_has_stands_alone(two: tuple[Trace, Trace]) -> None:
    found = compare_tensor(two, "encoder/0/self_attention/scores")
    assert found.rows.alone(1) == 1
    assert found.rows.alone(0) == 0
    line = int(np.flatnonzero(found.rows.places[0] == NONE)[0])
    assert found.rows.word(0, line) is None
    assert found.rows.word(1, line) == "old"
    assert not found.compared[line].any()


def test_both_share_a_scale_and_the_difference_has_its_own(two: tuple[Trace, Trace]) -> None:
    found = compare_tensor(two, "encoder/0/self_attention/scores", mean=True)
    most = max(float(t["encoder/0/self_attention/scores"][0].mean(0).abs().max()) for t in two)
    assert found.limits == pytest.approx((-most, most))
    place = found.furthest
    assert place is not None
    assert abs(found.difference[place]) == pytest.approx(found.reach)
    assert found.reach == pytest.approx(np.nanmax(np.abs(found.difference)))


def test_an_experiment_is_compared_place_by_place(switched: tuple[Trace, Trace]) -> None:
    address = "decoder/1/self_attention/weights"
    found = compare_tensor(switched, address, pins={"head": 1}, by_place=True)
    exact = measure_change(*switched, address).difference[0, 1]
    rows, columns = exact.shape
    assert torch.equal(torch.from_numpy(found.difference[:rows, :columns].copy()), exact)
    # What was forbidden counts as the 0 that it was; what is forbidden in both is left out.
    assert not found.allowed[0][0, 1]
    assert found.allowed[1][0, 1]
    assert found.compared[0, 1]


def test_a_fill_is_compared_with_nothing(switched: tuple[Trace, Trace]) -> None:
    found = compare_tensor(switched, "decoder/0/self_attention/masked", by_place=True)
    assert not found.compared[0, 1]
    assert np.isnan(found.difference[0, 1])
    assert found.limits[1] < 1e6  # the fill is not in the scale


def test_a_held_word_is_held_at_its_partner(two: tuple[Trace, Trace]) -> None:
    found = compare_tensor(
        two, "encoder/0/self_attention/q", ("head", "head_feature"), {"position": 5}
    )
    assert found.held is not None
    assert [plan.pins["position"] for plan in found.held] == [5, 6]  # "street" in both


def test_nothing_that_moved_vanishes_when_neighbours_share_a_cell(two: tuple[Trace, Trace]) -> None:
    whole = compare_tensor(two, "encoder/0/feed_forward/activation")
    small = fit_cells(whole, 1500)
    assert small.values[0].size <= 1500
    assert small.columns.step == 4
    assert small.rows.step == 1
    assert small.reach == whole.reach
    cell = small.values[1][3, 7]
    assert cell in whole.values[1][3, 28:32]


def test_the_most_probable_words_of_either_run_are_shown(two: tuple[Trace, Trace]) -> None:
    found = largest_lines(compare_tensor(two, "output/probabilities"), 24)
    words = {found.rows.word(0, at) for at in range(24)}
    assert {"累", "宽", "旧"} <= words


def test_thumbnails_of_differences(switched: tuple[Trace, Trace]) -> None:
    view, most = differences(switched, "encoder", by_place=True)
    assert most == 0  # the encoder has no causal mask
    assert (view.levels == MIDDLE).all()
    view, most = differences(switched, "decoder", by_place=True)
    steps = compare_tensor(
        switched, "decoder/0/self_attention/weights", pins={"head": 3}, by_place=True
    )
    level = round(MIDDLE + MIDDLE * float(steps.difference[4, 2]) / most)
    assert view.levels[0, 3, 4, 2] == level


def test_how_far_apart_the_streams_are(two: tuple[Trace, Trace]) -> None:
    found = compare_streams(two, "encoder", by_place=False)
    assert (found.ratio[0, :5] == 0).all()  # the same words at the same places
    assert np.isnan(found.ratio[:, 5]).all()  # "old" stands alone
    one, two_ = (t["encoder/0/feed_forward_norm/output"][0].double() for t in two)
    at = [place.address for place in found.states].index("encoder/0/feed_forward_norm/output")
    expected = float((two_[6] - one[5]).norm() / one[5].norm())
    assert found.ratio[at, 6] == pytest.approx(expected)
    assert found.means[1][at] == pytest.approx(float(two_.norm(dim=1).mean()))
