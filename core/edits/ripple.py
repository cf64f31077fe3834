"""How far a change ran through the network: two traces, tensor by tensor, position by position."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from core.device import precise
from core.errors import GlassformerError
from core.trace.sites import site_at
from core.trace.trace import Trace

ROWS = ("position", "query", "key")  # the axis of words: the first that a tensor has


@dataclass(frozen=True)
class Change:
    """One tensor before and after; where the lengths differ, the part that both have.

    All three have the tensor's own axes. A mark or an id (bool, int64) counts as a number.
    """

    address: str
    before: Tensor
    after: Tensor
    cut: bool  # whether one of the two is longer than what is compared

    @cached_property
    def difference(self) -> Tensor:
        """After − before; 0 where both are the same infinity, NaN where one is NaN."""
        same = self.before == self.after
        return (_number(self.after) - _number(self.before)).masked_fill(same, 0.0)

    @property
    def scale(self) -> tuple[float, float]:
        """Least and largest finite number of both, for one colour scale; (0, 0) without any."""
        both = torch.cat([_number(self.before).flatten(), _number(self.after).flatten()])
        finite = both[both.isfinite()]
        return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)

    @property
    def largest(self) -> float:
        """The largest finite |difference|, for a diverging scale; 0 without any."""
        finite = self.difference[self.difference.isfinite()].abs()
        return float(finite.max()) if len(finite) else 0.0

    @property
    def changed(self) -> int:
        """How many numbers are other ones afterwards; a lost one (NaN) counts."""
        return int((self.difference != 0).sum())

    @property
    def broken(self) -> int:
        """How many numbers are NaN or infinite afterwards and were not before."""
        now, then = ~_number(self.after).isfinite(), ~_number(self.before).isfinite()
        return int((now & ~then).sum())


@dataclass(frozen=True)
class Moved:
    """How far one tensor moved, by word.

    `by_position` (n,) is ‖after − before‖ / ‖before‖ over all other axes: 0, nothing moved; 1, as
    far as it is from zero; ∞, where there was nothing before; NaN, where numbers are lost.
    """

    address: str
    by_position: Tensor
    tokens: tuple[str, ...]
    overall: float  # the same of the whole tensor
    broken: int  # numbers that became NaN or infinite

    @property
    def still(self) -> bool:
        """Whether not one bit moved."""
        return self.overall == 0


def change(before: Trace, after: Trace, address: str) -> Change:
    """One tensor of two runs of one model.

    Raises:
        GlassformerError: `unknown_address` where one of them has no such tensor,
            `ripple_models` where their sizes other than the lengths differ.
    """
    one, two = before[address], after[address]
    names = site_at(address).axes
    common = [min(pair) for pair in zip(one.shape, two.shape, strict=True)]
    for name, *pair in zip(names, one.shape, two.shape, strict=True):
        if name not in ROWS and pair[0] != pair[1]:
            raise GlassformerError("ripple_models", before=pair[0], after=pair[1], axis=name)
    part = tuple(slice(size) for size in common)
    cut = tuple(one.shape) != tuple(two.shape)
    return Change(address, one[part], two[part], cut)


def ripple(
    before: Trace, after: Trace, addresses: Iterable[str] | None = None
) -> tuple[Moved, ...]:
    """How far each tensor that both runs recorded moved, in the computation order of `after`.

    addresses: only these, in their order; all by default.
    `masked` counts what may be looked at in each run, and the rest as 0: how a forbidden score is
    written is no distance. Target rows after the first other word of the input are moved by that
    word too: give both runs one target to see the change alone. Raises `ripple_models`.
    """
    asked = after if addresses is None else addresses
    both = (each for each in asked if each in before and each in after)
    return tuple(moved(before, after, address) for address in both)


def moved(before: Trace, after: Trace, address: str) -> Moved:
    """How far one tensor moved. Raises what `change` raises."""
    found = change(before, after, address)
    if address.endswith("/masked"):
        found = _seen_only(before, after, found)
    names = site_at(address).axes
    words = next(name for name in ROWS if name in names)
    place = names.index(words)
    steps = _lengths(found.difference, place)  # (n,)
    were = _lengths(_number(found.before), place)
    labels = next(axis.labels for axis in after.axes(address) if axis.name == words)
    return Moved(
        address=address,
        by_position=_ratio(steps, were),
        tokens=(labels or ())[: len(steps)],
        overall=float(_ratio(steps.square().sum().sqrt(), were.square().sum().sqrt())),
        broken=found.broken,
    )


def _seen_only(before: Trace, after: Trace, found: Change) -> Change:
    """The scores with the hidden ones as 0, each by its own run's mask."""
    mask = found.address.replace("/masked", "/mask")
    if mask not in before or mask not in after:
        return found
    marks = change(before, after, mask)
    return Change(
        found.address,
        found.before.masked_fill(~marks.before, 0.0),
        found.after.masked_fill(~marks.after, 0.0),
        found.cut,
    )


def _lengths(x: Tensor, place: int) -> Tensor:
    """The Euclidean length of each slice along one axis, (n,), float64."""
    return precise(x).movedim(place, 0).flatten(1).square().sum(dim=-1).sqrt()


def _ratio(steps: Tensor, were: Tensor) -> Tensor:
    """Steps / were, and 0 where nothing moved, also from zero."""
    return torch.where(steps == 0, 0.0, steps / were)


def _number(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.float()
