"""The paper's Table 1 (§4): what a layer costs, waits for and how far a word travels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from core.lab.inputs import whole

LayerType = Literal["attention", "recurrent", "convolution", "restricted"]


@dataclass(frozen=True)
class Bound:
    """One row: three formulas as printed, and each without its O for given n, d, k and r."""

    layer: LayerType
    cost_formula: str  # LaTeX
    sequential_formula: str
    path_formula: str
    cost: float  # multiplications of one layer
    sequential: float  # operations that wait for the one before
    path: float  # maximum path length; contiguous convolutions need n / k, dilated ones log_k n


def table_one(length: Any, width: Any, kernel: Any = 3, window: Any = 8) -> tuple[Bound, ...]:
    """Table 1 evaluated, in the paper's order.

    Args:
        length: n, up to 1 000 000 words.
        width: d, up to 100 000.
        kernel: k, 2 to 1000, of a convolution.
        window: r, 1 to 1 000 000, the neighbourhood of restricted self-attention.

    Raises:
        GlassformerError: `lab_whole` for an input outside of these.
    """
    n, d = whole("length", length, 1, 10**6), whole("width", width, 1, 10**5)
    k, r = whole("kernel", kernel, 2, 1000), whole("window", window, 1, 10**6)
    return (
        Bound("attention", r"O(n^2 \cdot d)", "O(1)", "O(1)", n * n * d, 1, 1),
        Bound("recurrent", r"O(n \cdot d^2)", "O(n)", "O(n)", n * d * d, n, n),
        Bound(
            "convolution", r"O(k \cdot n \cdot d^2)", "O(1)", r"O(\log_k(n))",
            k * n * d * d, 1, max(1.0, math.log(n, k)),
        ),
        Bound("restricted", r"O(r \cdot n \cdot d)", "O(1)", "O(n/r)", r * n * d, 1, max(1, n / r)),
    )  # fmt: skip
