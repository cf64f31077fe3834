"""Any recorded tensor, or some of its cells: set, scaled, made noisy, patched from another run.

`address` is a path or a pattern with `*`; `at` names cells by axis, as
`(("head", (2,)), ("position", (3, 4)))`, and all of them where it is empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from torch import Tensor

from core.config import ModelConfig
from core.edits.concepts import LARGEST_SEED
from core.edits.noise import normal_at
from core.edits.slices import At, Block, named
from core.edits.switch import Setting, Switch, refuse
from core.errors import GlassformerError
from core.trace.tape import Edit
from core.trace.trace import Trace

YES_OR_NO, WHOLE = ("mask", "kept"), ("ids",)


@dataclass(frozen=True)
class Slice(Switch):
    """A switch for cells of tensors.

    Raises `experiment_value` for an axis named twice, without or with negative indices; `check`
    and `edits` also raise `unknown_address`, `unknown_axis` and `out_of_range`.
    """

    address: str
    at: At = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        axes = [axis for axis, _ in self.at]
        if len(set(axes)) < len(axes) or not all(
            indices and len(set(indices)) == len(indices) and min(indices) >= 0
            for _, indices in self.at
        ):
            refuse(self.kind, "at", self.at)

    @property
    def slot(self) -> Hashable:
        """One value for the same cells."""
        return self.kind, self.address, self.at

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises where there are no such cells in runs of these lengths."""
        for block in self.blocks(config):
            block.check(config, source, target)

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """An edit for each tensor."""
        return [
            Edit(block.address, self.change(block, setting), self.text)
            for block in self.blocks(setting.config)
        ]

    def blocks(self, config: ModelConfig) -> Sequence[Block]:
        """The cells in each tensor that `address` names."""
        found = [Block(each, self.at) for each in named(self.address, config, self.in_training)]
        for each in found:
            self.fits_kind(each.address.rpartition("/")[2])
        return found

    @property
    def in_training(self) -> bool:
        """Whether a pattern may also mean what dropout alone records."""
        return self.address.endswith("kept")

    def fits_kind(self, name: str) -> None:
        """Raises where a tensor called `name` has no numbers to calculate with."""
        if name in (*YES_OR_NO, *WHOLE):
            refuse(self.kind, "address", self.address)

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """What is done to one tensor; it may write into the tensor it gets."""
        raise NotImplementedError


@dataclass(frozen=True)
class TensorSet(Slice, kind="set"):
    """The cells become one number; of a mask 0 or 1, of `ids` the id of a word."""

    value: float = 0.0

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """Writes the number."""
        words = setting.config.vocabulary_size
        if block.address.endswith(WHOLE) and not 0 <= self.value < words:
            raise GlassformerError("out_of_range", name="id", given=self.value, last=words - 1)

        def change(x: Tensor) -> Tensor:
            x[block.mesh(x.shape)] = self.value
            return x

        return change

    def fits_kind(self, name: str) -> None:
        """Raises for a value that a mask or ids cannot hold."""
        bad_mark = name in YES_OR_NO and self.value not in (0, 1)
        if bad_mark or (name in WHOLE and self.value != int(self.value)):
            refuse(self.kind, "value", self.value)


@dataclass(frozen=True)
class TensorScale(Slice, kind="scale"):
    """The cells are multiplied by a number."""

    by: float = 2.0

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:  # noqa: ARG002
        """Multiplies."""

        def change(x: Tensor) -> Tensor:
            mesh = block.mesh(x.shape)
            x[mesh] = x[mesh] * self.by
            return x

        return change


@dataclass(frozen=True)
class TensorNoise(Slice, kind="noise"):
    """Normal noise is added, `spread` its standard deviation; the same for each `draw`.

    The noise of a cell depends on `draw` and its place alone, so it stays as the target grows and
    is the same for every sentence of a batch.
    Raises `experiment_value` for a negative spread, or a `draw` outside 0 .. 2³¹ − 1.
    """

    spread: float = 1.0
    draw: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spread < 0:
            refuse(self.kind, "spread", self.spread)
        if not 0 <= self.draw <= LARGEST_SEED:
            refuse(self.kind, "draw", self.draw)

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:  # noqa: ARG002
        """Adds the noise."""

        def change(x: Tensor) -> Tensor:
            mesh = block.mesh(x.shape)
            x[mesh] = x[mesh] + self.spread * normal_at(block.alike(mesh), self.draw).to(x)
            return x

        return change


@dataclass(frozen=True)
class TensorPatch(Slice, kind="patch"):
    """The cells become those of another sentence's plain run: activation patching.

    `origin` names the cells of that run where they are others than `at`; it must name as many.
    Both runs have the same model, so only lengths can differ: an axis left whole must be equally
    long in both, except along the target, where the rows that both have are patched.

    Raises `patch_shape` where the two blocks of cells differ, `out_of_range` for a cell that the
    other run does not have, and what `Translator.trace` raises for the sentence.
    """

    sentence: str = ""
    origin: At = ()
    order: ClassVar[int] = -10  # what is done to the same cells by hand comes after

    def fits_kind(self, name: str) -> None:
        """Everything can be patched."""

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """Writes the other run's cells."""
        donor = setting.trace_of(self.sentence)
        Block(block.address, self.origin or self.at).check(
            donor.config, len(donor.source_tokens), len(donor.target_tokens)
        )
        return partial(patched, given=donor[block.address], block=block, origin=self.origin)


def touched(switch: Slice, trace: Trace, setting: Setting) -> tuple[int, int]:
    """How many numbers a switch takes hold of in a run, and how many its tensors have.

    Raises what `check` raises and what the run would raise: `patch_shape`, `out_of_range`, and
    what `Translator.trace` raises for the sentence of a patch.
    """
    named_ones = there = 0
    switch.check(trace.config, len(trace.source_tokens), len(trace.target_tokens))
    for block in switch.blocks(trace.config):
        switch.change(block, setting)
        shape = trace[block.address].shape
        mesh = block.mesh(shape)
        if isinstance(switch, TensorPatch):
            given = setting.trace_of(switch.sentence)[block.address].shape
            _, mesh = block.partners(switch.origin, shape, given)
        named_ones += math.prod(each.numel() for each in mesh)
        there += shape.numel()
    return named_ones, there


def patched(x: Tensor, given: Tensor, block: Block, origin: At = ()) -> Tensor:
    """Writes cells of `given` into x and returns it; both are the tensor at `block.address`.

    Block of x at positions of the target that are not there yet are left out, with their partners.
    Raises `patch_shape` where the blocks have different shapes.
    """
    there, here = block.partners(origin, x.shape, given.shape)
    x[here] = given[there].to(x)
    return x
