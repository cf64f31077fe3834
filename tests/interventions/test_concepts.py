"""Each switch of one step does what it says, on numbers computed another way."""

import math
import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.concepts import (
    NormOff,
    ResidualOff,
    Shuffled,
    SublayerOff,
    Temperature,
    Unscaled,
)
from glassformer.core.interventions.switch import Setting, Switch
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from tests.edited import record

Make = Callable[..., Transformer]


def attentions(tape: Recorder) -> list[str]:
    return [each.rpartition("/")[0] for each in tape.tensors if each.endswith("attention/scores")]


def attended(tape: Recorder, where: str, scale: float) -> Tensor:
    """Torch's own attention on the recorded Q, K, V and mask."""
    q, k, v, mask = (tape.tensors[f"{where}/{name}"] for name in ("q", "k", "v", "mask"))
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


@pytest.mark.parametrize("heads", [4, 2, 8])
def test_unscaled_is_attention_without_the_root(
    small_model: Make, source_ids: Tensor, target_ids: Tensor, heads: int
) -> None:
    model = small_model(n_heads=heads)
    tape = record(model, source_ids, target_ids, Unscaled())
    for where in attentions(tape):
        context = tape.tensors[f"{where}/context"]
        torch.testing.assert_close(context, attended(tape, where, 1.0), atol=1e-5, rtol=1e-5)
        usual = attended(tape, where, 1 / math.sqrt(16 / heads))
        assert (context - usual).abs().max() > 1e-3
    assert len(attentions(tape)) == 2 + 2 * 3


def test_a_part_is_switched_alone(
    small_model: Make, source_ids: Tensor, target_ids: Tensor
) -> None:
    tape = record(small_model(), source_ids, target_ids, Unscaled("decoder/1/cross_attention"))
    for where in attentions(tape):
        scale = 1.0 if where == "decoder/1/cross_attention" else 0.5
        context = attended(tape, where, scale)
        torch.testing.assert_close(tape.tensors[f"{where}/context"], context, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("by", [0.25, 3.0])
def test_temperature(small_model: Make, source_ids: Tensor, target_ids: Tensor, by: float) -> None:
    tape = record(small_model(), source_ids, target_ids, Temperature("decoder/*", by))
    for where in attentions(tape):
        scale = 0.5 / by if where.startswith("decoder") else 0.5
        context = attended(tape, where, scale)
        torch.testing.assert_close(tape.tensors[f"{where}/context"], context, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize("where", ["*/feed_forward", "*/cross_attention", "encoder/0/*"])
def test_a_sublayer_that_is_off_adds_exactly_nothing(
    small_model: Make, source_ids: Tensor, target_ids: Tensor, where: str, place: str
) -> None:
    model = small_model(norm_place=place, final_norm=place == "pre")
    switch = SublayerOff(where)
    off = switch.places(model.config)
    tape = record(model, source_ids, target_ids, switch)
    for address, stream in tape.tensors.items():
        if address.endswith("_residual/stream"):
            summed = tape.tensors[address.replace("stream", "summed")]
            assert torch.equal(summed, stream) == (address.removesuffix("_residual/stream") in off)


def test_cross_attention_off_forgets_the_source(small_model: Make, target_ids: Tensor) -> None:
    """Two sources, one translation."""
    runs = [
        record(small_model(), torch.tensor([ids]), target_ids, SublayerOff("*/cross_attention"))
        for ids in ([5, 6, 7, 2], [8, 9, 8, 11, 2])
    ]
    logits = [run.tensors["output/logits"] for run in runs]
    assert torch.equal(*logits)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_a_cut_residual_leaves_the_branch_alone(
    small_model: Make, source_ids: Tensor, target_ids: Tensor, place: str
) -> None:
    model = small_model(norm_place=place)
    tape = record(model, source_ids, target_ids, ResidualOff("encoder/1/*"))
    for address, summed in tape.tensors.items():
        if address.endswith("summed"):
            part = address.removesuffix("_residual/summed")
            branch = tape.tensors[f"{part}/output"]
            assert torch.equal(summed, branch) == part.startswith("encoder/1/")


def test_the_same_edits_in_two_threads_do_not_mix(small_model: Make, target_ids: Tensor) -> None:
    model = small_model()
    asked = Setting(config=model.config, trace_of=None, means=None)  # type: ignore[arg-type]
    edits = NormOff().edits(asked)
    sources = [torch.tensor([[5, 6, 7, 2]]), torch.tensor([[9, 8, 11, 12, 13, 2]])]

    def logits(source: Tensor) -> Tensor:
        model(source, target_ids, tape := Recorder(edits))
        return tape.tensors["output/logits"]

    alone, wrong = [logits(source) for source in sources], []
    together = threading.Barrier(2, timeout=30)

    def again(index: int) -> None:
        together.wait()
        for _ in range(20):
            if not torch.allclose(logits(sources[index]), alone[index], atol=1e-5):
                wrong.append(index)

    threads = [threading.Thread(target=again, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_shuffled_words_have_each_others_positions(
    small_model: Make, source_ids: Tensor, target_ids: Tensor
) -> None:
    model = small_model()
    plain = record(model, source_ids, target_ids).tensors
    tape = record(model, source_ids, target_ids, Shuffled(3)).tensors
    was, now = plain["source/positions"], tape["source/positions"]
    order = torch.cdist(now, was).argmin(dim=-1)
    assert torch.equal(now, was[order])
    assert sorted(order.tolist()) == [0, 1, 2, 3, 4] != order.tolist()
    assert torch.equal(tape["source/input"], plain["source/scaled"] + was[order])
    assert torch.equal(tape["target/input"], plain["target/input"])
    again, other = (
        record(model, source_ids, target_ids, Shuffled(draw)).tensors["source/positions"]
        for draw in (3, 4)
    )
    assert torch.equal(again, now) and not torch.equal(other, now)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Temperature(by=0.0),
        lambda: Temperature(by=-1.0),
        lambda: Temperature(by=math.inf),
        lambda: Shuffled(-1),
        lambda: Shuffled(2**31),
    ],
)
def test_values_that_are_refused(make: Callable[[], Switch]) -> None:
    with pytest.raises(GlassformerError) as error:
        make()
    assert error.value.key == "experiment_value"


@pytest.mark.parametrize(
    "switch",
    [
        Unscaled("encoder/7/*"),
        SublayerOff("encoder/*/cross_attention"),
        NormOff("*/self_attention"),
        ResidualOff("nothing"),
    ],
)
def test_a_switch_that_names_nothing_says_so(small_model: Make, switch: Switch) -> None:
    with pytest.raises(GlassformerError) as error:
        switch.check(small_model().config, 5, 5)
    assert error.value.key == "edit_unmatched" and error.value.values["nearest"]
