"""Many copies of texts in one batch, each with one change: the engine of patching and ablation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.sites import Metric, measure_metric, stack_sides
from glassformer.core.trace.batch import Batch, ModelInputs
from glassformer.core.trace.results import GridAxis
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit

COPIES = 64  # texts in one batch, copies counted; more are run in several, to bound the memory
NO_MEMORY = ("run_memory", "run_device_memory")
EACH_SITE = ("layer", "site")  # the axis along which each address stands by itself
# Address, its tensor (N, …) of the texts -> what is written there: the same for each copy.
Fill = Callable[[str, Tensor], Tensor]


@dataclass(frozen=True)
class Change:
    """What one copy of the texts is changed at: addresses, and indices by axis; {} for all."""

    addresses: tuple[str, ...]
    at: Mapping[str, int]

    def index(self, address: str) -> tuple[slice | int, ...]:
        """Where it is in a tensor of one copy of the texts, batch first."""
        axes = site_at(address).axes
        return tuple(self.at.get(axis, slice(None)) for axis in axes)


@dataclass(frozen=True)
class Copied:
    """The texts of all copies: what they are and what is forced on them."""

    model: Model
    texts: Sequence[GivenText]
    targets: Sequence[GivenText | None] | None
    edits: Sequence[Edit] = ()  # of each run, before the change

    @cached_property
    def inputs(self) -> list[ModelInputs]:
        """The ids of the texts; what nobody forces on a decoder is written once for all copies."""
        goals = [None] * len(self.texts) if self.targets is None else self.targets
        if len(goals) != len(self.texts):
            raise GlassformerError("run_targets", texts=len(self.texts), targets=len(goals))
        pairs = zip(self.texts, goals, strict=True)
        return [self.model.inputs_of(text, goal) for text, goal in pairs]

    def run(self, copies: int, keep: Sequence[str] | None, edits: Sequence[Edit] = ()) -> Batch:
        """The texts `copies` times, one copy after the other, in one batch."""
        every = (*self.edits, *edits)
        return run_batch(self.model, self.inputs * copies, keep=keep, edits=every)

    def is_as_long_as(self, others: Copied) -> bool:
        """Whether each text, with what is forced on its decoder, has as many words there."""
        lengths = [[(len(each.source), len(each.target)) for each in some.inputs]
                   for some in (self, others)]  # fmt: skip
        return lengths[0] == lengths[1]

    def run_beside(self, others: Copied, keep: Sequence[str]) -> tuple[Batch, Batch]:
        """The texts and others of the same lengths in one pass: cheaper than two of few texts."""
        both = run_batch(self.model, [*self.inputs, *others.inputs], keep=keep, edits=self.edits)
        return both.some(slice(len(self.texts))), both.some(slice(len(self.texts), None))


def measure_changes(
    texts: Copied, changes: Sequence[Change], fill: Fill, metric: Metric, keep: Sequence[str],
    at_once: int = COPIES,
) -> Tensor:  # fmt: skip
    """What a metric says of the texts under each change, as many changes in a batch as fit.

    Args:
        texts: N of them.
        changes: C of them.
        fill: what is written, of the same shape as it gets.
        metric: of the batch.
        keep: the addresses that the metric reads.
        at_once: most texts in one batch, copies counted; fewer where memory has no room for them.

    Returns:
        (C, N) float64 on the CPU.

    Raises:
        GlassformerError: as `run_batch` and `measure_metric`.
    """
    size = len(texts.texts)
    group = max(1, at_once // size)
    found = list[Tensor]()
    waiting = list(changes)
    while waiting:
        some = waiting[:group]
        try:
            batch = texts.run(len(some), keep, list(_edits(some, fill, size)))
        except GlassformerError as error:
            if error.key not in NO_MEMORY or group == 1:
                raise
            group = (group + 1) // 2
            continue
        found.append(measure_metric(metric, batch).view(len(some), size))
        waiting = waiting[group:]
        interruption.step()
    return torch.cat(found)


def _edits(changes: Sequence[Change], fill: Fill, size: int) -> Iterator[Edit]:
    """An edit an address, which changes the rows of every copy that has it."""
    for address in dict.fromkeys(each for change in changes for each in change.addresses):

        def change_rows(x: Tensor, address: str = address) -> Tensor:
            written: Tensor | None = None
            for copy, change in enumerate(changes):
                if address in change.addresses:
                    rows = x[copy * size : (copy + 1) * size]  # (N, …)
                    written = fill(address, rows) if written is None else written
                    rows[change.index(address)] = written[change.index(address)].to(rows)
            return x

        yield Edit(address, change_rows)


@dataclass(frozen=True)
class Cells:
    """The cells of a grid: where each change stands in it, of the axes' sizes."""

    changes: tuple[Change, ...]
    places: tuple[int, ...]  # of each change, counted along the flattened grid
    axes: tuple[GridAxis, ...]

    def laid_out(self, found: Tensor) -> NDArray[np.float64]:
        """What was measured (C, N) as (…, N); NaN where a tensor has no such place."""
        sizes = [len(axis.labels) for axis in self.axes]
        whole = np.full((math.prod(sizes), found.size(1)), np.nan)
        whole[list(self.places)] = found.numpy()
        return whole.reshape(*sizes, -1)


def cells_over(
    addresses: Sequence[str], over: Sequence[str], batch: Batch, names: Sequence[str | int]
) -> Cells:
    """A change for each combination along `over`, and the axes of the grid that they make.

    Args:
        addresses: that a tool was asked about.
        over: "layer" or "site" for each address by itself, and axes of the tensors.
        batch: a run that has the addresses.
        names: what each address is called.

    Returns:
        The changes, the last axis the fastest. An encoder may have other heads than its decoder:
        the grid has room for the most, where each address stands by itself.

    Raises:
        GlassformerError: `over_axis` for an axis that a tensor has not, or one named twice,
            `over_sizes` for positions of which the tensors have several numbers.
    """
    separate = [name for name in over if name in EACH_SITE]
    sizes = {address: _sizes_over(address, over, batch) for address in addresses}
    most = {name: max(each[name] for each in sizes.values()) for name in over}
    for name in over:
        least = min(each[name] for each in sizes.values())
        words = any(name in stack_sides(address) for address in addresses)
        if least != most[name] and (words or not separate):
            raise GlassformerError("over_sizes", axis=name, one=least, other=most[name])
    sets = [(each,) for each in addresses] if separate else [tuple(addresses)]
    spans = [range(len(sets)) if name in EACH_SITE else range(most[name]) for name in over]
    changes, places = list[Change](), list[int]()
    for flat, at in enumerate(product(*spans)):
        place = dict(zip(over, at, strict=True))
        chosen = sets[place.pop(separate[0])] if separate else sets[0]
        if all(index < sizes[chosen[0]][name] for name, index in place.items()):
            changes.append(Change(chosen, place))
            places.append(flat)
    labels = (names if name in EACH_SITE else range(most[name]) for name in over)
    axes = tuple(GridAxis(name, tuple(each)) for name, each in zip(over, labels, strict=True))
    return Cells(tuple(changes), tuple(places), axes)


def _sizes_over(address: str, over: Sequence[str], batch: Batch) -> dict[str, int]:
    """The size of each axis that is gone over; 1 for the address itself."""
    axes = [each for each in site_at(address).axes if each != "batch"]
    for name in over:
        twice = list(over).count(name) > 1 or len([n for n in over if n in EACH_SITE]) > 1
        if (name not in axes and name not in EACH_SITE) or twice:
            allowed = ", ".join((*EACH_SITE, *axes))
            raise GlassformerError("over_axis", given=name, address=address, allowed=allowed)
    sizes = dict(zip(axes, batch[address].shape[1:], strict=True))
    return {name: 1 if name in EACH_SITE else sizes[name] for name in over}  # type: ignore[index]
