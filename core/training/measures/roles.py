"""What each head looks at, over many held-out sentences: five places that are easily named.

A role is a picture. Beside it the card tells what the translations lose without the head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor

from core.corpus import Direction, Pair
from core.text.vocabulary import END
from core.training.measures.attention import looks
from core.training.measures.knock_out import Part
from core.training.measures.passes import Pass, passes
from core.training.measures.tally import Tally
from core.translator import Translator

OFFSETS = {"previous": -1, "same": 0, "next": 1}  # of self-attention: where the column lies
ROLES = (*OFFSETS, "alignment", "antecedent")
Roles = dict[Part, dict[str, Tally]]


def head_roles(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    roles: Sequence[str] = ROLES,
) -> Roles:
    """How often the rows of each head look most at the place that a role names.

    Rows count that have such a place: words, not `<eos>` or padding. `alignment` is that of
    cross-attention, `antecedent` that of the encoder, `next` no role of the decoder.
    """
    found: Roles = defaultdict(lambda: defaultdict(Tally))
    end = translator.tokenizer.vocabulary.id(END)
    for run in passes(translator, pairs, direction, keep=lambda a: a.endswith("/weights")):
        for address, weights in run.kept.items():
            for role, places in _places(run, address, end).items():
                if role in roles:
                    for head, tally in enumerate(looks(weights, places)):
                        found[Part(address.removesuffix("/weights"), head)][role] += tally
    return {part: dict(tallies) for part, tallies in found.items()}


def _places(run: Pass, address: str, end: int) -> dict[str, Tensor]:
    """The places of each role in one attention of a pass, (N, 3) as `looks` takes them."""
    if "cross_attention" in address:
        return {"alignment": run.batch.alignment}
    encoder = address.startswith("encoder/")
    ids = run.batch.source if encoder else run.batch.target_input  # (B, T)
    words = (ids != 0) & (ids != end)
    found = {r: beside(words, offset) for r, offset in OFFSETS.items() if encoder or offset < 1}
    return {**found, "antecedent": run.batch.antecedents} if encoder else found


def beside(words: Tensor, offset: int) -> Tensor:
    """Rows of words that have a word so many places on: bool (B, T) -> (N, 3) with its column."""
    rows = words.nonzero()  # (N, 2), sentence and row
    columns = rows[:, 1] + offset
    inside = (columns >= 0) & (columns < words.size(1))
    rows, columns = rows[inside], columns[inside]
    both = words[rows[:, 0], columns]
    return torch.cat([rows, columns[:, None]], dim=1)[both]
