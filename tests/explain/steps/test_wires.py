"""Wires between steps: shapes, other arrangements of what is recorded, splits and merges."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from glassformer.core.explain.steps.steps import list_steps
from glassformer.core.explain.steps.wires import Wire, tensor, wire_axes
from tests.explain.steps.step_runs import NAMES, RUNS, Run, small_run

EVERY_RUN = pytest.mark.parametrize("run", RUNS, ids=NAMES)


@EVERY_RUN
def test_wires_have_the_shape_of_their_axes(run: Callable[[], Run]) -> None:
    trace, _ = run()
    for step in list_steps(trace):
        for wire in (*step.inputs, *step.outputs):
            assert tuple(tensor(trace, wire).shape) == tuple(
                axis.size for axis in wire_axes(trace, wire)
            )
            assert Wire.of(wire.key) == wire
            for axis in wire_axes(trace, wire):
                assert axis.labels is None or len(axis.labels) == axis.size


@EVERY_RUN
def test_splits_and_merges_only_move_numbers(run: Callable[[], Run]) -> None:
    trace, _ = run()
    regrouped = [each for step in list_steps(trace) for each in step.regroupings]
    assert {step.kind for step in list_steps(trace) if step.regroupings} == {"split", "concat"}
    for each in regrouped:
        assert len(each.stages) == 3
        assert len(each.operations) == len(each.links) == 2
        moved, depth = tensor(trace, each.stages[0]), trace.config.of(each.stages[0].address).d_k
        for operation, links, stage in zip(
            each.operations, each.links, each.stages[1:], strict=True
        ):
            before = moved.shape
            if operation == "view":
                moved = moved.view(*before[:2], -1, depth)
            else:
                moved = moved.transpose(1, 2) if operation == "transpose" else moved.flatten(2)
            assert tensor(trace, stage).equal(moved)
            assert len(links) == len(before)
            for axis, becomes in enumerate(links):
                after = [moved.shape[at] for at in becomes]
                if len(becomes) == 2:
                    assert after[0] * after[1] == before[axis]
                elif [becomes in links[:axis], becomes in links[axis + 1 :]] == [False, False]:
                    assert after == [before[axis]]


def test_split_numbers_are_those_of_the_projection() -> None:
    trace, model = small_run()
    weights = model.state_dict()
    x = trace["encoder/0/self_attention_residual/branch_input"]
    path = "encoder.layers.0.self_attention.w_q"
    whole = x @ weights[f"{path}.weight"].T + weights[f"{path}.bias"]
    joined = tensor(trace, Wire("encoder/0/self_attention/q", "joined"))
    assert torch.allclose(joined, whole, atol=1e-5)
    axes = wire_axes(trace, Wire("encoder/0/self_attention/q", "apart"))
    assert [axis.letter for axis in axes] == ["B", "S", "H", "K"]


def test_what_dropout_leaves_is_what_the_next_step_takes() -> None:
    trace, model = small_run(0, dropout_seed=3)
    weights = model.state_dict()
    where = "encoder/0/feed_forward"
    left = tensor(trace, Wire(f"{where}/kept", "dropped"))
    assert left.equal(trace[f"{where}/activation"] * trace[f"{where}/kept"] / 0.75)
    path = "encoder.layers.0.feed_forward.w_2"
    output = left @ weights[f"{path}.weight"].T + weights[f"{path}.bias"]
    assert torch.allclose(output, trace[f"{where}/output"], atol=1e-5)


def test_a_wire_of_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Wire.of("encoder/0/self_attention/q:nonsense")
