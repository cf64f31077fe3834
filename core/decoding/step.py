"""What one decoding step had to choose from, and what it chose."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Step:
    """One row of the decoder: the best candidates, the chosen one, how undecided it was."""

    chosen: int  # id
    probability: float  # of the chosen one, 0..1
    entropy: float  # of the whole distribution, in nats
    candidates: tuple[tuple[int, float], ...]  # (id, probability), best first


def step_from(logits: Tensor, chosen: int | None = None, keep: int = 10) -> Step:
    """The step read off one row of logits (V,); without `chosen`, the most probable is taken."""
    log_probabilities = logits.float().log_softmax(dim=-1)  # (V,)
    probabilities = log_probabilities.exp()
    best = probabilities.topk(min(keep, len(probabilities)))
    taken = int(best.indices[0]) if chosen is None else chosen
    entropy = -(probabilities * log_probabilities).nan_to_num().sum()
    return Step(
        chosen=taken,
        probability=float(probabilities[taken]),
        entropy=float(entropy),
        candidates=tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True)),
    )
