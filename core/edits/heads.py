"""Heads switched: off, alone, swapped, or looking where one says."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor

from core.config import ModelConfig
from core.edits.attentions import OfHeads, extent, within
from core.edits.switch import Setting, refuse
from core.trace.tape import Edit

Way = Literal["zero", "mean"]


@dataclass(frozen=True)
class HeadsOff(OfHeads, kind="heads_off"):
    """Heads say nothing: `context` is exactly zero, or the head's mean over a reference set.

    The mean takes away what a head says about this sentence and leaves what it always says.
    """

    way: Way = "zero"
    order: ClassVar[int] = 10  # whatever else is done to a context, off is off

    @property
    def slot(self) -> Hashable:
        return self.kind, self.where, self.heads

    def silenced(self, config: ModelConfig) -> list[int]:
        """The heads that are off."""
        return self.chosen(config)

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`context` (B, H, T, K) of the silenced heads."""
        heads = self.silenced(setting.config)
        means = setting.means() if self.way == "mean" else None
        return [
            Edit(address, filling(heads, address, means), self.text)
            for address in (f"{place}/context" for place in self.places(setting.config))
        ]


@dataclass(frozen=True)
class HeadsAlone(HeadsOff, kind="heads_alone"):
    """All heads of the attention off but these (solo). Raises `experiment_value` for no heads."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.heads:
            refuse(self.kind, "heads", self.heads)

    @property
    def slot(self) -> Hashable:
        return self.kind, self.where

    def silenced(self, config: ModelConfig) -> list[int]:
        """The heads that are off: all others."""
        return [head for head in range(config.n_heads) if head not in self.chosen(config)]


@dataclass(frozen=True)
class HeadsSwapped(OfHeads, kind="heads_swapped"):
    """Each of `heads` takes over from the next of them, the last from the first; two are swapped.

    `what`: the attention maps, so that a head reads its own values where the other looks, or the
    contexts, so that each goes through the other's rows of W_O. Raises `experiment_value` for a
    single head, and for one that is named twice.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.heads) == 1 or len(set(self.heads)) < len(self.heads):
            refuse(self.kind, "heads", self.heads)

    what: Literal["weights", "context"] = "weights"

    @property
    def slot(self) -> Hashable:
        return self.kind, self.where, self.what

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`weights` (B, H, T, S) or `context` (B, H, T, K), heads in another order."""
        heads = self.chosen(setting.config)
        after = [*heads[1:], heads[0]]

        def change(value: Tensor) -> Tensor:
            value[:, heads] = value[:, after]
            return value

        return self.each(setting.config, f"/{self.what}", change)


@dataclass(frozen=True)
class HeadsFrozen(OfHeads, kind="heads_frozen"):
    """Heads look evenly at all they may look at (`uniform`), or each row at its own place.

    `diagonal` does not ask the mask; a row beyond the last key looks at the last key.
    """

    to: Literal["uniform", "diagonal"] = "uniform"
    order: ClassVar[int] = 10  # after a temperature, which could not be seen

    @property
    def slot(self) -> Hashable:
        return "heads_fixed", self.where, self.heads

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) set to 0, or `weights` set to the diagonal."""
        heads = self.chosen(setting.config)

        def even(scaled: Tensor) -> Tensor:
            scaled[:, heads] = 0.0
            return scaled

        def own(weights: Tensor) -> Tensor:
            queries, keys = weights.shape[-2:]
            weights[:, heads] = 0.0
            for row in range(queries):
                weights[:, heads, row, min(row, keys - 1)] = 1.0
            return weights

        site, change = ("/scaled", even) if self.to == "uniform" else ("/weights", own)
        return self.each(setting.config, site, change)


@dataclass(frozen=True)
class HeadsRedirected(OfHeads, kind="heads_redirected"):
    """Heads look at one key alone, in some rows or, with (), in all; the mask is not asked.

    While a sentence is being decoded, rows and keys that are not there yet do nothing.
    """

    key: int = 0
    rows: tuple[int, ...] = ()
    order: ClassVar[int] = 11

    @property
    def slot(self) -> Hashable:
        return "heads_fixed", self.where, self.heads, self.rows

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`weights` (B, H, T, S): 1 at the key, 0 elsewhere in the row."""
        heads = self.chosen(setting.config)

        def change(weights: Tensor) -> Tensor:
            queries, keys = weights.shape[-2:]
            if not 0 <= self.key < keys:
                return weights
            for row in self.rows or range(queries):
                if 0 <= row < queries:
                    weights[:, heads, row] = 0.0
                    weights[:, heads, row, self.key] = 1.0
            return weights

        return self.each(setting.config, "/weights", change)

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises also `out_of_range` for a row or a key that these lengths do not have."""
        super().check(config, source, target)
        for place in self.places(config):
            queries, keys = extent(place, source, target)
            within("key", self.key, keys)
            for row in self.rows:
                within("row", row, queries)


def filling(
    heads: Sequence[int], address: str, means: Mapping[str, Tensor] | None
) -> Callable[[Tensor], Tensor]:
    """A change of `context` (B, H, T, K): heads set to zero, or to their means (H, K)."""
    chosen = list(heads)

    def change(context: Tensor) -> Tensor:
        if means is None:
            context[:, chosen] = 0.0
        else:
            context[:, chosen] = means[address].to(context)[chosen, None]  # (h, 1, K)
        return context

    return change
