"""Every cell of the drawing stands where numpy puts it."""

from typing import Any

import numpy as np
import pytest

from app.figures.lab_bounds import written
from app.figures.lab_split import HEIGHT, WIDTH, groups_of, split_drawing
from app.figures.theme import Look
from core.lab.head_split import HeadSplit, head_split

TEXTS = {
    "head": "head {head}", "sees": "{seen}/{words}", "whole": "{row}: {words}",
    "mixed": "{row}! {words}", "reads": "{words}", "cell": "{sentence} {word} {feature} {head}",
    "map": "{query} {key} {weight}", "right_split": "right", "wrong_split": "wrong",
    "right_concat": "right", "wrong_concat": "wrong",
}  # fmt: skip
SIZES = [(1, 4, 8, 2), (2, 3, 6, 3), (1, 1, 2, 1), (2, 6, 16, 4)]


def blocks(found: HeadSplit, key: str) -> np.ndarray:
    """The ids of a step's groups, (groups, rows, cells)."""
    return np.array([group.rows for group in groups_of(found.step(key))])


@pytest.mark.parametrize("sizes", SIZES)
def test_cells_are_where_numpy_puts_them(sizes: tuple[int, int, int, int]) -> None:
    b, s, d, h = sizes
    found = head_split(*sizes)
    x = np.arange(b * s * d).reshape(b, s, d)
    viewed = x.reshape(b, s, h, d // h)
    right = viewed.transpose(0, 2, 1, 3)
    wrong = x.reshape(b, h, s, d // h)
    assert (blocks(found, "linear") == x).all()
    assert (blocks(found, "viewed") == right.reshape(b * h, s, -1)).all()  # a group a head
    assert (blocks(found, "split") == right.reshape(b * h, s, -1)).all()
    assert (blocks(found, "wrong_view") == wrong.reshape(b * h, s, -1)).all()
    assert (blocks(found, "wrong_concat") == right.reshape(b, s, d)).all()


@pytest.mark.parametrize("way", ["split", "concat"])
@pytest.mark.parametrize("sizes", SIZES)
def test_everything_is_inside_the_drawing(sizes: tuple[int, int, int, int], way: str) -> None:
    drawn: dict[str, Any] = split_drawing(head_split(*sizes), way, TEXTS, Look())
    corners = np.array([each[:2] for each in [*drawn["cells"], *drawn["maps"]]])
    assert corners.min() >= 0
    assert (corners.max(axis=0) + drawn["size"] <= (WIDTH, HEIGHT)).all()
    assert len(drawn["labels"]) == sizes[0] * sizes[1] * sizes[2]
    assert len(drawn["colours"]) == sizes[2]


def test_what_is_said_of_heads_and_rows() -> None:
    found = head_split()
    said = [each[2] for each in split_drawing(found, "split", TEXTS, Look())["texts"]]
    assert said.count("4/4") == 2
    assert said.count("2/4") == 2
    assert "1 1 2 2" in said
    said = [each[2] for each in split_drawing(found, "concat", TEXTS, Look())["texts"]]
    assert "2: 2" in said
    assert "1! 1, 2" in said


def test_formulas_of_the_table() -> None:
    assert written(r"O(k \cdot n \cdot d^2)") == "O(k · n · d²)"
    assert written(r"O(\log_k(n))") == "O(log<sub>k</sub>(n))"
