"""The stripes in the map's blocks: what comes out of each, for the words in focus."""

import base64

import numpy as np
import pytest

from glassformer.app.pages.translate.map import strips
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import State
from glassformer.core.analysis.blocks import blocks_of_model
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace

LOOK = FigureStyle(dark=False)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return load_model().trace("The animal didn't cross the street because it was too tired")


def test_a_stripe_is_the_recorded_vector(trace: Trace) -> None:
    rows = {"encoder": 1, "decoder": 4}
    found = strips.strips_of(trace, rows, LOOK, {"encoder": 0, "decoder": 1})["rows"]
    assert len(found) > 12
    for block in blocks_of_model(trace.config):
        folded = block.layer is not None and block.layer != (block.stack == "decoder")
        assert (block.id in found) == (block.kind not in strips.WITHOUT and not folded)
        if block.id not in found:
            continue
        packed, least, largest = found[block.id]
        vector = trace[block.after][0, rows[block.stack]].numpy()
        levels = np.frombuffer(base64.b64decode(packed), np.uint8)
        assert levels.shape == vector.shape
        share = (levels.astype(float) - strips.ZERO) / strips.ZERO
        back = np.sign(share) * np.abs(share) ** (1 / strips.BENT) * np.abs(vector).max()
        assert back == pytest.approx(vector, abs=0.01 * float(np.abs(vector).max()))
        assert (least, largest) == (LOOK.number(vector.min()), LOOK.number(vector.max()))


def test_of_a_long_vector_each_cell_is_a_mean() -> None:
    vector = np.linspace(-1, 1, 1000)
    levels = strips.levels_of(vector)
    assert len(levels) == strips.MOST
    assert (np.diff(levels.astype(int)) >= 0).all()
    assert (levels[0], levels[-1]) == (0, 254)
    assert strips.levels_of(np.array([np.nan, np.inf, -2.0, 0.0])).tolist() == [127, 127, 0, 127]


def test_without_a_click_it_is_the_least_sure_word_and_what_it_looks_at(trace: Trace) -> None:
    assert strips.rows_in_focus(State(token=("target", 3)), trace)["decoder"] == 3
    assert strips.rows_in_focus(State(token=("source", 5)), trace)["encoder"] == 5
    rows = strips.rows_in_focus(State(token=("target", 3)), trace)
    weights = trace["decoder/1/cross_attention/weights"][0].mean(0)[3]
    assert rows["encoder"] == int(weights[:-1].argmax())  # the end token is no word


def test_the_picture_stays_where_another_word_is_in_focus(trace: Trace) -> None:
    layers = {"encoder": 0, "decoder": 0}
    one, other = (
        strips.strips_of(trace, {"encoder": at, "decoder": at}, LOOK, layers)["rows"]
        for at in (0, 1)
    )
    assert one.keys() == other.keys()
    assert all(one[each] != other[each] for each in one)
