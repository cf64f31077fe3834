"""Activation patching: parts of one run put into another, and how far the metric follows.

A corrupt text is run as many times as there are cells in the grid; in each copy one part (a head,
a position, a layer) has what it had in the clean run (Vig et al. 2020; Meng et al. 2022, "causal
tracing"; Heimersheim & Nanda 2024 compare the ways). All copies stand in few batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.copies import COPIES, Copied, cells_over, measure_changes
from glassformer.core.tools.sites import (
    Metric,
    addresses_read,
    in_list,
    measure_metric,
    name_of,
    names_of_sites,
    sites_named,
    stack_sides,
)
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.results import LINES, GridAxis, ResultGrid
from glassformer.core.trace.tape import Edit

if TYPE_CHECKING:
    import pandas as pd

PAIR = "pair"


@dataclass(frozen=True, repr=False)
class Patching(ResultGrid):
    """The metric of the patched runs; the notes have it of the plain runs, clean and corrupt.

    A last axis `pair` is there where several pairs of texts were given.
    """

    def lines(self) -> pd.DataFrame:
        """The parts that move the metric furthest from the corrupt run's."""
        table = self.table()
        moved = (table[self.measure] - self.notes["corrupt"]).abs()
        return table.loc[moved.sort_values(ascending=False, kind="stable").index[:LINES]]

    def recovered(self) -> ResultGrid:
        """The share of the way from corrupt to clean: 0 nothing changed, 1 as if all was clean.

        Below 0 and above 1 are possible. Of several pairs it is the share of the means.
        """
        clean, corrupt = self.notes["clean"], self.notes["corrupt"]
        mean = self.over(PAIR) if self.axes[-1].name == PAIR else self
        gap = clean - corrupt
        values = (mean.values - corrupt) / (gap if gap else np.nan)
        return ResultGrid(self.title, "share recovered", values, mean.axes, self.notes)


def patch(
    model: Model,
    clean: GivenText | Sequence[GivenText],
    corrupt: GivenText | Sequence[GivenText],
    metric: Metric,
    *,
    over: Sequence[str] = ("layer", "head"),
    site: str = "context",
    target: GivenText | Sequence[GivenText] | None = None,
    edits: Sequence[Edit] = (),
    batch_size: int = COPIES,
) -> Patching:
    """Puts parts of the clean run into the corrupt one, each by itself, and measures.

    It shows what is enough to bring the clean metric back, within this pair of texts: not what is
    needed (ablate that), and nothing about which of several paths the change takes. Larger numbers
    are those of the metric itself; nothing is rescaled (`recovered()` does).

    Cost: a run a cell of the grid, `batch_size` in a batch, and one of the clean text.

    Args:
        model: it is only run.
        clean: the text that the parts come from, or N of them.
        corrupt: the text that is patched, or N, each as long as its clean one.
        metric: a function of a `Batch` that gives a number a text, such as `gf.logit_diff`.
        over: the axes of the grid: "layer" (each address by itself) and axes of the site's tensors,
            such as "head" or "position". What is not named is patched whole.
        site: `context` for what heads read, in all attentions; `stream` for the residual stream as
            it enters each layer; any name, address, pattern with "*" or hook of TransformerLens.
        target: what is forced on the decoder in all runs, one text or N; None: of an
            encoder–decoder the words that both would write in common, so that row −1 is the first
            that they write differently.
        edits: what holds in all runs, such as a sparse autoencoder.
        batch_size: most texts in one batch, copies counted.

    Returns:
        The metric by the axes of `over`, positions with the corrupt text's words.

    Raises:
        GlassformerError: `patching_lengths` where a text is not as long as its clean one,
            `over_axis`, `metric_shape`, `run_targets`, and as `sites_named` and `run_batch`.
    """
    config = model.config
    addresses = sites_named(site, config)
    clean_texts, corrupt_texts = in_list(clean), in_list(corrupt)
    if len(clean_texts) != len(corrupt_texts):
        raise GlassformerError("run_targets", texts=len(corrupt_texts), targets=len(clean_texts))
    targets = targets_in_common(model, clean_texts, corrupt_texts, target)
    donors = Copied(model, clean_texts, targets, edits)
    own = Copied(model, corrupt_texts, targets, edits)
    whole, given, reads = _plain_runs(own, donors, addresses, metric)
    check_lengths(whole, given, addresses)
    names = names_of_sites(site, addresses, config)
    cells = cells_over(addresses, tuple(over), whole, names)
    kept = {address: given[address] for address in addresses}

    def fill(address: str, rows: Tensor) -> Tensor:  # noqa: ARG001
        return kept[address]

    found = measure_changes(own, cells.changes, fill, metric, reads, batch_size)  # (C, N)
    axes = tuple(_with_words(axis, whole, addresses) for axis in cells.axes)
    values = cells.laid_out(found)  # (…, N)
    if len(clean_texts) > 1:
        axes = (*axes, GridAxis(PAIR, tuple(range(len(clean_texts)))))
    else:
        values = values[..., 0]
    notes = {
        "clean": float(measure_metric(metric, given).mean()),
        "corrupt": float(measure_metric(metric, whole).mean()),
    }
    return Patching(f"patching {site}", name_of(metric), values, axes, notes)


def _plain_runs(
    own: Copied, donors: Copied, addresses: Sequence[str], metric: Metric
) -> tuple[Batch, Batch, tuple[str, ...]]:
    """Both texts' runs as they are, with what is patched, and what the metric reads."""
    known: tuple[str, ...] | None = getattr(metric, "reads", None)
    if known is not None and own.is_as_long_as(donors):
        return *own.run_beside(donors, (*addresses, *known)), known
    whole = own.run(1, None if known is None else (*addresses, *known))
    reads = addresses_read(metric, whole)
    return whole, donors.run(1, (*addresses, *reads)), reads


def targets_in_common(
    model: Model, clean: Sequence[GivenText], corrupt: Sequence[GivenText],
    target: GivenText | Sequence[GivenText] | None,
) -> list[GivenText | None] | None:  # fmt: skip
    """What is forced on the decoder in the runs of pairs of texts.

    Args:
        model: it is only run.
        clean: N texts.
        corrupt: N texts.
        target: one for all, N, or None for the words that both of a pair would write in common and
            the next one of the clean text.

    Returns:
        One target a pair; None of a model that needs none.
    """
    if target is not None:
        found: list[GivenText | None] = [*in_list(target)]
        return found * len(clean) if len(found) == 1 else found
    if not model.config.has_both:
        return None
    written = run_batch(model, [*clean, *corrupt], keep=("target/ids",)).output_ids
    return [
        _common(one, other)
        for one, other in zip(written[: len(clean)], written[len(clean) :], strict=True)
    ]


def _common(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The words that both begin with, and the next one of the first."""
    same = 0
    while same < min(len(one), len(other)) - 1 and one[same] == other[same]:
        same += 1
    return list(one[: same + 1])


def check_lengths(own: Batch, given: Batch, addresses: Sequence[str]) -> None:
    """Checks that each part of the clean run has a place of its own in the other.

    Args:
        own: the run that is patched.
        given: the one that the parts come from.
        addresses: of the parts; the sides of their words count.

    Raises:
        GlassformerError: `patching_lengths` where a text is not as long as its clean one.
    """
    sides = {side for address in addresses for side in stack_sides(address).values()}
    for side in sides:
        pieces = f"{side}_pieces"
        for one, other in zip(getattr(own, pieces), getattr(given, pieces), strict=True):
            if len(one) != len(other):
                raise GlassformerError("patching_lengths", given=len(other), needed=len(one))


def _with_words(axis: GridAxis, batch: Batch, addresses: Sequence[str]) -> GridAxis:
    """The axis with the words of its positions: those of one text, where it is on one side."""
    sides = {stack_sides(address).get(axis.name, "") for address in addresses}
    if sides not in ({"source"}, {"target"}) or len(batch) > 1:
        return axis
    [side] = sides
    words = getattr(batch.at(0), f"{side}_tokens")
    return GridAxis(axis.name, words, counted=True)
