"""What one decoding step had to choose from, and what it chose."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Step:
    """One row of the decoder: the best candidates, the chosen one, how undecided it was."""

    chosen: int  # id
    probability: float  # of the chosen one, 0..1
    entropy: float  # of the whole distribution, in nats
    candidates: tuple[tuple[int, float], ...]  # (id, probability), best first


def step_from(logits: Tensor, forbidden: Collection[int] = (), keep: int = 10) -> Step:
    """The step read off one row of logits (V,): the most probable word is taken.

    `forbidden` ids are never taken, but keep their place among the candidates: what the model
    thinks stays as it is.
    """
    log_probabilities = logits.float().log_softmax(dim=-1)  # (V,)
    probabilities = log_probabilities.exp()
    best = probabilities.topk(min(keep, len(probabilities)))
    allowed = probabilities.index_fill(0, _ids(forbidden, logits), -1.0)
    taken = int(allowed.argmax())
    entropy = -(probabilities * log_probabilities).nan_to_num().sum()
    return Step(
        chosen=taken,
        probability=float(probabilities[taken]),
        entropy=float(entropy),
        candidates=tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True)),
    )


def _ids(words: Collection[int], like: Tensor) -> Tensor:
    return torch.tensor(list(words), dtype=torch.long, device=like.device)
