"""Layer norm off: what goes in comes out, bit by bit."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.interventions.concepts import NormOff
from glassformer.core.interventions.switch import Setting
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from tests.edited import record

Make = Callable[..., Transformer]

NORMS: dict[str, dict[str, Any]] = {
    "post": {},
    "post, final": {"final_norm": True},
    "pre": {"norm_place": "pre", "final_norm": True},
    "sample": {"norm_formula": "sample", "norm_epsilon": 1e-6},
    "sample, 1e-5": {"norm_formula": "sample"},
    "1e-6": {"norm_epsilon": 1e-6},
    "1e-12": {"norm_epsilon": 1e-12},
    "0": {"norm_epsilon": 0.0},
}


def before_norm(tape: Recorder, norm: str, place: str) -> Tensor:
    """What enters a norm."""
    side, _, part = norm.partition("/")
    if part == "norm":  # the final one: what the last layer gives
        last = {"encoder": 1, "decoder": 2}[side]
        end = "norm/output" if place == "post" else "residual/summed"
        return tape.tensors[f"{side}/{last}/feed_forward_{end}"]
    name = "summed" if place == "post" else "branch_input"
    return tape.tensors[f"{norm.removesuffix('_norm')}_residual/{name}"]


@pytest.mark.parametrize("config", NORMS.values(), ids=NORMS)
def test_a_norm_that_is_off_changes_no_bit(
    small_model: Make, source_ids: Tensor, target_ids: Tensor, config: dict[str, Any]
) -> None:
    model = small_model(**config)
    tape = record(model, source_ids, target_ids, NormOff())
    norms = [each.removesuffix("/mean") for each in tape.tensors if each.endswith("norm/mean")]
    assert len(norms) == 2 * 2 + 3 * 3 + 2 * model.config.final_norm
    for norm in norms:
        x = before_norm(tape, norm, model.config.norm_place)
        assert torch.equal(tape.tensors[f"{norm}/output"], x)
        assert torch.equal(tape.tensors[f"{norm}/normalized"], x)
        assert not tape.tensors[f"{norm}/mean"].any()
        torch.testing.assert_close(
            tape.tensors[f"{norm}/std"], torch.ones_like(x[..., :1]), atol=2e-5, rtol=0
        )


@pytest.mark.parametrize("formula", ["population", "sample"])
def test_it_divides_by_exactly_one_whatever_epsilon_is(
    small_config: Callable[..., ModelConfig], formula: str
) -> None:
    x = torch.randn(1, 3, 16, generator=torch.Generator().manual_seed(0))
    unlucky = 0.06640556722692947  # √(1 − ε) itself would not do
    for epsilon in (unlucky, *(10 ** (-2 - step / 40) for step in range(400))):
        config = small_config(norm_formula=formula, norm_epsilon=epsilon)
        asked = Setting(config=config, trace_of=None, means=None)  # type: ignore[arg-type]
        edits = NormOff("encoder/0/feed_forward_norm").edits(asked)
        tape = Recorder([each for each in edits if each.address.endswith(("mean", "std"))])
        LayerNorm(config)(x, tape / "encoder" / 0 / "feed_forward_norm")
        assert torch.equal(tape.tensors["encoder/0/feed_forward_norm/normalized"], x), epsilon


def test_one_norm_off_leaves_the_others(
    small_model: Make, source_ids: Tensor, target_ids: Tensor
) -> None:
    tape = record(small_model(), source_ids, target_ids, NormOff("encoder/0/feed_forward_norm"))
    for address in tape.tensors:
        if address.endswith("norm/output"):
            norm = address.removesuffix("/output")
            same = torch.equal(tape.tensors[address], before_norm(tape, norm, "post"))
            assert same == (norm == "encoder/0/feed_forward_norm")
