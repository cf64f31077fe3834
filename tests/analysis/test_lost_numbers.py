"""Where a run lost its numbers."""

from dataclasses import replace

import pytest
import torch

from glassformer.core.analysis.measure import Lost, first_lost
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Fill, Lines
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorScale
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace

TEXT = "I like you"
CLOSED = Lines("encoder/1/self_attention", (2,), (1,))


def traced(*switches: Switch) -> Trace:
    return run(Experiment(switches), load_model(), TEXT)


@pytest.mark.parametrize(
    "switches",
    [(), (Fill("minus_infinity"),), (Fill("additive"),), (CLOSED,), (HeadsOff("*"), CLOSED)],
)
def test_a_run_with_all_its_numbers_lost_none(switches: tuple[Switch, ...]) -> None:
    assert first_lost(traced(*switches)) is None


@pytest.mark.parametrize("fill", ["minus_infinity", "additive"])
def test_a_closed_row_under_infinity_is_where_it_begins(fill: str) -> None:
    trace = traced(CLOSED, Fill(fill))  # type: ignore[arg-type]
    address = "encoder/1/self_attention/weights"
    assert first_lost(trace) == Lost(address, (0, 2, 1, 0), closed_row=True)
    assert trace[address][0, 2, 1, 0].isnan()
    assert not trace["output/logits"].isfinite().all()  # it has spread


def test_a_number_that_grew_too_large_is_no_closed_row() -> None:
    trace = traced(TensorScale("encoder/0/feed_forward/output", (), 1e38))
    lost = first_lost(trace)
    assert lost is not None
    assert not lost.closed_row
    assert not trace[lost.address][lost.index].isfinite()
    before = list(trace)[: list(trace).index(lost.address)]
    for address in before:
        values = trace[address]
        assert address.endswith("/masked") or values.isfinite().all(), address


def test_a_nan_among_masked_scores_is_lost() -> None:
    trace = traced(Fill("minus_infinity"))
    address = "decoder/0/self_attention/masked"
    odd = trace[address].clone()
    odd[0, 1, 1, 0] = torch.nan
    found = first_lost(replace(trace, tensors={**trace.tensors, address: odd}))
    assert found == Lost(address, (0, 1, 1, 0), closed_row=False)
