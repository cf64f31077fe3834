"""The steps of the paper, one switch each: what is left of a translation without it.

These edit the tensor of one step; what is a convention of the whole model is in `conventions`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from core.config import ModelConfig
from core.edits.parts import Parts
from core.edits.switch import Setting, Switch, refuse
from core.trace.tape import Edit

LARGEST_SEED = 2**31 - 1
ATTENTIONS = ("self_attention", "cross_attention")


@dataclass(frozen=True)
class Unscaled(Parts, kind="unscaled"):
    """No division by √d_k (§3.2.1): `scaled` is what `scores` is, to one rounding.

    It is undone by a factor, so that it goes together with other edits of `scores` and `scaled`.
    """

    endings: ClassVar[tuple[str, ...]] = ATTENTIONS

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) times √d_k."""
        root = setting.config.d_k**0.5
        return self.each(setting.config, "/scaled", lambda scaled: scaled * root)


@dataclass(frozen=True)
class Temperature(Parts, kind="temperature"):
    """The attention's softmax at another temperature: above 1 flatter, below 1 sharper.

    Raises `experiment_value` for one that is not above 0.
    """

    endings: ClassVar[tuple[str, ...]] = ATTENTIONS
    by: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by <= 0:
            refuse(self.kind, "by", self.by)

    @property
    def slot(self) -> tuple[str, str]:
        """One temperature for each `where`."""
        return self.kind, self.where

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) over the temperature; the mask comes after."""
        return self.each(setting.config, "/scaled", lambda scaled: scaled / self.by)


@dataclass(frozen=True)
class SublayerOff(Parts, kind="sublayer_off"):
    """A sub-layer adds nothing to the stream, as with `*/feed_forward` or `*/cross_attention`."""

    order: ClassVar[int] = 10  # whatever else is done to an output, off is off

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`output` (B, T, D) becomes zero."""
        return self.each(setting.config, "/output", torch.zeros_like)


@dataclass(frozen=True)
class ResidualOff(Parts, kind="residual_off"):
    """The way around a sub-layer is cut: §5.4's x + Sublayer(x) without the x."""

    order: ClassVar[int] = 10

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`stream` (B, T, D) becomes zero; what goes through the sub-layer stays."""
        return self.each(setting.config, "_residual/stream", torch.zeros_like)


@dataclass(frozen=True)
class NormOff(Parts, kind="norm_off"):
    """A layer norm lets everything through: μ 0, σ 1, γ 1, β 0, so `output` is its input.

    `where` names norms: `encoder/0/self_attention_norm`, `decoder/*`, `decoder/norm`.
    """

    endings: ClassVar[tuple[str, ...]] = ("norm",)
    order: ClassVar[int] = 10

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """All four tensors of each norm, (B, S, 1) or (B, S, D)."""
        spread = _spread_that_divides_by_one(setting.config)
        return [
            Edit(f"{place}/{name}", change, self.text)
            for place in self.places(setting.config)
            for name, change in (
                ("mean", torch.zeros_like),
                ("std", lambda std: torch.full_like(std, spread)),
                *_passed_on("normalized", "output"),
            )
        ]


@dataclass(frozen=True)
class Shuffled(Switch, kind="positions_shuffled"):
    """The source's words get each other's positions, in an order drawn from `draw`.

    The target keeps its own: while it is written, nobody knows how long it will be.
    Raises `experiment_value` for a `draw` outside 0 .. 2³¹ − 1.
    """

    draw: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.draw <= LARGEST_SEED:
            refuse(self.kind, "draw", self.draw)

    @property
    def slot(self) -> str:
        """One order at a time."""
        return self.kind

    def edits(self, setting: Setting) -> Sequence[Edit]:  # noqa: ARG002
        """`source/positions` (S, D), its rows permuted."""

        def change(positions: Tensor) -> Tensor:
            return positions[shuffled(len(positions), self.draw).to(positions.device)]

        return [Edit("source/positions", change, self.text)]


def shuffled(length: int, draw: int) -> Tensor:
    """Which position each word gets, (length,): a permutation that depends on these two alone."""
    return torch.randperm(length, generator=torch.Generator().manual_seed(draw))


def _spread_that_divides_by_one(config: ModelConfig) -> float:
    """The σ with which a norm divides by exactly 1 in float32, its ε taken into account.

    The small addend puts it in the middle of all numbers that round to it.
    """
    if config.norm_formula == "sample":
        return 1.0 - config.norm_epsilon
    return float(max(0.0, 1.0 - config.norm_epsilon + 0.625 * 2.0**-23) ** 0.5)


def _passed_on(first: str, second: str) -> Sequence[tuple[str, Callable[[Tensor], Tensor]]]:
    """Two changes: the tensor at `second` becomes the one at `first`, in each run for itself."""
    held = threading.local()

    def keep(value: Tensor) -> Tensor:
        held.value = value
        return value

    def give(_: Tensor) -> Tensor:
        value: Tensor = held.value
        return value

    return (first, keep), (second, give)
