"""What goes into a step and what comes out: recorded tensors, and other arrangements of them.

Most are recorded under their address. Some are not, since the numbers would be the same ones again:
the heads of q, k and v before they are split, and what dropout leaves of a tensor. These are made
here from what is recorded, so that a screen can draw them like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import inputs
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.trace import Trace, check_places

# "" as recorded; "joined": heads side by side (B, T, D); "apart": (B, T, H, K); "added": embedding
# and position before dropout; "dropped": what dropout, whose mask `kept` is, left; "chosen": ids.
Form = Literal["", "joined", "apart", "added", "dropped", "chosen"]
Operation = Literal["view", "transpose", "flatten"]
Links = tuple[tuple[int, ...], ...]

_EXCHANGED: Links = ((0,), (2,), (1,), (3,))


@dataclass(frozen=True)
class Wire:
    """A tensor between two steps: an address, and how what is recorded there is arranged."""

    address: str
    form: Form = ""

    @property
    def key(self) -> str:
        """One word for links: `encoder/0/self_attention/q:joined`."""
        return f"{self.address}:{self.form}" if self.form else self.address

    @staticmethod
    def of(key: str) -> "Wire":
        """The wire of a key.

        Args:
            key: an address, and after a colon its form where it has one.

        Returns:
            The wire; whether a run has the address is not asked.

        Raises:
            ValueError: for a form that does not exist.
        """
        address, _, form = key.partition(":")
        for known in Form.__args__:  # type: ignore[attr-defined]
            if form == known:
                return Wire(address, known)
        raise ValueError(f"{form!r} is not a form of a wire")


@dataclass(frozen=True)
class Regrouping:
    """The same numbers in several shapes, one after the other (§3.2.2).

    Between `stages[n]` and the next stands `operations[n]`; `links[n][axis]` are the axes of the
    next stage that this axis becomes: two for D, which splits into H and K; one for H and for K,
    when both become D.
    """

    stages: tuple[Wire, ...]
    operations: tuple[Operation, ...]
    links: tuple[Links, ...]


def split_of(address: str) -> Regrouping:
    """(B, T, D) -> (B, T, H, K) -> (B, H, T, K), for the address of q, k or v (§3.2.2).

    Args:
        address: of the queries, keys or values.

    Returns:
        The three stages, with `view` and `transpose` between them.
    """
    stages = (Wire(address, "joined"), Wire(address, "apart"), Wire(address))
    return Regrouping(stages, ("view", "transpose"), (((0,), (1,), (2, 3)), _EXCHANGED))


def merge_of(context: str, concat: str) -> Regrouping:
    """(B, H, T, K) -> (B, T, H, K) -> (B, T, D), from the heads' answers to their row.

    Args:
        context: the address of the heads' answers.
        concat: the address of the heads side by side.

    Returns:
        The three stages, with `transpose` and `flatten` between them.
    """
    stages = (Wire(context), Wire(context, "apart"), Wire(concat))
    return Regrouping(stages, ("transpose", "flatten"), (_EXCHANGED, ((0,), (1,), (2,), (2,))))


def tensor(trace: Trace, wire: Wire) -> Tensor:
    """The numbers of a wire, in its own shape.

    Args:
        trace: the run that is read.
        wire: what goes into a step or comes out of it.

    Returns:
        The recorded tensor, rearranged, summed or thinned out as the form says; of the chosen
        words their ids, (B, T).

    Raises:
        GlassformerError: `unknown_address` for what this run does not have.
    """
    if wire.form == "added":
        first, *others = inputs(trace.config, Address.of(wire.address).sibling("input"))
        return sum((trace[each] for each in others), trace[first])
    if wire.form == "dropped":
        (before,) = inputs(trace.config, wire.address)
        return trace[before] * trace[wire.address] / (1 - trace.config.dropout)
    if wire.form == "chosen":
        return torch.tensor([trace.output_ids])  # (B, T)
    found = trace[wire.address]
    if wire.form in ("apart", "joined"):
        found = found.transpose(1, 2)  # (B, T, H, K)
    return found.flatten(-2) if wire.form == "joined" else found


def wire_axes(trace: Trace, wire: Wire) -> tuple[Axis, ...]:
    """Name, letter, size and words of each axis of a wire, in its own order.

    Args:
        trace: the run that is read.
        wire: what goes into a step or comes out of it.

    Returns:
        The axes, the batch too.

    Raises:
        GlassformerError: `unknown_address` for what this run does not have.
    """
    if wire.form == "chosen":
        return trace.axes(wire.address)[:2]  # (B, T)
    found = trace.axes(wire.address)
    if wire.form in ("apart", "joined"):
        batch, head, place, feature = found
        width = Axis("feature", "D", head.size * feature.size)
        return (batch, place, width) if wire.form == "joined" else (batch, place, head, feature)
    return found


@dataclass(frozen=True)
class Cell:
    """One number of a wire; the index runs over all its axes, the batch included."""

    wire: Wire
    index: tuple[int, ...]


def cell(trace: Trace, wire: Wire, at: Mapping[str, int]) -> Cell:
    """The cell at these places by axis name; an axis that is not named is held at 0.

    Args:
        trace: the run that is read.
        wire: what goes into a step or comes out of it.
        at: places by axis name, from 0.

    Returns:
        The cell, with an index for each axis of the wire, the batch too.

    Raises:
        GlassformerError: `unknown_axis`, or `out_of_range` for a place beyond the end.
    """
    known = wire_axes(trace, wire)
    check_places(wire.address, known, at)
    return Cell(wire, tuple(at.get(axis.name, 0) for axis in known))


def recorded_cell(trace: Trace, chosen: Cell) -> Cell | None:
    """Where the number of a cell is recorded; None for one that is not (sums within dropout).

    Args:
        trace: the run that is read.
        chosen: a cell of any wire.

    Returns:
        The cell in the tensor as it is recorded; of a chosen word it is its probability.
    """
    wire, index = chosen.wire, chosen.index
    own = Wire(wire.address)
    if wire.form in ("added", "dropped"):
        return None
    if wire.form == "joined":
        batch, place, feature = index
        head, within = divmod(feature, trace.config.of(wire.address).d_k)
        return Cell(own, (batch, head, place, within))
    if wire.form == "apart":
        batch, place, head, feature = index
        return Cell(own, (batch, head, place, feature))
    if wire.form == "chosen":
        return Cell(own, (*index, trace.output_ids[index[1]]))
    return chosen
