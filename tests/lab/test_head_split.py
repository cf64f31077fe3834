"""Where every cell goes when heads are split, and where a wrong view puts it."""

from typing import Any

import numpy as np
import pytest
import torch

from core.errors import GlassformerError
from core.lab.head_split import AXES, head_split


@pytest.mark.parametrize("sizes", [(1, 4, 8, 2), (2, 3, 6, 3), (3, 5, 4, 1), (1, 1, 10, 5)])
def test_cells_by_loops(sizes: tuple[int, int, int, int]) -> None:
    batch, words, width, heads = sizes
    found, k = head_split(*sizes), width // heads
    split, viewed = found.step("split"), found.step("viewed")
    wrong, joined = found.step("wrong_view"), found.step("wrong_concat")
    for b, s, d in np.ndindex(batch, words, width):
        head, inside = divmod(d, k)
        assert _origin(split, b, head, s, inside) == (b, s, d)
        assert _origin(viewed, b, s, head, inside) == (b, s, d)
        for key in ("linear", "concat"):
            assert _origin(found.step(key), b, s, d) == (b, s, d)
        flat = s * width + d  # a view keeps the order in memory
        place = (flat // (words * k), flat // k % words, flat % k)
        assert _origin(wrong, b, *place) == (b, s, d)
        place = divmod(head * words * k + s * k + inside, width)
        assert _origin(joined, b, *place) == (b, s, d)
    for key, letters in AXES.items():
        step = found.step(key)
        assert step.shape == tuple(
            {"B": batch, "S": words, "D": width, "H": heads, "K": k}[a] for a in letters
        )
        assert step.axes == letters
        if not key.startswith("wrong"):
            assert not step.misplaced.any()


def _origin(step: Any, *place: int) -> tuple[int, int, int]:
    return int(step.sentence[place]), int(step.word[place]), int(step.feature[place])


def test_what_the_wrong_view_does() -> None:
    found = head_split(1, 4, 8, 2)
    words = found.step("wrong_view").word[0, :, :, 0]  # (H, S): each head sees two, not four
    assert words.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    assert int(found.step("wrong_view").misplaced.sum()) == 24  # first and last row of words stay
    assert not torch.allclose(found.weights, found.wrong_weights)
    for weights in (found.weights, found.wrong_weights):
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4))
    single = head_split(1, 4, 8, 1)  # one head: nothing can go wrong
    torch.testing.assert_close(single.weights, single.wrong_weights)


@pytest.mark.parametrize(
    "inputs, key",
    [
        ({"heads": 3}, "lab_shape"),
        ({"width": 7}, "lab_shape"),
        ({"words": 0}, "lab_whole"),
        ({"sentences": "two"}, "lab_number"),
        ({"sentences": 4, "words": 16, "width": 64}, "lab_large"),
    ],
)
def test_refusals(inputs: dict[str, Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        head_split(**inputs)
    assert refused.value.key == key
