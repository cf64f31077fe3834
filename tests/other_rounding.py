"""Products of matrices whose last bits differ as they may on another processor.

Processors sum the products of a row in orders of their own, chosen by the shape of the whole batch
and by where in it the row lies. `sum_in_parts` has torch do so on any machine: the inner dimension
is cut into two parts, at one of several places, and the parts are added. Every result is a float32
result that some processor could give; what is exact everywhere (zeros, one word alone) stays exact,
and the same batch gives the same bits. A test that fails with `OTHER_ROUNDING=1` asks for a bit
that nobody promises, or, where it counts the tensors behind a product, is not for it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_matmul, _linear = torch.matmul, torch.nn.functional.linear


def sum_in_parts() -> None:
    """From here on, for the whole process and all of its threads."""
    for owner, name in ((torch, "matmul"), (Tensor, "matmul"), (Tensor, "__matmul__")):
        setattr(owner, name, _product)
    torch.nn.functional.linear = _layer


def _product(left: Tensor, right: Tensor, **more: Any) -> Tensor:
    if left.dim() < 2 or right.dim() < 2 or left.dtype != torch.float32 or more:
        return _matmul(left, right, **more)
    width = left.shape[-1]
    # One matrix for all rows is one product of all rows; else each has a product of its own.
    rows = left.numel() // max(width, 1) if right.dim() == 2 else left.shape[-2]
    shape = left.shape[:-1] if right.dim() == 2 else (rows,)
    late = (torch.arange(rows, device=left.device) % 7 > 3).view(*shape, 1)
    cuts = (width * (1 + rows * 7919 // 16 % 5) // 8, width * 3 // 4)
    early, later = (
        _matmul(left[..., :cut], right[..., :cut, :])
        + _matmul(left[..., cut:], right[..., cut:, :])
        for cut in cuts
    )
    return torch.where(late, later, early)


def _layer(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    if x.dim() < 2 or x.dtype != torch.float32:
        return _linear(x, weight, bias)
    whole = _product(x, weight.T)
    return whole if bias is None else whole + bias
