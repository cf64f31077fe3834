"""A causal mask made line by line in torch, and how it broadcasts over sentences and heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from glassformer.core.config import MaskFill
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import array, read_choice, read_whole_number
from glassformer.core.lab.softmax import normalize_scores
from glassformer.core.model.masks import apply_mask, causal_mask, padding_mask

Recipe = Literal["tril", "triu", "full"]
RECIPES: tuple[Recipe, ...] = get_args(Recipe)
WIDEST, MOST_HEADS, MOST_SENTENCES = 8, 4, 3


@dataclass(frozen=True)
class Line:
    """A line of code and what it gives."""

    code: str
    made: Tensor  # (S, S) or (1, S, S)


@dataclass(frozen=True)
class Built:
    """A mask, and what it does."""

    lines: tuple[Line, ...]
    allowed: Tensor  # (S, S) bool, True where the query may look
    weights: Tensor  # (S, S) the softmax of scores that are all 0
    with_padding: Tensor  # (B, 1, S, S) bool: this mask and the sentences' padding
    spread: Tensor  # (B, H, S, S) the same memory, seen by every head
    fits: dict[str, tuple[tuple[int, ...], bool]]  # a mask's shape, and whether torch takes it

    @property
    def empty(self) -> Tensor:
        """Which queries may look at nothing, (S,) bool."""
        return ~self.allowed.any(dim=1)


def build_mask(
    recipe: Any = "triu", size: Any = 5, hidden: Any = 1, lengths: Any = (5, 3), heads: Any = 3
) -> Built:
    """Builds a mask line by line, and shows how it broadcasts over sentences and heads.

    Args:
        recipe: what it starts from, one of `RECIPES`.
        size: S, 2 to 8.
        hidden: the first diagonal that is hidden, 1 for the future alone, 0 for the current word,
            too; −1 to 2.
        lengths: (B,) words of the sentences, 1 to S each; 1 to 3 sentences.
        heads: H, 1 to 4.

    Returns:
        The lines of code with what they give, the mask, and what it does.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    how = read_choice("recipe", recipe, RECIPES)
    many, first = (
        read_whole_number("size", size, 2, WIDEST),
        read_whole_number("hidden", hidden, -1, 2),
    )
    words = [
        read_whole_number("lengths", each, 1, many) for each in array("lengths", lengths).tolist()
    ]
    if len(words) > MOST_SENTENCES:
        raise GlassformerError("lab_large", name="lengths", given=len(words), limit=MOST_SENTENCES)
    lines = _lines(how, many, first)
    made = lines[-1].made.reshape(many, many)
    allowed = made == 0 if how == "full" else made
    scores = torch.zeros(1, 1, many, many)
    fill: MaskFill = "additive" if how == "full" else "large_negative"
    ids = (torch.arange(many) < torch.tensor(words)[:, None]).long()  # (B, S), 0 is padding
    both = padding_mask(ids, 0) & allowed  # (B, 1, S, S)
    asked = (len(words), read_whole_number("heads", heads, 1, MOST_HEADS), many, many)
    return Built(
        lines=tuple(lines),
        allowed=allowed,
        weights=normalize_scores(apply_mask(scores, allowed, fill))[0, 0],
        with_padding=both,
        spread=both.expand(asked),
        fits=_fits(asked),
    )


def _lines(recipe: str, size: int, first: int) -> list[Line]:
    """Each line goes on with what the one before has made; the last is the mask."""
    square = torch.ones(size, size)
    if recipe == "full":
        endless = torch.full((size, size), -torch.inf)
        return [
            Line(f"full = torch.full(({size}, {size}), -torch.inf)", endless),
            Line(f"mask = full.triu(diagonal={first})", endless.triu(first)),
        ]
    if recipe == "tril":
        return [
            Line(f"ones = torch.ones({size}, {size})", square),
            Line(f"lower = ones.tril(diagonal={first - 1})", square.tril(first - 1)),
            Line("mask = lower == 1", square.tril(first - 1) == 1),
        ]
    upper = square[None].triu(first)
    return [
        Line(f"ones = torch.ones(1, {size}, {size})", square[None]),
        Line(f"upper = ones.triu(diagonal={first})", upper),
        Line("mask = upper == 0", upper == 0),
    ]


def _fits(scores: Sequence[int]) -> dict[str, tuple[tuple[int, ...], bool]]:
    """Masks set under the scores (B, H, S, S), aligned at the last axis."""
    sentences, _, size, _ = scores
    padding = padding_mask(torch.ones(sentences, size).long(), 0)
    masks = {
        "causal": causal_mask(size)[0],  # (1, S, S)
        "padding": padding,  # (B, 1, 1, S)
        "both": padding & causal_mask(size),  # (B, 1, S, S)
        "bare": padding[:, 0],  # (B, 1, S): its sentences stand under the heads
    }
    return {name: (tuple(each.shape), _takes(each, scores)) for name, each in masks.items()}


def _takes(mask: Tensor, scores: Sequence[int]) -> bool:
    try:
        return bool(mask.expand(*scores).numel())
    except RuntimeError:
        return False
