"""Some numbers of a recorded tensor, named by axis: head 2, positions 3 and 4, all features."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import torch
from torch import Tensor

from core.config import ModelConfig
from core.errors import GlassformerError
from core.trace.sites import addresses, letters, site_at, sizes

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
        """Raises `unknown_axis` or `out_of_range` where runs of these lengths have none such."""
        size = sizes(config, source, target)
        letter = dict(self._axes())
        for axis, indices in self.at:
            if axis not in letter:
                raise GlassformerError(
                    "unknown_axis", address=self.address, axis=axis, axes=", ".join(letter)
                )
            for index in indices:
                _is_there(index, axis, "", size[letter[axis]])

    def mesh(self, shape: Sequence[int]) -> Mesh:
        """Where they are in a tensor of this shape.

        A row of the target that is not written yet is left out; any other index that is not there
        raises `out_of_range`.
        """
        chosen, lists = dict(self.at), []
        for (axis, letter), size in zip(self._axes(), shape, strict=True):
            wanted = chosen.get(axis, tuple(range(size)))
            lists.append([i for i in wanted if _is_there(i, axis, letter, size)])
        return open_mesh(lists)

    def partners(self, origin: At, shape: Sequence[int], given: Sequence[int]) -> tuple[Mesh, Mesh]:
        """Where to read in a tensor of shape `given`, and where to write in one of `shape`.

        They are read at `origin`, index by index, or at the same places; every sentence of a batch
        reads the only one of the other run. Raises `patch_shape` where there are not as many,
        along an axis other than a whole target.
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
        """The same places with every sentence of a batch as the first."""
        return tuple(
            torch.zeros_like(each) if letter == BATCH else each
            for (_, letter), each in zip(self._axes(), mesh, strict=True)
        )

    def _axes(self) -> Iterator[tuple[str, str]]:
        """Name and letter of each axis."""
        return zip(site_at(self.address).axes, letters(self.address), strict=True)


def open_mesh(lists: Sequence[Sequence[int]]) -> Mesh:
    """One index tensor an axis, shaped so that together they name every combination."""
    last = len(lists) - 1
    return tuple(
        torch.tensor(list(each), dtype=torch.long).view(-1, *[1] * (last - place))
        for place, each in enumerate(lists)
    )


def named(pattern: str, config: ModelConfig, dropout: bool = False) -> tuple[str, ...]:
    """The addresses that a path or a pattern with `*` names, in computation order.

    With `dropout`, also those of training mode. Raises `unknown_address`, with the nearest, where
    it names none.
    """
    known = tuple(addresses(config, dropout=dropout))
    found = tuple(each for each in known if fnmatchcase(each, pattern))
    if not found:
        near = difflib.get_close_matches(pattern, known, n=3, cutoff=0.3)
        raise GlassformerError("unknown_address", address=pattern, nearest=", ".join(near) or "-")
    return found


def _is_there(index: int, axis: str, letter: str, size: int) -> bool:
    """Whether an axis has this index; raises `out_of_range` where it never will."""
    if 0 <= index < size:
        return True
    if letter == GROWS:
        return False
    raise GlassformerError("out_of_range", name=axis, given=index, last=size - 1)
