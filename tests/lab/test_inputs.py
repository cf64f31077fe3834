"""What is typed into the Lab is read, or refused with a key and values."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import array, flags, read_choice, read_number, read_whole_number


@pytest.mark.parametrize(
    "given, found",
    [(3, 3.0), ("−1.5", -1.5), (" 2e3 ", 2000.0), ("１２", 12.0), (np.float32(0.5), 0.5)],
)
def test_numbers_as_typed(given: Any, found: float) -> None:
    assert read_number("x", given) == found


def test_rows_as_typed() -> None:
    read = array("x", [["１", " 2"], ["−3", "4e0"]], 2)
    assert read.tolist() == [[1, 2], [-3, 4]]
    assert read.dtype == torch.float64


def test_arrays_of_other_libraries() -> None:
    assert array("x", np.eye(2), 2).tolist() == [[1, 0], [0, 1]]
    assert array("x", torch.eye(2, dtype=torch.float16), 2).tolist() == [[1, 0], [0, 1]]
    assert flags("m", [[True, False]], 2).tolist() == [[True, False]]
    assert flags("m", [["1", "0"], ["0", "1"]]).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    "read, key, values",
    [
        (partial(read_number, "x", "two"), "lab_number", {"name": "x", "given": "two"}),
        (partial(read_number, "x", ""), "lab_number", {"given": ""}),
        (partial(read_number, "x", None), "lab_number", {"given": "None"}),
        (partial(read_number, "x", True), "lab_number", {"given": "True"}),
        (partial(read_number, "x", math.inf), "lab_number", {"given": "inf"}),
        (partial(read_number, "x", "nan"), "lab_number", {"given": "nan"}),
        (partial(read_number, "x", "9" * 400), "lab_number", {"given": "9" * 24 + "…"}),
        (partial(read_number, "x", [1]), "lab_number", {"given": "[1]"}),
        (partial(read_number, "x", 7, 0, 1), "lab_range", {"given": "7", "low": 0, "high": 1}),
        (partial(read_number, "x", "1e9"), "lab_range", {"given": "1e9"}),
        (
            partial(read_whole_number, "x", 1.5, 0, 4),
            "lab_whole",
            {"given": "1.5", "low": 0, "high": 4},
        ),
        (partial(read_whole_number, "x", 5, 0, 4), "lab_whole", {"given": "5"}),
        (partial(read_whole_number, "x", math.inf, 0, 4), "lab_whole", {"given": "inf"}),
        (
            partial(read_whole_number, "x", 6, 0, 8, multiple_of=4),
            "lab_shape",
            {"given": 6, "needed": "4 × n"},
        ),
        (partial(read_whole_number, "x", "x", 0, 4), "lab_number", {"given": "x"}),
        (partial(array, "x", []), "lab_empty", {"name": "x"}),
        (partial(array, "x", "1 2"), "lab_number", {"given": "1 2"}),
        (partial(array, "x", [[1], []], 2), "lab_empty", {"name": "x"}),
        (partial(array, "x", [[1, 2], [3]], 2), "lab_lengths", {"given": "2, 1"}),
        (partial(array, "x", [1, "b"]), "lab_number", {"given": "b"}),
        (partial(array, "x", 3), "lab_number", {"given": "3"}),
        (partial(array, "x", [1, 2], 2), "lab_number", {"given": "1"}),
        (partial(array, "x", [0] * 9, limit=8), "lab_large", {"given": 9, "limit": 8}),
        (partial(array, "x", [[0] * 5] * 5, 2, limit=8), "lab_large", {"given": 25}),
        (partial(array, "x", [1, 2], shape=(3,)), "lab_shape", {"given": "2", "needed": "3"}),
        (
            partial(array, "x", [[1, 2]], 2, (2, None)),
            "lab_shape",
            {"given": "1 × 2", "needed": "2 × n"},
        ),
        (partial(flags, "m", [[2]]), "lab_whole", {"given": "2", "low": 0, "high": 1}),
        (partial(read_choice, "way", "c", ("a", "b")), "lab_choice", {"allowed": "a, b"}),
        (partial(read_choice, "way", ["a"], ("a", "b")), "lab_choice", {"given": "['a']"}),
    ],
)
def test_refusals(read: Callable[[], Any], key: str, values: dict[str, Any]) -> None:
    with pytest.raises(GlassformerError) as refused:
        read()
    assert refused.value.key == key
    assert {name: refused.value.values[name] for name in values} == values
