"""Keys and values kept while decoding, so that each step computes its own row only.

A cache belongs to one run, like a tape; the model is never written to.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor


class Projects(Protocol):
    """Something that turns memory (B, S, D) into keys and values (B, H, S, K)."""

    @property
    def keys_and_values(self) -> Callable[[Tensor], tuple[Tensor, Tensor]]: ...


class PastKeysAndValues(Protocol):
    """The keys and values of one attention, over the steps of one run."""

    def keys_and_values(self, attention: Projects, memory: Tensor) -> tuple[Tensor, Tensor]: ...


@dataclass
class GrowingPast:
    """Self-attention: every step adds the keys and values of its new rows."""

    kept: tuple[Tensor, Tensor] | None = None

    def keys_and_values(self, attention: Projects, memory: Tensor) -> tuple[Tensor, Tensor]:
        k, v = attention.keys_and_values(memory)  # (B, H, new, K)
        if self.kept is not None:
            k = torch.cat([self.kept[0], k], dim=-2)  # (B, H, past + new, K)
            v = torch.cat([self.kept[1], v], dim=-2)
        self.kept = (k, v)
        return k, v


@dataclass
class FixedPast:
    """Cross-attention: the memory never changes, so neither do its keys and values."""

    kept: tuple[Tensor, Tensor] | None = None

    def keys_and_values(self, attention: Projects, memory: Tensor) -> tuple[Tensor, Tensor]:
        if self.kept is None:
            self.kept = attention.keys_and_values(memory)  # (B, H, S, K)
        return self.kept


@dataclass
class LayerCache:
    """What one decoder layer keeps between steps."""

    self_attention: GrowingPast = field(default_factory=GrowingPast)
    cross_attention: FixedPast = field(default_factory=FixedPast)

    @property
    def length(self) -> int:
        """How many target positions have been seen."""
        return 0 if self.self_attention.kept is None else self.self_attention.kept[0].size(-2)
