"""The Lab's figures: formulas, tinted tables, and the split into heads."""

import re
from typing import Any

import numpy as np
import pytest

from glassformer.app.pages.lab.examples.example_results import quantity_formula, quantity_role
from glassformer.app.pages.lab.figures.tables import (
    digits_apart,
    exact_digits,
    matrix_html,
    number_writer,
    shape_of,
    tables_side_by_side,
    tint,
)
from glassformer.app.pages.lab.split.figures import HEIGHT, WIDTH, cell_places, split_drawing
from glassformer.app.pages.lab.why.figures import formula_html
from glassformer.app.plots.colours import DARK, LIGHT
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.head_split import HeadSplit, head_split
from glassformer.core.lab.worked_examples import compute_example, example_keys


@pytest.mark.parametrize("key", example_keys())
@pytest.mark.parametrize("dark", [False, True])
def test_every_quantity_has_a_formula(key: str, dark: bool) -> None:
    shades = set((DARK if dark else LIGHT).values())
    for quantity in compute_example(key).quantities:
        tex = quantity_formula(key, quantity.key, FigureStyle(dark=dark))
        assert "@" not in tex
        assert tex.count("{") == tex.count("}")
        assert set(re.findall(r"\\textcolor\{(#\w+)\}", tex)) <= shades
        assert quantity_role(key, quantity.key) in LIGHT


def test_roles() -> None:
    assert r"\textcolor{#2563EB}{Q}" in quantity_formula(
        "self-attention-3x4", "scores", FigureStyle()
    )
    assert quantity_role("pe-same-word", "pe_17") == "data"
    assert quantity_formula("pe-same-word", "pe_17", FigureStyle()) == quantity_formula(
        "pe-same-word", "pe_2", FigureStyle()
    )


LOOK = FigureStyle()


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def test_numbers_have_the_readers_digits_and_the_exact_value_on_hover() -> None:
    html = matrix_html(np.array([[0.123456, -2.0], [1e-9, np.nan]]), LOOK)
    assert cells(html) == ["0.123", "−2.00", "1.00×10⁻⁹", "NaN"]
    assert 'title="0.123456"' in html
    assert cells(matrix_html(np.array([0.123456]), FigureStyle(precision=5))) == ["0.12346"]


def test_whole_numbers_have_no_decimals() -> None:
    assert cells(matrix_html(np.array([4.0, 880.0]), LOOK)) == ["4", "880"]
    assert cells(matrix_html(np.array(8.0), LOOK)) == ["8"]
    assert cells(matrix_html(np.array([1.0, np.inf]), LOOK))[0] == "1.00"
    assert cells(matrix_html(np.array([1.0, 1.5]), LOOK)) == ["1.00", "1.50"]


def test_wrong_cells_are_marked_and_words_escaped() -> None:
    wrong = np.array([[False, True]])
    html = matrix_html(np.ones((1, 2)), LOOK, rows=["<b>x</b>"], columns=["a", "b&c"], wrong=wrong)
    assert html.count('class="wrong"') == 1
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "b&amp;c" in html
    assert "<b>" not in html
    assert "&lt;i&gt;" in tables_side_by_side([("<i>", "table")])


def test_the_tint_follows_the_magnitude_and_the_sign() -> None:
    assert tint(0.0, "data", 1.0, LOOK)[0] == LOOK.colour("panel")
    assert tint(1.0, "data", 1.0, LOOK) != tint(-1.0, "data", 1.0, LOOK)
    assert "background" not in matrix_html(np.ones(2), LOOK, tinted=False)
    assert largest_magnitude(np.array([1.0, -3.0, np.nan]), np.array([2.0])) == 3.0
    assert largest_magnitude(np.zeros(2)) == 1.0


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
    assert exact_digits(value) == text


def test_digits_that_tell_two_numbers_apart() -> None:
    assert digits_apart(np.array([-0.14550003]), np.array([-0.1459]), 3) == 4
    assert digits_apart(np.array([0.3162]), np.array([0.31]), 3) == 3
    assert digits_apart(np.array([1.0]), np.array([1.0]), 3) == 7
    assert digits_apart(np.array([]), np.array([]), 3) == 3


def test_signs_and_shapes() -> None:
    write = number_writer(np.array([0.5, -0.5]), 3, sign=True)
    assert [write(0.5), write(-0.5), write(0.0)] == ["+0.500", "−0.500", "0"]
    html = shape_of(np.array([2, 4, 512]), LOOK, "BSD")
    assert re.sub(r"<[^>]+>", " ", html).split() == ["2", "B", "4", "S", "512", "D"]


TEXTS = {
    "head": "head {head}", "sees": "{seen}/{words}", "whole": "{row}: {words}",
    "mixed": "{row}! {words}", "reads": "{words}", "cell": "{sentence} {word} {feature} {head}",
    "map": "{query} {key} {weight}", "right_split": "right", "wrong_split": "wrong",
    "right_concat": "right", "wrong_concat": "wrong",
}  # fmt: skip
SIZES = [(1, 4, 8, 2), (2, 3, 6, 3), (1, 1, 2, 1), (2, 6, 16, 4)]


def blocks(found: HeadSplit, key: str) -> np.ndarray:
    """The cells of a step from top to bottom, from left to right in each row."""
    step = found.steps[key]
    across, down = cell_places(step).reshape(2, -1)
    ids: np.ndarray = step.cells.numpy().ravel()[np.lexsort((across, down))]
    assert len({*zip(across, down, strict=True)}) == len(ids)
    return ids


@pytest.mark.parametrize("sizes", SIZES)
def test_cells_are_where_numpy_puts_them(sizes: tuple[int, int, int, int]) -> None:
    b, s, d, h = sizes
    found = head_split(*sizes)
    x = np.arange(b * s * d).reshape(b, s, d)
    right = x.reshape(b, s, h, d // h).transpose(0, 2, 1, 3)
    wrong = x.reshape(b, h, s, d // h)
    rows = x.transpose(1, 0, 2).ravel()  # sentences stand side by side
    assert (blocks(found, "linear") == rows).all()
    assert (blocks(found, "viewed") == rows).all()  # heads, too
    assert (blocks(found, "split") == right.transpose(1, 2, 0, 3).ravel()).all()
    assert (blocks(found, "wrong_view") == wrong.transpose(1, 2, 0, 3).ravel()).all()
    joined = right.reshape(b, s, d).transpose(1, 0, 2).ravel()
    assert (blocks(found, "wrong_concat") == joined).all()


@pytest.mark.parametrize("way", ["split", "concat"])
@pytest.mark.parametrize("sizes", SIZES)
def test_everything_is_inside_the_drawing(sizes: tuple[int, int, int, int], way: str) -> None:
    drawn: dict[str, Any] = split_drawing(head_split(*sizes), way, TEXTS, FigureStyle())
    corners = np.array([each[:2] for each in [*drawn["cells"], *drawn["maps"]]])
    assert corners.min() >= 0
    assert (corners.max(axis=0) + drawn["size"] <= (WIDTH, HEIGHT)).all()
    assert len(drawn["labels"]) == sizes[0] * sizes[1] * sizes[2]
    assert len(drawn["fills"]) == sizes[2]


def test_what_is_said_of_heads_and_rows() -> None:
    found = head_split()
    said = [each[2] for each in split_drawing(found, "split", TEXTS, FigureStyle())["texts"]]
    assert said.count("4/4") == 2
    assert said.count("2/4") == 2
    assert "1 1 2 2" in said
    said = [each[2] for each in split_drawing(found, "concat", TEXTS, FigureStyle())["texts"]]
    assert "2: 2" in said
    assert "1! 1, 2" in said


def test_formulas_of_the_table() -> None:
    assert formula_html(r"O(k \cdot n \cdot d^2)") == "O(k · n · d²)"
    assert formula_html(r"O(\log_k(n))") == "O(log<sub>k</sub>(n))"
