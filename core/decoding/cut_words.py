"""The words at a cut, thousands perhaps: kept as columns, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, overload

import torch
from torch import Tensor

Fate = Literal["kept", "top_k", "top_p", "temperature"]  # what cut a word away


class CutWord(NamedTuple):
    """One word at the cut; all probabilities 0..1.

    probability: the model's own. tempered: after temperature, among the words that may be written.
    cumulative: of `tempered`, from the best word to this one. renormalised: what it is drawn with,
    0 for a word cut away. fate: `temperature` where that left nothing of a word.
    """

    id: int
    probability: float
    tempered: float
    cumulative: float
    renormalised: float
    fate: Fate


class CutWords(Sequence[CutWord]):
    """Words best first: those that stay, then some that do not.

    columns: ids, the model's own probabilities, tempered, cumulative, renormalised, each (N,).
    beyond: what cut away the last of them; all before stay.
    """

    def __init__(self, columns: Sequence[Tensor], beyond: Sequence[Fate]) -> None:
        self._columns, self._beyond = tuple(columns), tuple(beyond)

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, place: int) -> CutWord: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CutWord, ...]: ...

    def __getitem__(self, place: int | slice) -> CutWord | tuple[CutWord, ...]:
        if isinstance(place, slice):
            kept: Fate = "kept"
            fates = [kept] * (len(self) - len(self._beyond)) + [*self._beyond]
            listed = (column[place].tolist() for column in self._columns)
            return tuple(map(CutWord, *listed, fates[place]))
        at = range(len(self))[place]
        return self[at : at + 1][0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CutWords) or len(self) != len(other):
            return False
        pairs = zip(self._columns, other._columns, strict=True)
        return self._beyond == other._beyond and all(torch.equal(*pair) for pair in pairs)

    __hash__ = None  # type: ignore[assignment]  # as a list has none

    @property
    def stay(self) -> tuple[Tensor, Tensor]:
        """Ids and `renormalised` of the words that stay, (kept,) each."""
        kept = len(self) - len(self._beyond)
        return self._columns[0][:kept], self._columns[-1][:kept]

    @property
    def ids(self) -> list[int]:
        """The ids of all, best first."""
        found: list[int] = self._columns[0].tolist()
        return found
