"""§5.4 Cross-entropy with label smoothing, over the words of the target and not its padding."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def translation_loss(
    logits: Tensor, target: Tensor, label_smoothing: float, pad_id: int = 0
) -> Tensor:
    """Mean loss a word in nats: logits (B, T, V), target ids (B, T) -> scalar."""
    return cross_entropy(
        logits.flatten(0, 1),  # (B·T, V)
        target.flatten(),
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
    )
