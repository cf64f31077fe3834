"""What one decoding step had to choose from, and what it chose."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.decoding.guard import Watch


@dataclass(frozen=True)
class Step:
    """One row of the decoder: the best candidates, the chosen one, how undecided it was."""

    chosen: int  # id
    probability: float  # of the chosen one, 0..1
    entropy: float  # of the whole distribution, in nats
    candidates: tuple[tuple[int, float], ...]  # (id, probability), best first
    guarded: int | None = None  # the better id that the repetition guard forbade here

    @property
    def alike(self) -> float:
        """As unsure as between so many words of equal probability: e to the entropy."""
        return math.exp(self.entropy)

    @property
    def rest(self) -> float:
        """The probability of all words together that are not among the candidates."""
        return max(0.0, 1.0 - math.fsum(share for _, share in self.candidates))


def step_from(
    logits: Tensor,
    forbidden: Collection[int] = (),
    watch: Watch | None = None,
    written: Sequence[int] = (),
    keep: int = 10,
) -> Step:
    """The step read off one row of logits (V,): the most probable word is taken.

    `forbidden` ids are never taken, nor one that a `watch` stops after the ids `written`, but all
    keep their place among the candidates: what the model thinks stays as it is.
    """
    log_probabilities = logits.float().log_softmax(dim=-1)  # (V,)
    probabilities = log_probabilities.exp()
    best = probabilities.topk(min(keep, len(probabilities)))
    taken, guarded = _best(probabilities, forbidden), None
    if watch is not None:
        taken, guarded = watch.choose(
            taken, lambda also: _best(probabilities, {*forbidden, *also}), written
        )
    entropy = -(probabilities * log_probabilities).nan_to_num().sum()
    return Step(
        chosen=taken,
        probability=float(probabilities[taken]),
        entropy=float(entropy),
        candidates=tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True)),
        guarded=guarded,
    )


def step_of(logits: Tensor, chosen: int, keep: int = 10, guarded: int | None = None) -> Step:
    """The step of one row of logits (V,) where something else chose: a hand, a dice, a beam."""
    probability = logits.float().log_softmax(dim=-1).exp()[chosen]
    step = step_from(logits, keep=keep)
    return replace(step, chosen=chosen, probability=float(probability), guarded=guarded)


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference between the probabilities of two rows of logits (V,)."""
    return float((one.float().softmax(dim=-1) - other.float().softmax(dim=-1)).abs().max())


def _best(probabilities: Tensor, forbidden: Collection[int]) -> int:
    best = int(probabilities.argmax())
    if best not in forbidden:
        return best
    index = torch.tensor(list(forbidden), dtype=torch.long, device=probabilities.device)
    return int(probabilities.index_fill(0, index, -1.0).argmax())
