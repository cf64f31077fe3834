"""The worked examples: true values against the spec's file, the notes' numbers and their slips."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.worked_examples import compute_example, example_keys, notes_inputs

SPEC: dict[str, Any] = {
    each["id"]: each
    for each in json.loads(
        (Path(__file__).parents[1] / "parity" / "worked_examples.json").read_text("utf-8")
    )
}
TRUE = [
    (key, name)
    for key, each in SPEC.items()
    for name, value in each["true"].items()
    if name != "weights_pattern" and value != "NaN"
]
OURS = ("word-positions",)  # examples that the spec's file does not have
# Where a part of a quantity stands in the spec's file, the whole of it here.
WHOLE: dict[str, tuple[str, int]] = {"pe_row_1": ("pe", 1), "scores_row_0": ("scores", 0)}
PRINTED = [(key, name) for key, each in SPEC.items() for name in each["printed_in_notes"]]


def test_every_example_is_there_with_the_inputs_of_the_notes() -> None:
    assert example_keys() == (*SPEC, *OURS)
    for key, each in SPEC.items():
        given = notes_inputs(key)
        for name, value in each["inputs"].items():
            if name != "full_values" and value != "any 3x3":
                assert given[name] == value, (key, name)
        assert not compute_example(key).edited


@pytest.mark.parametrize("key, name", TRUE)
def test_true_values(key: str, name: str) -> None:
    wanted = torch.tensor(SPEC[key]["true"][name], dtype=torch.float64)
    found = compute_example(key).quantity(name).value
    if key == "layer-norm" and not name.startswith(("mean", "batch")):
        wanted = wanted.expand_as(found)  # the six rows are alike
    assert found.shape == wanted.shape
    loose = key == "self-similarity-8d"  # the inputs are printed to four decimals
    torch.testing.assert_close(found, wanted, atol=6e-4 if loose else 6e-5, rtol=6e-5)


@pytest.mark.parametrize("key, name", PRINTED)
def test_what_the_notes_print(key: str, name: str) -> None:
    printed = SPEC[key]["printed_in_notes"][name]
    whole, *row = WHOLE.get(name, (name,))
    shown = compute_example(key).quantity(str(whole)).printed
    assert shown is not None
    for at in row:
        shown = shown[at]
    assert shown.tolist() == printed


def test_what_cannot_be_a_number() -> None:
    found = compute_example("all-zero-mask").quantity("weights_fill_-inf").value
    assert found.shape == (4,)
    assert found.isnan().all()
    weights = compute_example("mask-softmax-3x3").quantity("weights").value
    assert weights[0].tolist() == [1, 0, 0]
    assert weights[1, 2] == 0
    assert weights[1, 0] == pytest.approx(1 / (1 + math.exp(-1)))  # scores 2 and 1
    assert weights.sum(dim=1).tolist() == pytest.approx([1, 1, 1])


def test_where_the_notes_are_wrong() -> None:
    wrong = {
        key: set(compute_example(key).wrong) for key in example_keys() if compute_example(key).wrong
    }
    assert wrong == {
        "pe-matrix": {"div_term", "angles", "pe"},
        "pe-same-word": {"pe_2", "pe_6", "input_2", "input_6"},
        "self-attention-3x4": {"Q", "K", "V", "scores"},
        "softmax-4x4": {"weights", "e_to_s_00", "e_to_s_01"},
        "self-similarity-8d": {"scores"},
        "four-dim-attention": {"weights", "context"},
        "layer-norm": {"std", "normalised"},
        "softmax-alternatives": {"l2"},
        "word-positions": {"places", "count"},
    }


@pytest.mark.parametrize("key", example_keys())
def test_every_wrong_number_has_a_reason_and_no_other_has(key: str) -> None:
    worked = compute_example(key)
    for quantity in worked.quantities:
        assert bool(quantity.causes) == (quantity.key in worked.wrong), quantity.key
        for cause in quantity.causes:
            assert cause.cells is not None
            assert cause.cells.any(), (quantity.key, cause.reason)
        if quantity.causes and quantity.differs is not None:  # each cell has just one reason
            marks = sum(each.cells.int() for each in quantity.causes if each.cells is not None)
            assert torch.equal(torch.as_tensor(marks), quantity.differs.int())


def cells(key: str, name: str) -> Any:
    wrong = compute_example(key).quantity(name).differs
    assert wrong is not None
    return wrong.tolist()


def test_cell_by_cell() -> None:
    assert cells("pe-matrix", "div_term") == [False, True]
    assert cells("pe-matrix", "pe")[0] == [False] * 4  # at position 0 no frequency matters
    assert cells("pe-matrix", "pe")[1] == [False, False, True, True]
    assert cells("pe-matrix", "pe")[8] == [False, True, True, True]
    assert [sum(row) for row in cells("softmax-4x4", "weights")] == [0, 2, 0, 1]
    assert cells("self-similarity-8d", "scores")[0] == [False, False, True, True]
    assert cells("softmax-alternatives", "l2") == [False, True]
    assert cells("softmax-alternatives", "sigmoid") == [False, False]


@pytest.mark.parametrize(
    "key, name",
    [
        ("pe-matrix", "div_term"),
        ("word-positions", "places"),
        ("pe-same-word", "pe_2"),
        ("pe-same-word", "input_6"),
        ("self-attention-3x4", "Q"),
        ("self-attention-3x4", "K"),
        ("self-attention-3x4", "scores"),
        ("softmax-4x4", "weights"),
        ("layer-norm", "std"),
        ("layer-norm", "normalised"),
    ],
)
def test_the_slip_gives_what_the_notes_print(key: str, name: str) -> None:
    quantity = compute_example(key).quantity(name)
    assert quantity.printed is not None
    assert quantity.by_notes is not None
    torch.testing.assert_close(quantity.by_notes, quantity.printed, atol=6e-5, rtol=0)


def test_made_up_weights_and_one_slip_in_their_product() -> None:
    context = compute_example("four-dim-attention").quantity("context")
    weights, v = [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]], [[1, 2], [3, 4], [5, 6]]
    assert context.by_notes is not None
    assert context.printed is not None
    np.testing.assert_allclose(context.by_notes, np.array(weights) @ np.array(v))
    apart = (context.by_notes - context.printed).abs() > 1e-9
    assert apart.tolist() == [[False, True], [False, False], [False, False]]  # 4.6, not 4.8


def test_whole_numbers_become_floats_with_the_division_and_fail_at_the_values() -> None:
    x = torch.tensor([[1, 2], [3, 4], [5, 6]])  # as the notes write them
    weights = ((x @ x.T) / math.sqrt(2)).softmax(dim=-1)
    assert weights.dtype == torch.float32
    with pytest.raises(RuntimeError, match="dtype"):
        weights @ x
    assert torch.allclose(weights @ x.float(), (weights.double() @ x.double()).float())


def test_the_matrix_that_belongs_elsewhere() -> None:
    printed = compute_example("self-similarity-8d").quantity("scores").printed
    assert printed is not None
    assert printed.tolist() == notes_inputs("softmax-4x4")["scores"]


def test_inputs_are_the_readers_own() -> None:
    notes_inputs("softmax-alternatives")["scores"][0] = 9
    assert notes_inputs("softmax-alternatives")["scores"] == [3, 1]


def test_changed_inputs() -> None:
    worked = compute_example("softmax-alternatives", scores=["0", "0", "−2"])
    assert worked.edited
    assert worked.wrong == ()
    assert worked.quantity("l2").printed is None
    assert worked.quantity("l2").value.tolist() == pytest.approx([0, 0, -1])
    total = 2 + math.exp(-2)
    assert worked.quantity("softmax").value[0] == pytest.approx(1 / total)
    assert not compute_example("softmax-alternatives", scores=[3.0, 1.0]).edited
    moved = compute_example("pe-same-word", positions=[0, 3]).quantity("input_0").value
    assert moved.tolist() == pytest.approx([0.1, 1.2, 0.3, 1.4])


def test_the_slip_follows_changed_inputs() -> None:
    slipped = compute_example("pe-matrix", d_model=8).quantity("div_term")
    assert slipped.by_notes is not None
    np.testing.assert_allclose(slipped.by_notes, [1, 10**-0.5, 0.1, 10**-1.5])
    np.testing.assert_allclose(slipped.value, [1, 0.1, 0.01, 0.001], rtol=1e-6)
    wider = compute_example("self-attention-3x4", W_V=[[1.0], [1.0], [1.0], [1.0]]).quantity(
        "context"
    )
    assert wider.value.shape == (3, 1)


def test_shapes_of_another_model() -> None:
    worked = compute_example(
        "shapes-512", ids=[[1, 2, 3]], vocabulary=4, d_model=6, heads=3, d_ff=10
    )
    shapes = {each.key: each.value.int().tolist() for each in worked.quantities}
    assert shapes["split"] == [1, 3, 3, 2]
    assert shapes["per_head"] == [1, 3, 3, 2]
    assert shapes["weights"] == [1, 3, 3, 3]
    assert shapes["d_ff"] == [1, 3, 10]


@pytest.mark.parametrize(
    "key, changed, error",
    [
        ("no-such", {}, "lab_choice"),
        ("pe-matrix", {"depth": 3}, "lab_choice"),
        ("pe-matrix", {"d_model": 3}, "lab_shape"),
        ("pe-matrix", {"max_len": 10_000}, "lab_whole"),
        ("pe-same-word", {"embedding": [1, 2]}, "lab_shape"),
        ("pe-same-word", {"positions": [1, 2, 3]}, "lab_shape"),
        ("pe-same-word", {"positions": [1, -1]}, "lab_whole"),
        ("self-attention-3x4", {"W_K": [[1, 2]]}, "lab_shape"),
        ("self-attention-3x4", {"X": [[1, 2], [3]]}, "lab_lengths"),
        ("softmax-4x4", {"scores": [["a"]]}, "lab_number"),
        ("self-similarity-8d", {"tokens": ["a"]}, "lab_shape"),
        ("four-dim-attention", {"full_shape": [2, 2, 4, 2]}, "lab_shape"),
        ("layer-norm", {"x": [[[1]]]}, "lab_shape"),
        ("soft-dictionary", {"weights": [1]}, "lab_shape"),
        ("soft-dictionary", {"keys": 5}, "lab_shape"),
        ("soft-dictionary", {"query": "x" * 99}, "lab_large"),
        ("two-word-weights", {"d_k": 0}, "lab_whole"),
        ("mask-softmax-3x3", {"scores": [[1, 2]]}, "lab_shape"),
        ("all-zero-mask", {"T": 99}, "lab_whole"),
        ("word-positions", {"words": []}, "lab_empty"),
        ("word-positions", {"words": ["a"] * 33}, "lab_large"),
        ("shapes-512", {"ids": [[1000]]}, "lab_whole"),
        ("shapes-512", {"heads": 7}, "lab_shape"),
    ],
)
def test_refusals(key: str, changed: dict[str, Any], error: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        compute_example(key, **changed)
    assert refused.value.key == error
