"""The rows of logits that decoding chooses from: with keys and values kept, or all afresh.

Words that are given are read many at once: what each of them expects next is known of one pass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache as once
from functools import lru_cache

import torch
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.config import ModelConfig
from glassformer.core.model.cache import GrowingPast, LayerCache
from glassformer.core.model.masks import padding_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.tape import SILENT, Edit, Recorder, Tape

AT_ONCE = 64  # given words that are read together: their logits are all in memory
Written = Sequence[Sequence[int]]  # N beginnings of equal length, each with its begin token


# N beginnings of equal length -> what each of them expects next, logits (N, V).
Rows = Callable[[Written], Tensor]
Tapes = Callable[[], Tape] | None  # makes the tapes of runs with edits or dropout


class KeptRows:
    """Keys and values stay between calls: a word after a beginning of the last call costs one row.

    Other beginnings are read anew. Several share the memory and its keys and values. given: a
    beginning whose words are to come one after the other, the begin token in front. tape: a maker
    of tapes, one for the source and one for each call; None for none.
    """

    def __init__(
        self, model: Transformer, source_ids: Tensor, given: Sequence[int] = (), tape: Tapes = None
    ) -> None:
        self.caches: list[LayerCache] = model.new_caches()
        self._model, self._tape = model, tape or (lambda: SILENT)
        self._source_ids = source_ids  # (1, S)
        self._written: list[tuple[int, ...]] = []
        self._given = () if model.config.pad_id in given[1:] else tuple(given)
        self._ahead = dict[int, Tensor]()  # length of a beginning of the given words -> (1, V)
        self._mask = padding_mask(source_ids, model.config.pad_id)  # (1, 1, 1, S)
        with torch.no_grad():
            self._memory = model.encode(source_ids, self._tape())  # (1, S, D)

    @torch.no_grad()
    def __call__(self, written: Written) -> Tensor:
        interruption.step()
        if len(written) == 1 and (row := self._known(tuple(written[0]))) is not None:
            return row  # (1, V)
        ids = self._source_ids.new_tensor([list(each) for each in written])  # (N, T)
        # Padding hides, which a cache cannot say; at the beginning it is the begin token.
        pad = self._model.config.pad_id
        if any(pad in each[1:] for each in written):
            several = self._source_ids.expand(len(ids), -1)  # (N, S)
            everything: Tensor = self._model(several, ids, self._tape())
            return everything[:, -1]  # (N, V)
        new = ids[:, -1:] if self._follows(written) else ids
        logits = self._step(new)  # (N, new, V)
        self._written = [tuple(each) for each in written]
        return logits[:, -1]  # (N, V)

    def _known(self, ids: tuple[int, ...]) -> Tensor | None:
        """The row (1, V) of a beginning of the given words; None of others."""
        if self._given[: len(ids)] != ids:
            return None
        if len(ids) not in self._ahead:
            read = len(ids) - 1
            if self._written != ([ids[:read]] if read else []):
                return None
            new = self._given[read : read + AT_ONCE]
            logits = self._step(self._source_ids.new_tensor([new]))  # (1, new, V)
            self._ahead = {read + 1 + at: logits[:, at] for at in range(len(new))}
            self._written = [self._given[: read + len(new)]]
        return self._ahead[len(ids)]

    def _step(self, ids: Tensor) -> Tensor:
        return self._model.step(ids, self._memory, self._mask, self.caches, self._tape())

    def _follows(self, written: Written) -> bool:
        """Sorts the caches for beginnings that all follow known ones, or else empties them."""
        before = {each: place for place, each in enumerate(self._written)}
        parents = [before.get(tuple(each[:-1])) for each in written]
        known = [parent for parent in parents if parent is not None]
        follows = len(known) == len(parents)
        for cache in self.caches:
            cache.self_attention = _chosen(cache.self_attention, known if follows else [])
        return follows


def _chosen(past: GrowingPast, parents: list[int]) -> GrowingPast:
    """The keys and values (B, H, T, K) of some beginnings, in this order; none empties it."""
    if past.kept is None or not parents:
        return GrowingPast()
    if parents == list(range(len(past.kept[0]))):
        return past
    k, v = past.kept
    return GrowingPast((k[parents], v[parents]))  # (N, H, T, K)


def rows_of(
    model: Transformer, source_ids: Tensor, tape: Tapes = None, given: Sequence[int] = ()
) -> Rows:
    """The rows of logits of a source; keys and values are kept between them where they may be.

    Otherwise every row is a whole pass on a tape of its own, for an edit may look at all rows; all
    rows of the `given` words are those of one pass.

    Args:
        model: the Transformer; it is only run.
        source_ids: (1, S).
        tape: a maker of tapes for runs with edits or dropout. Keys and values are kept with None,
            and with `EditTapes` whose edits allow it.
        given: words that are to come one after the other, the begin token in front; () for none.

    Returns:
        A function from N beginnings of equal length, each with its begin token, to what each of
        them expects next: logits (N, V).
    """
    if tape is None or (isinstance(tape, EditTapes) and keeps_rows(model.config, tape.edits)):
        return KeptRows(model, source_ids, given, tape)
    whole = tuple(given)

    def passed(ids: Sequence[int]) -> Tensor:
        interruption.step()
        target_ids = source_ids.new_tensor([list(ids)])  # (1, T)
        logits: Tensor = model(source_ids, target_ids, tape())
        return logits[0]  # (T, V)

    @once
    def ahead() -> Tensor:
        return passed(whole)

    def row(ids: Sequence[int]) -> Tensor:
        known = whole[: len(ids)] == tuple(ids)
        return ahead()[len(ids) - 1] if known else passed(ids)[-1]  # (V,)

    @torch.no_grad()
    def rows(written: Written) -> Tensor:
        return torch.stack([row(ids) for ids in written])  # (N, V)

    return rows


@dataclass(frozen=True)
class EditTapes:
    """Makes tapes that apply the edits and keep nothing."""

    edits: tuple[Edit, ...]

    def __call__(self) -> Recorder:
        return Recorder(self.edits, keep=lambda _: False)


def keeps_rows(config: ModelConfig, edits: Sequence[Edit]) -> bool:
    """Whether what a row was stays as it was when words follow it, so that it may be kept.

    Args:
        config: of the model.
        edits: of the run.

    Returns:
        True where each edit acts on each position alone, or on nothing but the source's.
    """
    wider = [edit for edit in edits if not edit.each_position]
    return not any(edit.matches(each) for edit in wider for each in _of_target(config))


@lru_cache(maxsize=16)
def _of_target(config: ModelConfig) -> tuple[str, ...]:
    """The addresses of what has a row for each position of the target."""
    return tuple(each for each in addresses(config) if "T" in shape_letters(each, config))


def tapes(edits: Sequence[Edit]) -> Tapes:
    """What the strategies take as `tape` to decode under edits.

    Args:
        edits: of the run.

    Returns:
        A maker of tapes that apply the edits and keep nothing; None without an edit.
    """
    return EditTapes(tuple(edits)) if edits else None
