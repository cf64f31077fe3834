"""A change, layer by layer, on numbers that one can do by hand and on a real run."""

import math

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.concepts import NormPlaceIs, SublayerOff
from glassformer.core.interventions.effect import change_by_layer, measure_change, measure_move
from glassformer.core.interventions.experiment import Experiment, run
from glassformer.core.text_models.checkpoints import load_model
from tests.hand_made import hand_made
from tests.traces import small_trace

STREAM = "encoder/0/self_attention_residual/summed"
MASKED = "encoder/0/self_attention/masked"


def stream(*rows: tuple[float, ...]) -> Tensor:
    return torch.tensor([list(rows)])


def test_a_change_by_hand() -> None:
    before = hand_made({STREAM: stream((3, 4, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (2, 0, 0, 0))})
    after = hand_made({STREAM: stream((3, 4, 0, 5), (1, 0, 0, 0), (0, 0, 0, 0), (2, 2, 0, 0))})
    found = measure_change(before, after, STREAM)
    assert found.difference[0, 0].tolist() == [0, 0, 0, 5] and found.difference[0, 3, 1] == 2
    assert (found.changed, found.broken) == (2, 0)
    far = measure_move(before, after, STREAM)
    assert far.by_position.tolist() == pytest.approx([1.0, 0.0, 0.0, 1.0])
    assert far.overall == pytest.approx(math.sqrt((25 + 4) / (25 + 1 + 4)))
    assert not far.still


def test_from_zero_to_something_is_infinitely_far() -> None:
    zero, one = stream(*[(0.0,) * 4] * 4), stream(*[(1.0,) * 4] * 4)
    far = measure_move(hand_made({STREAM: zero}), hand_made({STREAM: one}), STREAM)
    assert far.by_position.tolist() == [math.inf] * 4
    assert measure_move(hand_made({STREAM: zero}), hand_made({STREAM: zero}), STREAM).still


def test_lost_numbers_are_counted_and_infinities_do_not_spread() -> None:
    before = torch.ones(1, 2, 4, 4)
    before[..., 3] = -torch.inf
    after = before.clone()
    after[0, 1, 2] = torch.nan
    found = measure_change(hand_made({MASKED: before}), hand_made({MASKED: after}), MASKED)
    assert not found.difference[0, 0].any()  # −∞ before and after: no difference
    assert (found.broken, found.changed) == (3, 4)


def test_how_a_forbidden_score_is_written_is_no_distance() -> None:
    mask = torch.ones(1, 2, 4, 4, dtype=torch.bool)
    mask[..., 3] = False
    address = MASKED.replace("masked", "mask")
    runs = []
    for fill, mark in ((-1e9, mask), (-torch.inf, mask)):
        scores = torch.full((1, 2, 4, 4), 2.0).masked_fill(~mark, fill)
        runs.append(hand_made({MASKED: scores, address: mark}))
    assert measure_move(*runs, MASKED).still
    freed = torch.ones_like(mask)
    open_run = hand_made({MASKED: torch.full((1, 2, 4, 4), 2.0), address: freed})
    far = measure_move(runs[1], open_run, MASKED)  # each row: three cells of 2, and one that comes
    assert far.by_position.tolist() == pytest.approx([math.sqrt(4 / 12)] * 4)


def test_other_lengths_are_cut() -> None:
    long, short = small_trace(), small_trace(output=("动物", "没有"))
    address = "target/positions"
    found = measure_change(long, short, address)
    assert found.before.shape == found.after.shape == (3, 16)
    assert measure_move(long, short, address).still
    assert len(measure_move(long, short, "decoder/0/self_attention/v").by_position) == 3


def test_runs_of_models_of_other_sizes_are_refused() -> None:
    with pytest.raises(GlassformerError) as error:
        change_by_layer(small_trace(), small_trace(d_ff=28))
    assert error.value.key == "compare_models"


def test_it_runs_on_from_the_edit_and_never_back() -> None:
    model, text = load_model(), "I have a cat"
    before = model.trace(text)
    off = Experiment((SublayerOff("decoder/0/feed_forward"),))
    after = run(off, model, text, before.output_text)
    found = change_by_layer(model.trace(text, before.output_text), after)
    names = [each.address for each in found]
    assert names == list(after)
    start = names.index("decoder/0/feed_forward/output")
    assert next(each.address for each in found if not each.still) == names[start]
    assert found[start].by_position.tolist() == [1.0] * len(before.target_tokens)  # all of it
    apart = ("/mask", "/memory", "cross_attention/k", "cross_attention/v")  # the source's alone
    for each in found[start:]:
        assert each.still == each.address.endswith(apart), each.address


@pytest.mark.parametrize(
    ("address", "axis"),
    [
        ("source/positions", 0),
        ("decoder/0/cross_attention/weights", 2),  # by query
        ("decoder/1/cross_attention/v", 2),  # by key
        ("encoder/1/feed_forward_norm/std", 1),
        ("output/logits", 1),
    ],
)
def test_every_kind_of_tensor_has_its_words(address: str, axis: int) -> None:
    before, after = small_trace(), small_trace(norm_formula="sample", positions="halves")
    found = measure_move(before, after, address)
    one, two = before[address].double(), after[address].double()
    expected = [
        (torch.linalg.norm(b - a) / torch.linalg.norm(a)).item()
        for a, b in zip(one.unbind(axis), two.unbind(axis), strict=True)
    ]
    assert found.by_position.tolist() == pytest.approx(expected)
    words = before.source_tokens if len(expected) == 12 else before.target_tokens
    assert len(words) == len(expected)


def test_another_order_of_computation_can_be_compared() -> None:
    model = load_model()
    before = model.trace("I have a cat", "我有一只猫")
    after = run(Experiment((NormPlaceIs("pre"),)), model, "I have a cat", "我有一只猫")
    assert [each.address for each in change_by_layer(before, after)] == list(after)


def test_nothing_changed() -> None:
    assert all(each.still for each in change_by_layer(small_trace(), small_trace()))
