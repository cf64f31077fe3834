"""The errata at a glance: counted independently of core/lab, quoted from the worked examples."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from glassformer.core.lab.errata import Kind, Tally, count_errata, errata, errata_of
from glassformer.core.lab.worked_examples import compute_example, example_keys, notes_inputs


def test_every_wrong_quantity_has_its_reason_in_the_list() -> None:
    for key in example_keys():
        wrong = {
            cause.reason
            for each in compute_example(key).quantities
            for cause in each.causes
            if each.key in compute_example(key).wrong
        }
        assert {each.reason for each in errata_of(key)} == wrong


def test_the_numbers_quoted_are_those_furthest_off() -> None:
    found = {(each.example, each.reason): each for each in errata()}
    exponent = found["pe-matrix", "exponent_halved"]
    assert (exponent.quantity, exponent.cell, exponent.printed) == ("div_term", (1,), 0.1)
    assert abs(exponent.true - 0.01) < 1e-6
    last = found["softmax-alternatives", "last_digit"]
    assert (last.cell, last.printed, last.wrong, last.shown) == ((1,), 0.31, 1, 2)
    for each in errata():
        quantity = compute_example(each.example).quantity(each.quantity)
        assert quantity.differs is not None
        assert quantity.differs[each.cell]
        assert quantity.value[each.cell].item() == each.true


def off(true: Any, printed: Any, unit: float) -> int:
    """How many printed numbers are further from the true ones than half a unit."""
    apart = np.abs(np.asarray(true, dtype=float) - np.asarray(printed, dtype=float))
    return int((apart > unit / 2 + 1e-9).sum())


def waves(places: Any, frequencies: Any) -> np.ndarray:
    angles = np.outer(places, frequencies)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(places), -1)


def test_the_matrix_of_positions() -> None:
    """The notes' exponent lacks the 2: ω₁ is 0.1 instead of 0.01; and one cell is miswritten."""
    places = np.arange(10)
    true, slipped = [1, 10000 ** (-2 / 4)], [1, 10000 ** (-1 / 4)]
    angles = off(np.outer(places, true), np.outer(places, slipped).round(1), 0.1)
    table = waves(places, slipped).round(4)
    table[8, 1] = -0.1459
    whole = off(waves(places, true), table, 1e-4)
    assert (angles, whole) == (9, 19)
    halved, last = errata_of("pe-matrix")
    assert (halved.wrong, halved.shown) == (off(true, [1.0, 0.1], 0.1) + 9 + 18, 2 + 20 + 40)
    assert (halved.rows, halved.all_rows) == (9, 10)
    assert (last.wrong, last.shown) == (1, 40)
    shown = compute_example("pe-matrix").quantity("pe").printed
    assert shown is not None
    np.testing.assert_allclose(shown, table)


def test_softmax_at_one_decimal() -> None:
    scores = np.array(notes_inputs("softmax-4x4")["scores"])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    one_hot, powers = errata_of("softmax-4x4")
    assert (one_hot.wrong, one_hot.shown) == (off(shares, np.eye(4), 0.1), 16) == (3, 16)
    away = off(math.exp(21.2206), 1.63e9, 1e7) + off(math.exp(6.2903), 540.49, 0.01)
    assert (powers.wrong, powers.shown) == (away, 2) == (2, 2)


def test_the_product_of_x() -> None:
    x = np.array(notes_inputs("self-similarity-8d")["X"])
    printed = np.array(notes_inputs("softmax-4x4")["scores"])  # the notes go on with it
    sizes = np.abs(x).sum(axis=1)
    room = 1e-4 / 2 * (1 + sizes[:, None] + sizes)  # of the rounded product and factors
    wrong = int((np.abs(x @ x.T - printed) > room).sum())
    (erratum,) = errata_of("self-similarity-8d")
    assert (erratum.wrong, erratum.shown) == (wrong, 16) == (13, 16)


def test_layer_norm_is_right_but_not_by_its_code() -> None:
    word = np.array(notes_inputs("layer-norm")["x"])[0, 0]
    printed = [1.118, *[-1.3416, -0.4472, 0.4472, 1.3416]]
    sigma = word.std()
    assert off([sigma, *((word - word.mean()) / sigma)], printed, 1e-3) == 0
    sample = word.std(ddof=1)
    by_code = off([sample, *((word - word.mean()) / sample)], printed, 1e-3)
    (erratum,) = errata_of("layer-norm")
    assert (erratum.kind, erratum.wrong, erratum.shown) == ("inconsistent", by_code, 5)
    assert count_errata("inconsistent") == Tally(5, 5, 1)


def test_the_words_and_their_positions() -> None:
    words = ["我", "和", "同学", "一起", "听", "和", "光同尘"]
    places = [at for at, word in enumerate(words) if word == "和"]
    assert compute_example("word-positions").quantity("places").value.tolist() == places == [1, 5]
    assert compute_example("word-positions").quantity("count").value.item() == len(
        "我 和 同学 一起 听 和光同尘".split()
    )
    assert [each.reason for each in errata_of("word-positions")] == [
        "counted_from_one",
        "idiom_cut",
    ]
    edited = compute_example("word-positions", words=["a", "b", "a"], together="ab")
    assert edited.quantity("places").value.tolist() == [0, 2]
    assert edited.quantity("count").value.item() == 2


def leaves(values: Any) -> list[Any]:
    return (
        [leaf for each in values for leaf in leaves(each)] if isinstance(values, list) else [values]
    )


def test_the_tally_is_the_sum_of_all_examples() -> None:
    wrong: dict[Kind, int] = {
        kind: sum(each.wrong for each in errata() if each.kind == kind)
        for kind in ("number", "inconsistent")
    }
    by_hand = {
        "pe-matrix": 1 + 9 + 19, "pe-same-word": 8, "self-attention-3x4": 18 + 9,
        "softmax-4x4": 3 + 2, "self-similarity-8d": 13, "four-dim-attention": 9 + 6,
        "softmax-alternatives": 1, "word-positions": 3,
    }  # fmt: skip
    assert wrong["number"] == count_errata("number").wrong == sum(by_hand.values())
    for key in example_keys():
        assert count_errata("number", (key,)).wrong == by_hand.get(key, 0), key
    printed = {
        each.key: each.printed.numel()
        for key in by_hand
        for each in compute_example(key).quantities
        if each.printed is not None and each.differs is not None and each.differs.any()
    }
    assert count_errata("number").shown >= sum(printed.values())
    assert count_errata("number", ("pe-matrix",)) == Tally(
        29, 62, 2
    )  # a cell with two reasons counts once
    assert count_errata("number", ("layer-norm",)) == Tally(0, 0, 0)


@pytest.mark.parametrize(
    "key, name, unit",
    [
        ("softmax-4x4", "weights", "0.1"),
        ("softmax-4x4", "e_to_s_00", "1e7"),
        ("pe-matrix", "pe", "1e-4"),
    ],
)
def test_a_number_is_held_to_the_digits_that_are_printed(key: str, name: str, unit: str) -> None:
    quantity = compute_example(key).quantity(name)
    assert quantity.printed is not None
    assert quantity.differs is not None
    apart = (quantity.printed - quantity.value).abs()
    np.testing.assert_array_equal(quantity.differs, apart > float(Decimal(unit)) / 2 + 1e-9)
