"""How sharp attention is: rows that are all but one-hot learn nothing and show one column.

Softmax of large scores has no gradient (§3.2.1: the reason for √d_k). A head whose rows are
one-hot with and without that division is saturated, and the division explains nothing in it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from core.corpus import DIRECTIONS, Pair
from core.text.vocabulary import END
from core.trace.tape import Edit
from core.training.measures.knock_out import Part, parts
from core.training.measures.passes import Pass, passes
from core.training.measures.tally import Tally, tally
from core.translator import Translator

ONE_HOT = 0.99  # a row with a larger weight is


@dataclass(frozen=True)
class Sharpness:
    """One head, or the mean of an attention's heads, over the rows that may look at two or more."""

    saturated: float  # share of rows with a weight above ONE_HOT
    unscaled: float  # the same of the same scores without the division by √d_k
    end: float  # mean weight on the source's `<eos>`; 0 in the decoder's self-attention
    score: float  # mean absolute scaled score

    def to_dict(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


def sharpness(translator: Translator, pairs: Sequence[Pair]) -> dict[Part, Sharpness]:
    """Of every attention as a whole (the mean of its heads) and of every head."""
    end = translator.tokenizer.vocabulary.id(END)
    width, stacks = translator.config.d_k, {part.stack for part in parts(translator)}
    sums: dict[str, list[Tensor]] = defaultdict(list)
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        for run in passes(translator, taught, direction, keep=_is_wanted):
            for stack in stacks:
                sums[stack].append(_measured(run, stack, width, end))
    means = {stack: torch.cat(found, dim=-1).mean(dim=-1) for stack, found in sums.items()}
    return {
        part: Sharpness(*(means[part.stack].mean(1) if part.head is None else at).tolist())
        for part in parts(translator)
        for at in [means[part.stack][:, part.head or 0]]
    }


def without_scale(translator: Translator, pairs: Sequence[Pair]) -> dict[Part, Tally]:
    """By attention: the translations that change a word where its scores are not scaled by √d_k.

    Counted after the expected words, as in `core.training.measures.passes`.
    """
    factor, found = math.sqrt(translator.config.d_k), {}
    before = _preferred(translator, pairs, ())
    for part in parts(translator):
        if part.head is None:
            edit = Edit(f"{part.stack}/scaled", lambda scaled: scaled * factor, "unscaled")
            after = _preferred(translator, pairs, (edit,))
            changed = (one != other for one, other in zip(before, after, strict=True))
            found[part] = tally(changed)
    return found


def _preferred(
    translator: Translator, pairs: Sequence[Pair], edits: Sequence[Edit]
) -> list[list[int]]:
    """The words that the rows of each translation prefer, both directions."""
    found: list[list[int]] = []
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        for run in passes(translator, taught, direction, edits=lambda _: edits):
            found += run.preferred.tolist()
    return found


def _is_wanted(address: str) -> bool:
    return address.endswith(("attention/scaled", "attention/mask"))


def _measured(run: Pass, stack: str, width: int, end: int) -> Tensor:
    """The four figures of `Sharpness` for every head and row that has a choice, (4, H, N)."""
    encoder, cross = stack.startswith("encoder/"), stack.endswith("cross_attention")
    ids = run.batch.source if encoder else run.batch.target_input  # (B, T)
    every = run.kept[f"{stack}/mask"]  # (B, H, T, S)
    rows, places = ((ids != 0) & (every[:, 0].sum(dim=-1) > 1)).nonzero().T  # (N,) each
    mask, scaled = every[rows, :, places], run.kept[f"{stack}/scaled"][rows, :, places]
    weights, unscaled = (
        (scaled * factor).masked_fill(~mask, -torch.inf).softmax(dim=-1)  # (N, H, S)
        for factor in (1.0, math.sqrt(width))
    )
    ends = run.batch.source[rows, None] == end if encoder or cross else torch.zeros_like(mask)
    figures = (
        (weights.amax(dim=-1) > ONE_HOT).float(),
        (unscaled.amax(dim=-1) > ONE_HOT).float(),
        (weights * ends).sum(dim=-1),
        (scaled.abs() * mask).sum(dim=-1) / mask.sum(dim=-1),
    )
    return torch.stack(figures).transpose(1, 2)
