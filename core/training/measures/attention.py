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


def alignment_in(run: Pass, direction: Direction, tallies: dict[str, Tally]) -> None:
    """Counts, in a pass that kept the cross-attention, the rows that look at a partner.

    A row that writes a word is right if the source word that it looks at most is one of the
    words it translates; words without a partner are not counted. `layer 2` is the mean of the
    layer's heads, `layer 2 head 1` that head alone.
    """
    for address, weights in run.kept.items():
        for name, looked in _looked_at(int(address.split("/")[1]), weights).items():
            for pair, row in zip(run.pairs, looked, strict=True):
                for position, partners in _partners(pair, direction).items():
                    tallies[name].add(row[position] in partners)


def alignment(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> dict[str, Tally]:
    """The share of rows that look at a word they translate, by layer and by head."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for run in passes(translator, pairs, direction, keep=is_cross_attention):
        alignment_in(run, direction, tallies)
    return dict(tallies)


def is_cross_attention(address: str) -> bool:
    """Whether these are weights of a decoder's look at the source."""
    return address.endswith("cross_attention/weights")


@torch.no_grad()
def antecedents(translator: Translator, pairs: Sequence[Pair]) -> dict[str, Tally]:
    """For every encoder head: how often the pronoun's row looks most at its antecedent."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for run in passes(translator, pairs, "en-zh", keep=_is_encoder_attention):
        for address, weights in run.kept.items():
            layer = int(address.split("/")[1])
            looked = weights.argmax(dim=-1).tolist()  # (B, H, S)
            for pair, heads in zip(run.pairs, looked, strict=True):
                for head, rows in enumerate(heads):
                    for pronoun, noun in pair.antecedents:
                        tallies[head_name(layer, head)].add(rows[pronoun] == noun)
    return dict(tallies)


def _is_encoder_attention(address: str) -> bool:
    return address.startswith("encoder/") and address.endswith("self_attention/weights")


def _looked_at(layer: int, weights: Tensor) -> dict[str, list[list[int]]]:
    """The most-attended source position of each row, (B, T) each: mean of heads, and heads."""
    views = {layer_name(layer): weights.mean(dim=1)}  # (B, T, S)
    for head in range(weights.size(1)):
        views[head_name(layer, head)] = weights[:, head]
    return {name: view.argmax(dim=-1).tolist() for name, view in views.items()}


def _partners(pair: Pair, direction: Direction) -> dict[int, set[int]]:
    """For each target word that has any: the source words that it translates."""
    partners: dict[int, set[int]] = defaultdict(set)
    for english, chinese in pair.alignment:
        source, target = (english, chinese) if direction == "en-zh" else (chinese, english)
        partners[target].add(source)
    return partners
