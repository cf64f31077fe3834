"""Where a mask or a head is switched: one attention or several, all its heads or some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from core.config import ModelConfig
from core.edits.parts import Parts
from core.edits.switch import Phrase
from core.errors import GlassformerError

ATTENTIONS = ("self_attention", "cross_attention")


@dataclass(frozen=True)
class OfHeads(Parts):
    """A switch of the heads of some attentions; `heads` count from 0, () is all of them.

    `where` is an attention (`decoder/1/cross_attention`) or a pattern (`encoder/*`, `*`).
    """

    heads: tuple[int, ...] = ()
    endings: ClassVar[tuple[str, ...]] = ATTENTIONS

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises `edit_unmatched` for an attention, `out_of_range` for a head it does not have."""
        super().check(config, source, target)
        self.chosen(config)

    def chosen(self, config: ModelConfig) -> list[int]:
        """The heads as a list; raises `out_of_range`."""
        for head in self.heads:
            within("head", head, config.n_heads)
        return list(self.heads or range(config.n_heads))

    def holds_at(self, config: ModelConfig) -> tuple[str, ...]:
        """The attentions that it is for; none where the model lacks them or its heads."""
        try:
            self.chosen(config)
            return self.places(config)
        except GlassformerError:
            return ()

    @property
    def phrase(self) -> Phrase:
        """Heads and layer counted from 1, as on screen; `layer` is `*` for all of them."""
        stack, _, rest = self.where.partition("/")
        layer, _, attention = rest.partition("/")
        shown = {
            "stack": stack,
            "layer": int(layer) + 1 if layer.isdecimal() else "*",
            "attention": attention or "*",
            "heads": tuple(head + 1 for head in self.heads) or "*",
        }
        return Phrase(f"edits.{self.kind}", {**self.values, **shown})


def extent(place: str, source: int, target: int) -> tuple[int, int]:
    """How many queries and keys an attention has for these lengths in tokens."""
    if place.startswith("encoder"):
        return source, source
    return target, source if place.endswith("cross_attention") else target


def within(name: str, given: int, size: int) -> None:
    """Raises `out_of_range` for an index that is not 0 … size − 1."""
    if not 0 <= given < size:
        raise GlassformerError("out_of_range", name=name, given=given, last=size - 1)


def offsets(like: Tensor) -> Tensor:
    """Key − query of every cell of a map (…, T, S): (T, S), 0 on the diagonal."""
    queries, keys = like.shape[-2:]
    query = torch.arange(queries, device=like.device)[:, None]
    key = torch.arange(keys, device=like.device)[None, :]
    return key - query
