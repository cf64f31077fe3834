"""Where attention looks, against what the grammar knows: alignments and antecedents.

This is about pictures. Whether a head that looks at the right word also matters is another
question: `core.training.measures.knock_out` and `.redirect`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor

from core.corpus import Direction, Pair
from core.training.measures.passes import Pass, passes
from core.training.measures.tally import Tally
from core.translator import Translator


def head_name(layer: int, head: int) -> str:
    """As on screen: `layer 1 head 3`, counted from 1; given from 0."""
    return f"layer {layer + 1} head {head + 1}"


def layer_name(layer: int) -> str:
    """`layer 1`; given from 0."""
    return f"layer {layer + 1}"


def looks(weights: Tensor, places: Tensor) -> list[Tally]:
    """How often each head's rows look most at their place; rows without one are not counted.

    Args:
        weights: (B, H, T, S).
        places: (N, 3), sentence, row and column; a row may have several columns.
    """
    right = torch.zeros_like(weights[:, 0], dtype=torch.bool)  # (B, T, S)
    right[places[:, 0], places[:, 1], places[:, 2]] = True
    most = weights.argmax(dim=-1, keepdim=True)  # (B, H, T, 1)
    met = right[:, None].expand(weights.shape).gather(-1, most)  # (B, H, T, 1)
    total = int(right.any(dim=-1).sum())
    return [Tally(count, total) for count in met.sum(dim=(0, 2, 3)).tolist()]


def alignment_in(run: Pass, tallies: dict[str, Tally]) -> None:
    """Counts, in a pass that kept the cross-attention, the rows that look at a partner.

    A row that writes a word is right if the source word that it looks at most is one of the
    words it translates; words without a partner are not counted. `layer 2` is the mean of the
    layer's heads, `layer 2 head 1` that head alone.
    """
    for address, weights in run.kept.items():
        layer = int(address.split("/")[1])
        (mean,) = looks(weights.mean(dim=1, keepdim=True), run.batch.alignment)
        tallies[layer_name(layer)] += mean
        for head, found in enumerate(looks(weights, run.batch.alignment)):
            tallies[head_name(layer, head)] += found


def alignment(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> dict[str, Tally]:
    """The share of rows that look at a word they translate, by layer and by head."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for run in passes(translator, pairs, direction, keep=is_cross_attention):
        alignment_in(run, tallies)
    return dict(tallies)


def is_cross_attention(address: str) -> bool:
    """Whether these are weights of a decoder's look at the source."""
    return address.endswith("cross_attention/weights")


def antecedents(
    translator: Translator, pairs: Sequence[Pair], direction: Direction = "en-zh"
) -> dict[str, Tally]:
    """For every encoder head: how often the pronoun's row looks most at its antecedent."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for run in passes(translator, pairs, direction, keep=_is_encoder_attention):
        for address, weights in run.kept.items():
            for head, found in enumerate(looks(weights, run.batch.antecedents)):
                tallies[head_name(int(address.split("/")[1]), head)] += found
    return dict(tallies)


def _is_encoder_attention(address: str) -> bool:
    return address.startswith("encoder/") and address.endswith("self_attention/weights")
