"""Where every cell goes when heads are split, and where a wrong view puts it."""

from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.head_split import head_split


@pytest.mark.parametrize("sizes", [(1, 4, 8, 2), (2, 3, 6, 3), (2, 5, 4, 1), (1, 1, 12, 4)])
def test_cells_by_loops(sizes: tuple[int, int, int, int]) -> None:
    batch, words, width, heads = sizes
    found, k = head_split(*sizes), width // heads
    steps = {key: step.cells for key, step in found.steps.items()}
    for b, s, d in np.ndindex(batch, words, width):
        cell = (b * words + s) * width + d
        head, inside = divmod(d, k)
        assert steps["split"][b, head, s, inside] == cell
        assert steps["viewed"][b, s, head, inside] == cell
        assert steps["linear"][b, s, d] == steps["concat"][b, s, d] == cell
        flat = s * width + d  # a view keeps the order in memory
        place = (flat // (words * k), flat // k % words, flat % k)
        assert steps["wrong_view"][b, *place] == cell
        place = divmod(head * words * k + s * k + inside, width)
        assert steps["wrong_concat"][b, *place] == cell
    for key, step in found.steps.items():
        sizes_of = {"B": batch, "S": words, "D": width, "H": heads, "K": k}
        assert step.cells.shape == tuple(sizes_of[axis] for axis in step.axes)
        assert torch.equal(step.word, step.cells // width % words)
        if not key.startswith("wrong"):
            assert not step.misplaced.any()


def test_what_the_wrong_view_does() -> None:
    found = head_split(1, 4, 8, 2)
    words = found.steps["wrong_view"].word[0, :, :, 0]  # (H, S): each head sees two, not four
    assert words.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    assert int(found.steps["wrong_view"].misplaced.sum()) == 24  # first and last row of words stay
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
        ({"sentences": 3}, "lab_whole"),
    ],
)
def test_refusals(inputs: dict[str, Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        head_split(**inputs)
    assert refused.value.key == key
