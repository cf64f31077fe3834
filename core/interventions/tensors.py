"""Any recorded tensor, or some of its cells: set, scaled, made noisy, patched from another run.

`address` is a path or a pattern with `*`; `at` names cells by axis, as
`(("head", (2,)), ("position", (3, 4)))`, and all of them where it is empty.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.interventions.switch import Setting, Switch, refuse_value
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.shapes import letter_sizes, shape_letters
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit, nearest_addresses
from glassformer.core.trace.trace import Trace

At = tuple[tuple[str, tuple[int, ...]], ...]  # (("head", (2,)), ("position", (3, 4)))
GROWS = "T"  # while the target is written, a later row is not there yet
BATCH = "B"  # sentences run together, each of which is changed as it would be alone
Mesh = tuple[Tensor, ...]  # an index tensor for each axis: x[mesh] is a block of cells


@dataclass(frozen=True)
class Block:
    """The numbers at `address` whose index along each axis of `at` is listed there.

    An axis that `at` does not name is taken whole.
    """

    address: str
    at: At = ()

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises where runs of these lengths have no such cells.

        Args:
            config: of the model.
            source: S, tokens that the encoder reads.
            target: T, tokens that the decoder reads.

        Raises:
            GlassformerError: `unknown_axis` or `out_of_range`.
        """
        size = letter_sizes(config.of(self.address), source, target)
        letter = dict(self._axes())
        for axis, indices in self.at:
            if axis not in letter:
                raise GlassformerError(
                    "unknown_axis", address=self.address, axis=axis, axes=", ".join(letter)
                )
            for index in indices:
                _is_there(index, axis, "", size[letter[axis]])

    def mesh(self, shape: Sequence[int]) -> Mesh:
        """Where the cells are in a tensor of this shape.

        A row of the target that is not written yet is left out.

        Args:
            shape: of the tensor at the address.

        Returns:
            An index tensor for each axis; `x[mesh]` is the block.

        Raises:
            GlassformerError: `out_of_range` for any other index that is not there.
        """
        return self.partners(self.at, shape, shape)[1]

    def partners(self, origin: At, shape: Sequence[int], given: Sequence[int]) -> tuple[Mesh, Mesh]:
        """Where to read in another run's tensor, and where to write in one's own.

        Cells are read at `origin`, index by index, or at the same places; every sentence of a batch
        reads the only one of the other run.

        Args:
            origin: indices by axis in the other run; () for those of the block itself.
            shape: of the tensor that is written to.
            given: of the tensor that is read.

        Returns:
            The cells to read and the cells to write, as many of one as of the other.

        Raises:
            GlassformerError: `patch_shape` where there are not as many, along an axis other than a
                whole target; `out_of_range` for an index that is not there.
        """
        into, out_of = dict(self.at), dict(origin or self.at)
        reads, writes = [], []
        for (axis, letter), size, there in zip(self._axes(), shape, given, strict=True):
            write = into.get(axis, tuple(range(size)))
            read = out_of.get(axis, tuple(range(there)))
            if letter == BATCH and axis not in out_of and there == 1:
                read = (0,) * len(write)
            if len(write) != len(read) and (letter != GROWS or axis in into):
                have = {"given": len(read), "needed": len(write)}
                raise GlassformerError("patch_shape", address=self.address, axis=axis, **have)
            pairs = [
                (r, w)
                for r, w in zip(read, write, strict=False)
                if _is_there(w, axis, letter, size) and _is_there(r, axis, letter, there)
            ]
            reads.append([r for r, _ in pairs])
            writes.append([w for _, w in pairs])
        return open_mesh(reads), open_mesh(writes)

    def alike(self, mesh: Mesh) -> Mesh:
        """The same places with every sentence of a batch as the first.

        Args:
            mesh: as `mesh` gives it.

        Returns:
            A mesh of the same shape, its batch indices 0.
        """
        return tuple(
            torch.zeros_like(each) if letter == BATCH else each
            for (_, letter), each in zip(self._axes(), mesh, strict=True)
        )

    def _axes(self) -> Iterator[tuple[str, str]]:
        """Name and letter of each axis."""
        return zip(site_at(self.address).axes, shape_letters(self.address), strict=True)


def open_mesh(lists: Sequence[Sequence[int]]) -> Mesh:
    """Index tensors that together name every combination.

    Args:
        lists: the indices along each axis, counted from 0.

    Returns:
        One int64 tensor an axis, shaped to broadcast with the others.
    """
    last = len(lists) - 1
    return tuple(
        torch.tensor(list(each), dtype=torch.long).view(-1, *[1] * (last - place))
        for place, each in enumerate(lists)
    )


def addresses_matching(pattern: str, config: ModelConfig) -> tuple[str, ...]:
    """The addresses that a path or a pattern with `*` names.

    Args:
        pattern: the path. Those of training mode are named only where it asks for what dropout
            `kept`.
        config: of the model.

    Returns:
        Addresses in computation order, one at least.

    Raises:
        GlassformerError: `unknown_address`, with the nearest, where it names none.
    """
    dropout = Address.of(pattern).last.endswith("kept")
    known = addresses(config, dropout=dropout)
    found = tuple(each for each in known if fnmatchcase(each, pattern))
    if not found:
        raise GlassformerError(
            "unknown_address", address=pattern, nearest=nearest_addresses(pattern, known)
        )
    return found


def _is_there(index: int, axis: str, letter: str, size: int) -> bool:
    """Whether an axis has this index; raises `out_of_range` where it never will."""
    if letter != GROWS:
        check_index(axis, index, size)
    return 0 <= index < size


YES_OR_NO, WHOLE = ("mask", "kept"), ("ids",)


@dataclass(frozen=True)
class Slice(Switch, slot=("address", "at")):
    """A switch for cells of tensors.

    `check` and `edits` raise `unknown_address`, `unknown_axis` and `out_of_range`.
    """

    address: str
    at: At = ()

    def misfit(self) -> str:
        """An axis named twice, an index named twice, none, or a negative one."""
        once = len(dict(self.at)) == len(self.at) and all(
            indices and len(set(indices)) == len(indices) and min(indices) >= 0
            for _, indices in self.at
        )
        return "" if once else "at"

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises where there are no such cells in runs of these lengths.

        Raises:
            GlassformerError: `unknown_address`, `unknown_axis`, `out_of_range`, and as `fits_kind`.
        """
        for block in self.blocks(config):
            block.check(config, source, target)

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """An edit for each tensor.

        Args:
            setting: what a switch may ask.

        Returns:
            The edits in computation order; a tensor that each text of a batch has for itself is
            changed text by text.

        Raises:
            GlassformerError: `unknown_address`, and as `fits_kind` and `change`; while the run goes
                on `out_of_range` and, of a patch, `patch_shape`.
        """
        return [
            Edit(block.address, _one_by_one(self.change(block, setting), block.address), self.text)
            for block in self.blocks(setting.config)
        ]

    def blocks(self, config: ModelConfig) -> Sequence[Block]:
        """The cells in each tensor that `address` names.

        Args:
            config: of the model.

        Returns:
            One block a tensor, in computation order.

        Raises:
            GlassformerError: `unknown_address`, and as `fits_kind`.
        """
        found = [Block(each, self.at) for each in addresses_matching(self.address, config)]
        for each in found:
            self.fits_kind(Address.of(each.address).name)
        return found

    def fits_kind(self, name: str) -> None:
        """Raises where a tensor has no numbers to calculate with.

        Args:
            name: of its site, such as `weights`.

        Raises:
            GlassformerError: `experiment_value` for a mask, what dropout kept, and ids.
        """
        if name in (*YES_OR_NO, *WHOLE):
            refuse_value(self.kind, "address", self.address)

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """What is done to one tensor; each kind says it.

        Args:
            block: the cells of the tensor.
            setting: what a switch may ask.

        Returns:
            A function from the tensor, which it may write into, to one of the same shape.

        Raises:
            NotImplementedError: of this base class.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class TensorSet(Slice, kind="set"):
    """The cells become one number; of a mask 0 or 1, of `ids` the id of a word."""

    value: float = 0.0

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """Writes the number.

        Args:
            block: the cells of the tensor.
            setting: what a switch may ask.

        Returns:
            A function that writes into the tensor and returns it.

        Raises:
            GlassformerError: `out_of_range` for the id of no word, where the tensor is `ids`.
        """
        if Address.of(block.address).name in WHOLE:
            check_index("id", self.value, setting.config.vocabulary_size)

        def change(x: Tensor) -> Tensor:
            x[block.mesh(x.shape)] = self.value
            return x

        return change

    def fits_kind(self, name: str) -> None:
        """Raises for a value that a mask or ids cannot hold.

        Args:
            name: of the tensor's site.

        Raises:
            GlassformerError: `experiment_value` for another number than 0 and 1 in a mask or in
                what dropout kept, for one that is not whole in ids.
        """
        bad_mark = name in YES_OR_NO and self.value not in (0, 1)
        if bad_mark or (name in WHOLE and self.value != int(self.value)):
            refuse_value(self.kind, "value", self.value)


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
    """

    spread: float = 1.0
    draw: int = 0

    def misfit(self) -> str:
        """A negative spread."""
        return "spread" if self.spread < 0 else super().misfit()

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
    other run does not have, and what `Model.trace` raises for the sentence.
    """

    sentence: str = ""
    origin: At = ()
    order: ClassVar[int] = -10  # what is done to the same cells by hand comes after

    def fits_kind(self, name: str) -> None:
        """Everything can be patched."""

    def change(self, block: Block, setting: Setting) -> Callable[[Tensor], Tensor]:
        """Writes the other run's cells.

        Args:
            block: the cells of the tensor.
            setting: has the plain run of the other sentence.

        Returns:
            A function that writes into the tensor and returns it.

        Raises:
            GlassformerError: `unknown_axis` or `out_of_range` for cells that the other run does not
                have, and what `Model.trace` raises for the sentence.
        """
        donor = setting.trace_of(self.sentence)
        Block(block.address, self.origin or self.at).check(
            donor.config, len(donor.source_tokens), len(donor.target_tokens)
        )
        return partial(patch_block, given=donor[block.address], block=block, origin=self.origin)


def count_touched(switch: Slice, trace: Trace, setting: Setting) -> tuple[int, int]:
    """How many numbers a switch takes hold of in a run, and how many its tensors have.

    Args:
        switch: of cells of tensors.
        trace: the run.
        setting: what the switch may ask.

    Returns:
        (taken hold of, in all its tensors).

    Raises:
        GlassformerError: what `check` raises and what the run would raise: `patch_shape`,
            `out_of_range`, and what `Model.trace` raises for the sentence of a patch.
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


def _one_by_one(change: Callable[[Tensor], Tensor], address: str) -> Callable[[Tensor], Tensor]:
    """A change of a tensor without a batch, done to each text of a batch that has one of its own.

    Segments are such a tensor: in a padded batch each text has others.
    """
    axes = len(site_at(address).axes)

    def changed(x: Tensor) -> Tensor:
        return change(x) if x.dim() == axes else torch.stack([change(each) for each in x])

    return changed


def patch_block(x: Tensor, given: Tensor, block: Block, origin: At = ()) -> Tensor:
    """Writes cells of another tensor, paired by `Block.partners` (activation patching).

    Args:
        x: the tensor that is written to.
        given: the tensor that is read, of another run, at the same address.
        block: the cells of `x`.
        origin: indices by axis in `given`; () for those of the block.

    Returns:
        `x` itself.

    Raises:
        GlassformerError: as `Block.partners`.
    """
    there, here = block.partners(origin, x.shape, given.shape)
    x[here] = given[there].to(x)
    return x


# As signed 64-bit numbers, which torch has.
GOLDEN = 0x9E3779B97F4A7C15 - 2**64
FIRST, SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64


def normal_at(places: Sequence[Tensor], draw: int) -> Tensor:
    """Standard normal numbers, one for each combination of `places`.

    Each depends on its seed and its place alone: drawn one after the other, the noise of a cell
    would change as the target grows while it is written. Each place is mixed into a number of its
    own (splitmix64's mixing, Steele et al. 2014); two make a normal one (Box and Muller 1958).

    Args:
        places: int64 index tensors that broadcast to the shape of the result, one an axis.
        draw: the seed.

    Returns:
        float64, of the shape to which `places` broadcast.
    """
    mixed = torch.full((), draw, dtype=torch.int64)
    for place in places:
        mixed = _mix(mixed + GOLDEN * (place + 1))
    first, second = _uniform(mixed), _uniform(_mix(mixed + GOLDEN))
    return torch.sqrt(-2.0 * torch.log(first)) * torch.cos(2.0 * math.pi * second)


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shifted(x, 30)) * FIRST
    x = (x ^ _shifted(x, 27)) * SECOND
    return x ^ _shifted(x, 31)


def _uniform(x: Tensor) -> Tensor:
    """Strictly between 0 and 1."""
    return (_shifted(x, 11).double() + 0.5) * 2.0**-53


def _shifted(x: Tensor, by: int) -> Tensor:
    """A logical shift to the right; torch's own keeps the sign."""
    return (x >> by) & ((1 << (64 - by)) - 1)
