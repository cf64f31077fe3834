"""What heads are known for, measured over texts: previous-word, duplicate, induction, alignment.

Of each row (a query) that has such a word, how much of its weight lies there:

- previous: the word before it.
- duplicate: the same word, earlier in the text.
- induction: the word after an earlier one that is the same (Olsson et al. 2022).
- alignment: the source words that the row's word translates, of cross-attention.

These are the patterns of TransformerLens' `head_detector`; its scores ("mul") divide by all rows,
those without such a word, too: `every_row=True` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.device import to_float64
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.sites import in_list
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.results import LINES, GridAxis, ResultGrid

if TYPE_CHECKING:
    import pandas as pd

WITHIN = ("previous", "duplicate", "induction")
ALIGNMENT = "alignment"
Pairs = Sequence[tuple[int, int]]  # of a text: (row of the output, position in the source)


@dataclass(frozen=True, repr=False)
class HeadScores(ResultGrid):
    """Scores by place (`encoder/0/self_attention`), head and kind, 0..1.

    NaN: no row of the texts has such a word, or the kind is not of this attention.
    """

    def table(self) -> pd.DataFrame:
        """A row a head: its place, layer, head, and a column a kind."""
        import pandas as pd  # slow to import

        places, heads, kinds = (axis.labels for axis in self.axes)
        rows = [
            {"place": place, "layer": Address.of(str(place)).layer, "head": head}
            | dict(zip(map(str, kinds), self.values[at, head].tolist(), strict=True))
            for at, place in enumerate(places)
            for head in range(len(heads))
            if not np.isnan(self.values[at, head]).all()
        ]
        return pd.DataFrame(rows)

    def lines(self) -> pd.DataFrame:
        table = self.table()
        kinds = [str(kind) for kind in self.axes[-1].labels]
        order = table[kinds].max(axis=1).sort_values(ascending=False, kind="stable").index
        return table.loc[order[:LINES]]


def head_scores(
    model: Model,
    texts: GivenText | Sequence[GivenText],
    kinds: Sequence[str] = WITHIN,
    *,
    targets: Sequence[GivenText | None] | None = None,
    alignments: Sequence[Pairs] | None = None,
    every_row: bool = False,
    batch_size: int = 64,
) -> HeadScores:
    """How much each head looks at the word before, the same word, what followed it, its source.

    A score says where a head looks, not what it does with it, nor that the model needs it: `ablate`
    it. Duplicate and induction need texts in which words come again; on random words that come
    twice (Olsson et al. 2022) a score cannot come of what usually stands together.

    Cost: a run of the texts that keeps attention maps and ids.

    Args:
        model: it is only run.
        texts: one or many.
        kinds: of `previous`, `duplicate`, `induction`, `alignment`.
        targets: what is forced on the decoder, one a text.
        alignments: for alignment: of each text which source positions its rows translate, both
            counted from 0 in the text's own words.
        every_row: True divides by all rows, as TransformerLens does; False by those that have such
            a word.
        batch_size: most texts in one batch.

    Returns:
        The mean over the rows of all texts, by place, head and kind.

    Raises:
        GlassformerError: `head_scores_kind`, `head_scores_alignment`, `run_targets` for more or
            fewer alignments than texts, `out_of_range` for a position that a text has not, and as
            `run_batch`.
    """
    every = in_list(texts)
    _check_kinds(model, kinds, alignments, len(every))
    places = [
        Address.of(address).place
        for address in addresses(model.config)
        if address.endswith("_attention/weights")
    ]
    keep = [f"{place}/weights" for place in places]
    stacks = (("source", model.config.encoder_layers), ("target", model.config.decoder_layers))
    keep += [f"{side}/ids" for side, layers in stacks if layers]
    counts = _Counts(model, places, kinds, every_row)
    for start in range(0, len(every), batch_size):
        part = slice(start, start + batch_size)
        goals = None if targets is None else targets[part]
        batch = run_batch(model, every[part], targets=goals, keep=keep)
        counts.add(batch, None if alignments is None else alignments[part])
    axes = (
        GridAxis("place", tuple(places)),
        GridAxis("head", tuple(range(counts.sums.shape[1]))),
        GridAxis("kind", tuple(kinds)),
    )
    title = f"what heads look at in {len(every)} texts"
    return HeadScores(title, "score", counts.means(), axes)


class _Counts:
    """Weight on the words that are looked for, and rows that count, over all batches."""

    def __init__(
        self, model: Model, places: Sequence[str], kinds: Sequence[str], every_row: bool
    ) -> None:
        heads = max(model.config.of(place).n_heads for place in places)
        self._places, self._kinds, self._every_row = places, list(kinds), every_row
        self.sums = np.zeros((len(places), heads, len(kinds)))
        self.rows = np.zeros_like(self.sums)

    def add(self, batch: Batch, alignments: Sequence[Pairs] | None) -> None:
        """The rows of one batch."""
        for at, place in enumerate(self._places):
            weights = batch[f"{place}/weights"]  # (B, H, T, S)
            cross = Address.of(place).is_cross
            kinds = [ALIGNMENT] if cross else [each for each in self._kinds if each in WITHIN]
            for kind in (each for each in kinds if each in self._kinds):
                there = _aligned(batch, alignments) if cross else _within(batch, place, kind)
                counted = _mask_of(batch, place) if self._every_row else there.any(dim=-1)
                found = (weights * there[:, None]).sum(dim=-1)  # (B, H, T)
                found = torch.where(counted[:, None], found, 0).sum(dim=(0, 2))  # (H,)
                column = self._kinds.index(kind)
                self.sums[at, : len(found), column] += to_float64(found).numpy()
                self.rows[at, : len(found), column] += float(counted.sum())

    def means(self) -> NDArray[np.float64]:
        """Weight a row; NaN where no row counts."""
        none = np.full_like(self.sums, np.nan)
        return np.divide(self.sums, self.rows, out=none, where=self.rows > 0)


def _check_kinds(
    model: Model, kinds: Sequence[str], alignments: Sequence[Pairs] | None, texts: int
) -> None:
    allowed = (*WITHIN, ALIGNMENT)
    for kind in kinds:
        if kind not in allowed:
            raise GlassformerError("head_scores_kind", given=kind, allowed=", ".join(allowed))
    if ALIGNMENT in kinds and (alignments is None or not model.config.has_both):
        raise GlassformerError("head_scores_alignment")
    if alignments is not None and len(alignments) != texts:
        raise GlassformerError("run_targets", texts=texts, targets=len(alignments))


def _mask_of(batch: Batch, place: str) -> Tensor:
    """Where the queries of an attention are words, (B, T)."""
    return batch.source_mask if Address.of(place).side == "source" else batch.target_mask


def _within(batch: Batch, place: str, kind: str) -> Tensor:
    """Where each row's words of a kind are, of a self-attention: bool (B, T, T)."""
    ids = batch[f"{Address.of(place).side}/ids"]  # (B, T)
    words = _mask_of(batch, place)
    both = words[:, :, None] & words[:, None, :]
    if kind == "previous":
        line = torch.ones_like(both[0]).tril(-1) & ~torch.ones_like(both[0]).tril(-2)
        return both & line
    same = ((ids[:, :, None] == ids[:, None, :]) & both).tril(-1)  # earlier ones alone
    if kind == "duplicate":
        return same
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]  # one place after each
    return after & both


def _aligned(batch: Batch, alignments: Sequence[Pairs] | None) -> Tensor:
    """Where each row's source words are, of a cross-attention: bool (B, T, S)."""
    rows, columns = batch.target_mask, batch.source_mask
    there = torch.zeros(len(batch), rows.size(1), columns.size(1), dtype=torch.bool)
    for text, pairs in enumerate(alignments or ()):
        own = (rows[text].nonzero()[:, 0].tolist(), columns[text].nonzero()[:, 0].tolist())
        for row, position in pairs:
            check_index("row", row, len(own[0]))
            check_index("position", position, len(own[1]))
            there[text, own[0][row], own[1][position]] = True
    return there.to(rows.device)
