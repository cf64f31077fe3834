"""Tables of the Lab: what is written, marked, tinted and escaped."""

import re

import numpy as np
import pytest

from app.figures.lab_tables import (
    beside,
    digits_apart,
    exact,
    is_whole,
    largest,
    matrix,
    shade,
    shape_of,
    writer,
)
from app.figures.theme import Look

LOOK = Look()


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def test_numbers_have_the_readers_digits_and_the_exact_value_on_hover() -> None:
    html = matrix(np.array([[0.123456, -2.0], [1e-9, np.nan]]), LOOK)
    assert cells(html) == ["0.123", "−2.00", "1.00×10⁻⁹", "NaN"]
    assert 'title="0.123456"' in html
    assert cells(matrix(np.array([0.123456]), Look(precision=5))) == ["0.12346"]


def test_whole_numbers_have_no_decimals() -> None:
    assert cells(matrix(np.array([4.0, 880.0]), LOOK)) == ["4", "880"]
    assert cells(matrix(np.array(8.0), LOOK)) == ["8"]
    assert not is_whole(np.array([1.0, np.inf]))
    assert not is_whole(np.array([1.5]))


def test_wrong_cells_are_marked_and_words_escaped() -> None:
    wrong = np.array([[False, True]])
    html = matrix(np.ones((1, 2)), LOOK, rows=["<b>x</b>"], columns=["a", "b&c"], wrong=wrong)
    assert html.count('class="wrong"') == 1
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "b&amp;c" in html
    assert "<b>" not in html
    assert "&lt;i&gt;" in beside([("<i>", "table")])


def test_the_tint_follows_the_magnitude_and_the_sign() -> None:
    assert shade("data", False, 0, False)[0] == LOOK.colour("panel")
    assert shade("data", False, 24, False) != shade("data", True, 24, False)
    assert "background" not in matrix(np.ones(2), LOOK, tinted=False)
    assert largest(np.array([1.0, -3.0, np.nan]), np.array([2.0])) == 3.0
    assert largest(np.zeros(2)) == 1.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float(np.float32(0.01)), "0.01"),
        (0.1, "0.1"),
        (-0.1459, "−0.1459"),
        (28.0, "28"),
        (-1e9, "−1000000000"),
        (1e-20, "1×10⁻²⁰"),
        (float("nan"), "NaN"),
    ],
)
def test_exact(value: float, text: str) -> None:
    assert exact(value) == text


def test_digits_that_tell_two_numbers_apart() -> None:
    assert digits_apart(np.array([-0.14550003]), np.array([-0.1459]), 3) == 4
    assert digits_apart(np.array([0.3162]), np.array([0.31]), 3) == 3
    assert digits_apart(np.array([1.0]), np.array([1.0]), 3) == 7
    assert digits_apart(np.array([]), np.array([]), 3) == 3


def test_signs_and_shapes() -> None:
    write = writer(np.array([0.5, -0.5]), 3, sign=True)
    assert [write(0.5), write(-0.5), write(0.0)] == ["+0.500", "−0.500", "0"]
    html = shape_of(np.array([2, 4, 512]), LOOK, "BSD")
    assert re.sub(r"<[^>]+>", " ", html).split() == ["2", "B", "4", "S", "512", "D"]
    assert "2 × 4" in shape_of(np.array([2, 4]), LOOK)
