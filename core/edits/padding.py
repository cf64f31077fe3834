"""What padding does to each sentence of a batch, beside the same sentence run alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.edits.experiment import Experiment
from core.edits.padded import padded_runs
from core.edits.translations import divergences
from core.trace.trace import Trace
from core.translator import Translator


@dataclass(frozen=True)
class InBatch:
    """One sentence in a padded batch; only what a screen shows is kept, and rows of real words.

    `weights` and `masks` are (H, rows, keys) by the address of their attention, padding among the
    keys. `largest` is the largest |difference| of any word's probability to the run alone,
    `divergence` KL(alone ‖ batch) of each row in nats, `chances` the probability of the word that
    each row writes.
    """

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    output_tokens: tuple[str, ...]
    sources: int  # how many of them are words, not padding
    targets: int
    weights: Mapping[str, Tensor]
    masks: Mapping[str, Tensor]
    chances: Tensor  # (targets,)
    largest: float
    divergence: Tensor  # (targets,)

    @property
    def nbytes(self) -> int:
        """Bytes of all its maps together."""
        maps = (*self.weights.values(), *self.masks.values())
        return sum(each.nbytes for each in maps)

    def keys(self, attention: str) -> int:
        """How many keys of an attention are words; the others are padding."""
        own = attention.startswith("decoder") and attention.endswith("self_attention")
        return self.targets if own else self.sources

    def to_padding(self, attention: str, head: int | None = None) -> Tensor:
        """The share of each row's weight that lies on padding, (rows,); head None: their mean."""
        weights = self.weights[attention][..., self.keys(attention) :].sum(dim=-1)  # (H, rows)
        return weights.mean(dim=0) if head is None else weights[head]

    def head(self, attention: str, head: int | None = None) -> NDArray[np.float32]:
        """The weights of a head, or the mean of all, (rows, keys)."""
        weights = self.weights[attention]
        found: NDArray[np.float32] = (weights.mean(0) if head is None else weights[head]).numpy()
        return found

    def allowed(self, attention: str, head: int | None = None) -> NDArray[np.bool_]:
        """What a head, or any, may look at, (rows, keys)."""
        masks = self.masks[attention].expand_as(self.weights[attention])
        found: NDArray[np.bool_] = (masks.any(0) if head is None else masks[head]).numpy()
        return found

    @property
    def most_to_padding(self) -> float:
        """The largest share of any row, of any head."""
        return max(
            float(self.to_padding(each, head).max())
            for each, weights in self.weights.items()
            for head in range(len(weights))
        )


def in_batch(
    model: Translator, traces: Sequence[Trace], experiment: Experiment | None = None
) -> tuple[InBatch, ...]:
    """The sentences of runs in one padded batch, each beside its own run.

    Args:
        model: the plain translator that made the runs.
        traces: the plain runs; their words are forced.
        experiment: what is switched in the batch, such as `PaddingOff`.
    """
    padded = padded_runs(model, traces, experiment)
    return tuple(_beside(alone, found) for alone, found in zip(traces, padded, strict=True))


def chances(trace: Trace, rows: int) -> Tensor:
    """The probability of the word that stands in each of the first rows, (rows,)."""
    known = {piece: place for place, piece in enumerate(trace.vocabulary)}
    words = torch.tensor([known[piece] for piece in trace.output_pieces[:rows]])
    found: Tensor = trace["output/probabilities"][0, :rows].cpu().gather(1, words[:, None])[:, 0]
    return found


def _beside(alone: Trace, found: Trace) -> InBatch:
    sources, targets = len(alone.source_tokens), len(alone.target_tokens)
    size = {"encoder": sources, "decoder": targets}
    attentions = [each.removesuffix("/mask") for each in found if each.endswith("/mask")]

    def own(name: str) -> dict[str, Tensor]:
        return {
            each: found[f"{each}/{name}"][0, :, : size[each.partition("/")[0]]].cpu().clone()
            for each in attentions
        }

    words = found["output/probabilities"][0, :targets]
    return InBatch(
        source_tokens=found.source_tokens,
        target_tokens=found.target_tokens,
        output_tokens=found.output_tokens,
        sources=sources,
        targets=targets,
        weights=own("weights"),
        masks=own("mask"),
        chances=chances(found, targets),
        largest=float((words - alone["output/probabilities"][0]).abs().max()),
        divergence=divergences(alone, found),
    )
