"""Attribution patching: what patching every place would do, estimated from one backward pass.

Patching a place changes the metric by about (clean − corrupt) · ∂ metric / ∂ place, to first order
(Nanda 2023; Syed, Rager & Conmy 2023, arXiv 2310.10348, of edges). With integrated gradients the
slopes are means over inputs between the two texts (Hanna, Pezzelle & Belinkov 2024, arXiv
2403.17806).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import to_float64
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.edges import EdgeWalk
from glassformer.core.tools.patched_places import find_places
from glassformer.core.tools.patching import check_lengths, targets_in_common
from glassformer.core.tools.sites import Metric, in_list, measure_metric, name_of, stack_sides
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.results import LINES, GridAxis, Result, ResultGrid
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit

if TYPE_CHECKING:
    import pandas as pd

SUMMED = ("feature", "head_feature", "hidden", "vocabulary", "one")  # axes within one vector
INPUTS = ("source/embedding", "target/embedding")  # the first numbers of each side
MOST_STEPS = 10_000
COLUMNS = ("pair", "address", "head", "position", "token", "key", "key_token")


@dataclass(frozen=True, repr=False)
class NodeAttribution(Result):
    """How far the metric would move if a place of the corrupt run had what the clean one has there.

    values: by address, in the metric's unit, the numbers of a vector added up: (pairs, positions),
    with heads (pairs, heads, positions), of maps (pairs, heads, queries, keys). words: of each
    pair, by side, as the corrupt text has them. notes: the metric of both, means of the pairs.
    """

    measure: str
    values: Mapping[str, NDArray[np.float64]]
    words: Mapping[str, tuple[tuple[str, ...], ...]]
    notes: Mapping[str, float]

    def headline(self) -> str:
        notes = "".join(f"; {name} {value:.4g}" for name, value in self.notes.items())
        return f"attribution patching at {len(self.values)} addresses: {self.measure}{notes}"

    def table(self) -> pd.DataFrame:
        """A row a place: address, head, position, key, the words there, and the estimate."""
        import pandas as pd  # slow to import

        frames = [self._frame(address, values) for address, values in self.values.items()]
        table = pd.concat(frames, ignore_index=True)
        return table[[name for name in (*COLUMNS, self.measure) if name in table]]

    def top(self, n: int = LINES) -> pd.DataFrame:
        """The n rows of the table with the largest estimates, whatever their sign."""
        table = self.table()
        order = table[self.measure].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order[:n]].dropna(axis=1, how="all")

    def lines(self) -> pd.DataFrame:
        return self.top()

    def sites(self) -> pd.DataFrame:
        """A row an address: the estimate of patching all of it, the mean of the pairs."""
        import pandas as pd

        totals = {name: float(each.sum()) / len(each) for name, each in self.values.items()}
        return pd.DataFrame({"address": list(totals), self.measure: list(totals.values())})

    def _frame(self, address: str, values: NDArray[np.float64]) -> pd.DataFrame:
        import pandas as pd

        axes = [axis for axis in site_at(address).axes if axis not in SUMMED]
        is_map = "query" in axes
        names = ["pair", *("position" if each == "query" else each for each in axes[1:])]
        if not is_map:  # keys and values have one a word
            names = ["position" if each == "key" else each for each in names]
        columns: dict[str, Any] = {"address": address}
        columns |= dict(zip(names, np.indices(values.shape).reshape(len(names), -1), strict=True))
        for axis, side in stack_sides(address).items():
            is_key = is_map and axis == "key"
            at = columns["key" if is_key else "position"]
            words = [self.words[side][pair] for pair in columns["pair"]]
            columns["key_token" if is_key else "token"] = [
                own[place] if place < len(own) else "" for own, place in zip(words, at, strict=True)
            ]
        if len(values) == 1:
            del columns["pair"]
        columns[self.measure] = values.reshape(-1)
        frame = pd.DataFrame(columns)
        numbers = [name for name in ("head", "position", "key") if name in frame]
        return frame.astype(dict.fromkeys(numbers, "Int64"))


@dataclass(frozen=True, repr=False)
class EdgeAttribution(ResultGrid):
    """How far the metric would move if one sender's change reached one receiver alone.

    Senders and receivers are named as `path_patch` takes them. NaN: no such edge.
    """

    def table(self) -> pd.DataFrame:
        """A row an edge: sender, receiver and the estimate."""
        return super().table().dropna(subset=[self.measure]).reset_index(drop=True)


def attribution_patch(
    model: Model,
    clean: GivenText | Sequence[GivenText],
    corrupt: GivenText | Sequence[GivenText],
    metric: Metric,
    *,
    edges: bool = False,
    steps: int = 1,
    sites: str | Sequence[str] = "*",
    target: GivenText | Sequence[GivenText] | None = None,
    edits: Sequence[Edit] = (),
) -> NodeAttribution | EdgeAttribution:
    """Estimates what `patch` would measure at every place at once.

    A positive number: what the clean run has there would move the corrupt run's metric up. The
    estimate is exact where the metric depends on the place linearly; where a softmax, a norm or a
    ReLU bends it may be far off, even in sign, and most where the two texts differ most. It shows
    candidates; `patch` and `path_patch` measure. It says nothing of what several places do
    together.

    Edges: senders are what enters a stack, heads (`context#3`) and feed-forward networks; receivers
    queries, keys and values of heads, feed-forward networks (their `branch_input`), and the logits.
    Norms between them count by their slope; where they stand in the branch (pre-norm) all edges
    into a sub-layer add up to the estimate at its `branch_input` (keys and values of
    cross-attention: at its `memory`).

    Cost: three runs, one of them with gradients; with `steps` > 1 as many with gradients, and two.

    Args:
        model: it is only run.
        clean: the text that the parts come from, or N of them.
        corrupt: the text that would be patched, or N, each as long as its clean one.
        metric: a function of a `Batch` that gives a number a text and can be differentiated.
        edges: True estimates edges between parts instead of places.
        steps: 1 takes slopes at the corrupt text; more take their mean over as many inputs between
            both (embeddings in equal steps, the middle of each).
        sites: patterns of the addresses, for places; "*" for all.
        target: what is forced on the decoder, as in `patch`.
        edits: what holds in all runs.

    Returns:
        The estimates, with `.top(n)` and `.table()`; of edges the mean of the pairs.

    Raises:
        GlassformerError: `patching_lengths`, `metric_shape`, `metric_flat` for a metric that the
            run cannot be differentiated by, `decoding_range` for no step, and as `run_batch`.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise GlassformerError("decoding_range", name="steps", given=steps, low=1, high=MOST_STEPS)
    clean_texts, corrupt_texts = in_list(clean), in_list(corrupt)
    targets = targets_in_common(model, clean_texts, corrupt_texts, target)
    wanted = tuple(dict.fromkeys(each.address for each in find_places(sites, model.config)))
    reads = getattr(metric, "reads", None)
    keep = None if edges or reads is None else (*wanted, *reads)
    whole = keep if keep is None else (*keep, *_inputs(model))
    given = run_batch(model, clean_texts, targets=targets, keep=whole, edits=edits)
    own = run_batch(model, corrupt_texts, targets=targets, keep=whole, edits=edits, grad=steps == 1)
    check_lengths(own, given, wanted)
    runs = _runs(model, corrupt_texts, targets, keep, edits, own, given, steps)
    notes = {"clean": float(measure_metric(metric, given).mean())}
    notes["corrupt"] = float(measure_metric(metric, own).mean())
    differences = {address: given[address] - own[address].detach() for address in _shared(own)}
    if edges:
        return _edges(model, runs, metric, differences, notes)
    values = _nodes(runs, metric, wanted, differences)
    words = {
        side: tuple(getattr(own.at(at), f"{side}_tokens") for at in range(len(own)))
        for side in ("source", "target")
    }
    return NodeAttribution(name_of(metric), values, words, notes)


def _inputs(model: Model) -> list[str]:
    config = model.config
    layers = (config.encoder_layers, config.decoder_layers)
    return [address for address, count in zip(INPUTS, layers, strict=True) if count]


def _shared(own: Batch) -> list[str]:
    """The addresses with numbers."""
    return [address for address in own if own[address].is_floating_point()]


def _runs(
    model: Model, texts: Sequence[GivenText], targets: Sequence[GivenText | None] | None,
    keep: Sequence[str] | None, edits: Sequence[Edit], own: Batch, given: Batch, steps: int,
) -> Iterator[Batch]:  # fmt: skip
    """The runs whose slopes count: the corrupt one, or some with embeddings between both."""
    if steps == 1:
        yield own
        return
    for step in interruption.count_parts(range(steps), steps):
        share = (step + 0.5) / steps
        between = [
            Edit(address, partial(_toward, end=given[address], share=share))
            for address in _inputs(model)
        ]
        yield run_batch(
            model, texts, targets=targets, keep=keep, edits=(*edits, *between), grad=True
        )


def _toward(x: Tensor, end: Tensor, share: float) -> Tensor:
    return x.lerp(end.to(x), share)


def _nodes(
    runs: Iterator[Batch], metric: Metric, wanted: Sequence[str], differences: Mapping[str, Tensor]
) -> dict[str, NDArray[np.float64]]:
    found, count = dict[str, Tensor](), 0
    for run in runs:
        gradients, count = run.gradients(metric), count + 1
        for address in wanted:
            product = differences[address] * gradients[address]
            axes = [at for at, axis in enumerate(site_at(address).axes) if axis in SUMMED]
            estimate = product.sum(axes) if axes else product
            found[address] = found[address] + estimate if address in found else estimate
    return {address: to_float64(each).numpy() / count for address, each in found.items()}


def _edges(
    model: Model, runs: Iterator[Batch], metric: Metric, differences: Mapping[str, Tensor],
    notes: dict[str, float],
) -> EdgeAttribution:  # fmt: skip
    total, count = dict[tuple[str, str], float](), 0
    for run in runs:
        count += 1
        walk = EdgeWalk(model.transformer, run, run.gradients(metric), differences)
        names, changes = zip(*walk.walk().items(), strict=True)
        means = to_float64(torch.stack(changes).mean(dim=1)).tolist()
        for (sender, receiver), mean in zip(names, means, strict=True):
            key = str(sender), str(receiver)
            total[key] = total.get(key, 0.0) + mean
    senders = list(dict.fromkeys(sender for sender, _ in total))
    receivers = list(dict.fromkeys(receiver for _, receiver in total))
    values = np.full((len(senders), len(receivers)), np.nan)
    for (sender, receiver), change in total.items():
        values[senders.index(sender), receivers.index(receiver)] = change / count
    axes = (GridAxis("sender", tuple(senders)), GridAxis("receiver", tuple(receivers)))
    return EdgeAttribution("edge attribution patching", name_of(metric), values, axes, notes)
