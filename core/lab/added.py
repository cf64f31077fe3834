"""Adding a position is one matrix on (x, one-hot p); concatenating it is another price (§3.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import array, read_whole_number
from glassformer.core.lab.parts import build_unfilled
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.encoder import EncoderLayer

PLACES = 4  # P, the rows of the table of positions
HEADS = 8


@dataclass(frozen=True)
class Cost:
    """What a way of joining word and position asks of the model behind it."""

    width: int  # of the vector that goes on
    parameters: int  # of one encoder layer of this width, counted in the layer itself


@dataclass(frozen=True)
class Added:
    """S words, each at a place of its own, joined in three ways."""

    x: Tensor  # (S, X)
    one_hot: Tensor  # (S, P) a 1 at the word's position
    words: Tensor  # (X, D) A, what a word is multiplied by
    places: Tensor  # (P, D) E, the position table
    a: Tensor  # (S, D) x A
    e: Tensor  # (S, D) the row of E
    added: Tensor  # (S, D) a + e
    stacked: Tensor  # (S, D) (x, p) W, W being A on top of E
    beside: Tensor  # (S, 2 D) (a, e)
    costs: tuple[Cost, Cost]  # added, concatenated

    @property
    def difference(self) -> float:
        """The largest between a + e and (x, p) W."""
        return float((self.added - self.stacked).abs().max())


def join_positions(
    x: Any, positions: Any, matrix: Any, d_model: Any = 512, d_position: Any = 512
) -> Added:
    """Joins words and positions in three ways (§3.5): added, by one stacked matrix, side by side.

    Args:
        x: (S, X) words.
        positions: (S,) the place of each word, 0 to 3.
        matrix: (X, D) A, what a word is multiplied by; D is even, 2 to 8.
        d_model: width of the word's vector in a model of full size, a multiple of 8 up to 2048: the
            costs are counted for it.
        d_position: width of the position's vector there, a multiple of 8 up to 2048.

    Returns:
        The vectors of each way, with the paper's table of positions, and what each asks of a model.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    rows = array("x", x, 2)  # (S, X)
    words = array("matrix", matrix, 2, (rows.size(1), None))  # (X, D)
    given: Sequence[Any] = array("positions", positions, 1, (rows.size(0),)).tolist()
    at = torch.tensor([read_whole_number("positions", each, 0, PLACES - 1) for each in given])
    width = read_whole_number(
        "matrix", words.size(1), 2, 8, multiple_of=2
    )  # a sine and a cosine each
    places = position_encoding(PLACES, width).double()  # (P, D)
    one_hot = functional.one_hot(at, PLACES).double()  # (S, P)
    a, e = rows @ words, places[at]  # (S, D)
    wide = read_whole_number("d_model", d_model, 8, 2048, multiple_of=HEADS)
    more = read_whole_number("d_position", d_position, 8, 2048, multiple_of=HEADS)
    return Added(
        x=rows, one_hot=one_hot, words=words, places=places, a=a, e=e, added=a + e,
        stacked=torch.cat([rows, one_hot], dim=1) @ torch.cat([words, places]),
        beside=torch.cat([a, e], dim=1),
        costs=(_cost(wide), _cost(wide + more)),
    )  # fmt: skip


@lru_cache(maxsize=32)
def _cost(width: int) -> Cost:
    config = ModelConfig(vocabulary_size=1, d_model=width, n_heads=HEADS, d_ff=4 * width)
    with torch.device("meta"):  # shapes alone: no memory is asked for
        layer = build_unfilled(lambda: EncoderLayer(config))
    return Cost(width, sum(each.numel() for each in layer.parameters()))
