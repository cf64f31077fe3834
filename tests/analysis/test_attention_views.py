"""The numbers behind the pictures of attention."""

import base64
import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from glassformer.core.analysis.attention_views import (
    FORBIDDEN,
    Kind,
    Side,
    attention_at,
    attention_overview,
    attention_sides,
    entropy,
    head_map,
    largest_cell,
    pool_by_maximum,
    strongest_cell,
    strongest_partner,
)
from tests.example_trace import example_trace
from tests.traces import OUTPUT, small_trace

KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("encoder", "encoder/1/self_attention"),
        ("decoder", "decoder/1/self_attention"),
        ("cross", "decoder/1/cross_attention"),
    ],
)
def test_a_map_is_the_recorded_tensor(kind: Kind, address: str) -> None:
    trace = small_trace()
    assert attention_at(kind, 1) == address
    view = head_map(trace, kind, 1, 2, "scaled")
    assert np.array_equal(view.values, trace[f"{address}/scaled"][0, 2].numpy())
    assert np.array_equal(view.weights, trace[f"{address}/weights"][0, 2].numpy())
    mean = head_map(trace, kind, 1, None, "weights")
    assert mean.values == pytest.approx(trace[f"{address}/weights"][0].mean(0).numpy(), abs=1e-7)
    assert mean.values.sum(axis=1) == pytest.approx(1, abs=1e-6)


def test_the_decoder_may_not_look_ahead() -> None:
    view = head_map(small_trace(), "decoder", 0, 0, "masked")
    size = len(OUTPUT) + 1
    assert np.array_equal(view.allowed, np.tri(size, dtype=bool))
    assert view.most == pytest.approx(np.log(np.arange(1, size + 1)), abs=1e-6)
    assert (view.entropy <= view.most + 1e-5).all()
    assert view.entropy[0] == 0


def test_overview_has_every_head_and_the_mean_in_one_byte_a_cell() -> None:
    trace = small_trace()
    seen = attention_overview(trace, "decoder")
    size = len(OUTPUT) + 1
    assert (seen.levels.shape, seen.levels.dtype) == ((2, 5, size, size), np.uint8)
    assert (seen.layers, seen.heads) == (2, 4)
    future = ~np.tri(size, dtype=bool)
    assert (seen.levels[..., future] == FORBIDDEN).all()
    assert (seen.levels[..., ~future] < FORBIDDEN).all()
    weights = trace["decoder/1/self_attention/weights"][0].numpy()
    exact = np.concatenate([weights, weights.mean(0, keepdims=True)]) * 254
    assert np.abs(seen.levels[1] - exact)[:, ~future].max() <= 0.5 + 1e-4


def test_overview_of_a_long_sentence_is_no_larger() -> None:
    words = tuple(f"w{number}" for number in range(69))
    assert attention_overview(small_trace(words, ("字",) * 50), "cross").levels.shape == (
        2,
        5,
        32,
        32,
    )
    assert len(base64.b64encode(attention_overview(small_trace(words), "encoder").levels)) < 16_000


@given(st.integers(0, 99), st.integers(0, 69), st.integers(1, 40))
def test_pooling_never_loses_a_sharp_cell(row: int, column: int, size: int) -> None:
    cells = np.zeros((100, 70), np.float32)
    cells[row, column] = 1
    small = pool_by_maximum(cells, size)
    assert small.shape == (size, size)
    assert small.sum() == 1
    found_row, found_column = np.unravel_index(small.argmax(), small.shape)
    assert abs(found_row - row * size / 100) <= 1
    assert abs(found_column - column * size / 70) <= 1


def test_pooling_keeps_what_is_small_enough_and_takes_the_largest() -> None:
    cells = np.arange(12, dtype=np.float32).reshape(2, 6)
    assert pool_by_maximum(cells, 6) is cells
    assert pool_by_maximum(cells, 3).tolist() == [[1, 3, 5], [7, 9, 11]]


def test_entropy_of_known_rows() -> None:
    rows = np.array([[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [np.nan] * 4], np.float32)
    found = entropy(rows)
    assert found[:3] == pytest.approx([0, math.log(4), math.log(2)], abs=1e-6)
    assert np.isnan(found[3])


@given(arrays(np.float32, (3, 5), elements=st.floats(0.125, 1, width=32)))
def test_entropy_lies_between_none_and_all_alike(raw: np.ndarray) -> None:
    found = entropy(raw / raw.sum(axis=1, keepdims=True))
    assert ((found >= 0) & (found <= math.log(5) + 1e-5)).all()


def test_sinks_are_marks_and_punctuation_but_not_what_looks_like_them() -> None:
    trace = example_trace(
        source_tokens=("<eos>", "likes", "</s>", "。", "<eos>"),
        source_pieces=("<name1>", "likes", "<noun1>", "。", "<eos>"),
    )
    rows, columns = attention_sides(trace, "cross")
    assert columns.sinks == {3, 4}
    assert rows.sinks == {2, 3}  # they write ， and <eos>
    assert attention_sides(trace, "decoder")[1].sinks == {0, 3}  # <zh> and ，


def test_rows_of_the_decoder_say_what_they_write() -> None:
    trace = example_trace()
    rows, columns = attention_sides(trace, "decoder")
    assert rows.labels == ("Zorblax (<zh>)", "喜欢 (Zorblax)", "， (喜欢)", "<eos> (，)")
    assert columns.labels == trace.target_tokens
    assert attention_sides(trace, "encoder")[0].labels == trace.source_tokens


def test_strongest_cell_is_one_of_words() -> None:
    words = Side(("a", "b", "."), frozenset({2}))
    weights = np.array([[0.1, 0.2, 0.7], [0.4, 0.3, 0.3], [0, 1, 0]], np.float32)
    assert strongest_cell(weights, words, words) == (1, 0)
    only_marks = Side((".", ".", "."), frozenset({0, 1, 2}))
    assert strongest_cell(weights, only_marks, words) == (2, 1)
    weights[1, 0] = np.nan
    assert strongest_cell(weights, words, words) == (1, 1)


def test_weak_words_are_no_example() -> None:
    words = Side(("a", "<eos>"), frozenset({1}))
    weights = np.array([[0.03, 0.97], [0.2, 0.8]], np.float32)
    assert strongest_cell(weights, words, words) == largest_cell(weights) == (0, 1)
    weights[0] = 0.15, 0.85
    assert strongest_cell(weights, words, words) == (0, 0)
    assert largest_cell(np.array([[np.nan, 0.0]], np.float32)) == (0, 1)


def test_partner_is_whom_a_word_looks_at_most() -> None:
    weights = np.array([[0.1, 0.9], [np.nan, 0.2]], np.float32)
    assert (strongest_partner(weights, query=0), strongest_partner(weights, query=1)) == (1, 1)
    assert (strongest_partner(weights, key=1), strongest_partner(weights, key=0)) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_maps_left_out_of_the_recording_are_the_same(kind: Kind) -> None:
    trace = small_trace()
    kept = {name: value for name, value in trace.tensors.items() if "weights" not in name}
    slim = dataclasses.replace(trace, tensors=kept)
    full, again = (head_map(each, kind, 0, 1, "weights") for each in (trace, slim))
    assert np.array_equal(full.weights, again.weights)
