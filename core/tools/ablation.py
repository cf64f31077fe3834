"""Ablation: what becomes of a metric when a part of the model says nothing, or nothing particular.

Zero ablation writes 0, which a part may never write by itself; mean ablation writes what it writes
on average over a reference; resampling writes what it wrote for some other word (Chan et al. 2022).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.copies import COPIES, EACH_SITE, Copied, cells_over, measure_changes
from glassformer.core.tools.sites import (
    Metric,
    addresses_read,
    in_list,
    measure_metric,
    name_of,
    names_of_sites,
    sites_named,
    stack_sides,
    word_vectors,
)
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.results import LINES, GridAxis, ResultGrid
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit

if TYPE_CHECKING:
    import pandas as pd

How = Literal["zero", "mean", "resample"]
HOWS: tuple[How, ...] = ("zero", "mean", "resample")
LOGITS, DIVERGENCE = "output/logits", "KL from the plain run"


@dataclass(frozen=True, repr=False)
class Ablation(ResultGrid):
    """How much the metric changes without each part, by text: the last axis.

    The notes have the metric's mean with nothing taken away.
    """

    def table(self) -> pd.DataFrame:
        """A row a part: mean change over the texts, its standard error, and how many texts."""
        table = super().table()
        names = [axis.name for axis in self.axes[:-1]]
        found = table.groupby(names, sort=False, observed=True)[self.measure]
        made = found.agg(["mean", "sem", "count"]).reset_index()
        return made.dropna(subset=["mean"]).rename(
            columns={"mean": self.measure, "sem": "standard error", "count": "texts"}
        )

    def by_text(self) -> pd.DataFrame:
        """A row a part and text."""
        return super().table()

    def lines(self) -> pd.DataFrame:
        table = self.table()
        order = table[self.measure].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order[:LINES]]


def ablate(
    model: Model,
    texts: GivenText | Sequence[GivenText],
    *,
    site: str = "context",
    how: How = "mean",
    reference: Sequence[GivenText] | None = None,
    metric: Metric | None = None,
    over: Sequence[str] = ("site",),
    targets: Sequence[GivenText | None] | None = None,
    edits: Sequence[Edit] = (),
    seed: int = 0,
    batch_size: int = COPIES,
) -> Ablation:
    """Takes each part away, at every word of the texts, and measures what changes.

    It shows what the metric needs when everything else stays: two parts that can stand in for each
    other both look needless, and what repairs the loss later hides it. Zeroed parts may put the
    model where it never is; the mean keeps what a part says of any word.

    Sign: the metric without the part less the metric with it, so a part that helps has a negative
    number; of the divergence, which is never negative, larger is more harm.

    Cost: a run of the texts a part, copies in one batch, and one of the reference.

    Args:
        model: it is only run.
        texts: one or many.
        site: as `patch` takes it: `context`, `*/feed_forward/output`, `decoder/stream`, …
        how: `zero`; `mean`, of all words of the reference, padding left out; `resample`, for each
            word what it was at a random word of the reference.
        reference: texts; None takes `texts` themselves, with their targets.
        metric: a function of a `Batch` that gives a number a text; None: the divergence KL(plain ‖
            without) of the distributions, the mean over a text's rows, in nats.
        over: "site" (each address by itself; without it all at once) and axes of its tensors that
            are no positions, such as "head" or "feature".
        targets: what is forced on the decoder, one a text; None as `run_batch`.
        edits: what holds in all runs, such as a sparse autoencoder.
        seed: of the random words.
        batch_size: most texts in one batch, copies counted.

    Returns:
        The change of the metric by part and text; `.table()` has means and standard errors.

    Raises:
        GlassformerError: `ablate_how`, `over_axis`, `site_per_word` for means of attention maps,
            `metric_shape`, and as `sites_named` and `run_batch`.
    """
    if how not in HOWS:
        raise GlassformerError("ablate_how", given=how, allowed=", ".join(HOWS))
    every = in_list(texts)
    addresses = sites_named(site, model.config)
    _check_axes(addresses, over)
    read = every if reference is None else in_list(reference)
    goals = targets if reference is None else None
    words = {} if how == "zero" else _words_of(model, read, goals, addresses, edits, batch_size)
    fill = partial(_filled, words, how, seed)
    before, changed = list[Tensor](), list[Tensor]()
    for start in range(0, len(every), batch_size):
        part = slice(start, start + batch_size)
        own = Copied(model, every[part], None if targets is None else targets[part], edits)
        plain = own.run(1, _kept(metric, addresses))
        asked = metric or _Divergence(plain)
        reads = addresses_read(asked, plain)
        names = names_of_sites(site, addresses, model.config)
        cells = cells_over(addresses, tuple(over), plain, names)
        changed.append(measure_changes(own, cells.changes, fill, asked, reads, batch_size))
        before.append(measure_metric(asked, plain))
    values = torch.cat(changed, dim=1) - torch.cat(before)  # (C, N)
    axes = (*cells.axes, GridAxis("text", tuple(range(len(every)))))
    measure = DIVERGENCE if metric is None else f"change of {name_of(metric)}"
    notes = {} if metric is None else {"before": float(torch.cat(before).mean())}
    return Ablation(f"{how} ablation of {site}", measure, cells.laid_out(values), axes, notes)


class _Divergence:
    """KL(plain ‖ what is measured), the mean over a text's rows, in nats."""

    reads = (LOGITS,)

    def __init__(self, plain: Batch) -> None:
        if not plain.config.has_generator:
            raise GlassformerError("no_generator", name=plain.model_name)
        self._logs = _log_probabilities(plain)  # (N, T, V)
        self._mask = plain.target_mask  # (N, T)

    def __call__(self, batch: Batch) -> Tensor:
        """(copies · N,), of copies of the plain batch one after the other."""
        logs = _log_probabilities(batch)  # (copies · N, T, V)
        logs = logs.view(-1, *self._logs.shape)  # (copies, N, T, V)
        rows = (self._logs.exp() * (self._logs - logs)).sum(dim=-1)  # (copies, N, T)
        means: Tensor = (rows * self._mask).sum(dim=-1) / self._mask.sum(dim=-1)  # (copies, N)
        return means.flatten()


def _log_probabilities(batch: Batch) -> Tensor:
    logits = batch[LOGITS]
    return logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(dim=-1)


def _kept(metric: Metric | None, addresses: Sequence[str]) -> tuple[str, ...] | None:
    """What the plain run keeps: everything where nobody knows what the metric reads."""
    known = (LOGITS,) if metric is None else getattr(metric, "reads", None)
    return None if known is None else (*addresses, *known)


def _check_axes(addresses: Sequence[str], over: Sequence[str]) -> None:
    """Raises for positions: texts differ in them."""
    for address in addresses:
        for name in over:
            if name in stack_sides(address):
                axes = [
                    each for each in site_at(address).axes[1:] if each not in stack_sides(address)
                ]
                allowed = ", ".join((*EACH_SITE, *axes))
                raise GlassformerError("over_axis", given=name, address=address, allowed=allowed)


def _words_of(
    model: Model, texts: Sequence[GivenText], targets: Sequence[GivenText | None] | None,
    addresses: Sequence[str], edits: Sequence[Edit], batch_size: int,
) -> dict[str, Tensor]:  # fmt: skip
    """What stands at each address for all words of texts, padding left out: (W, D) each."""
    found: dict[str, list[Tensor]] = {address: [] for address in addresses}
    for start in range(0, len(texts), batch_size):
        part = slice(start, start + batch_size)
        goals = None if targets is None else targets[part]
        batch = run_batch(model, texts[part], targets=goals, keep=tuple(addresses), edits=edits)
        for address in addresses:
            vectors, mask = word_vectors(batch, address)
            found[address].append(vectors[mask])
    return {address: torch.cat(each) for address, each in found.items()}


def _filled(
    words: Mapping[str, Tensor], how: How, seed: int, address: str, rows: Tensor
) -> Tensor:  # fmt: skip
    """What is written in place of a tensor (N, …) of the texts."""
    if how == "zero":
        return torch.zeros_like(rows)
    given = words[address]  # (W, D)
    heads = rows.size(1) if rows.dim() == 4 else 0
    if how == "mean":
        mean = given.to(torch.promote_types(given.dtype, torch.float32)).mean(dim=0)
        return (mean.view(heads, 1, -1) if heads else mean).expand_as(rows)
    places = (rows.size(0), rows.size(-2))
    draw = torch.randint(len(given), places, generator=torch.Generator().manual_seed(seed))
    drawn = given[draw.to(given.device)]  # (N, n, D)
    return drawn.view(*places, heads, -1).transpose(1, 2) if heads else drawn
