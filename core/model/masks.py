"""§3.2.3 Masks: which key each query may look at. True means *may look*."""

import torch
from torch import Tensor

from glassformer.core.config import MaskFill


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Hides the padding from everybody: ids (B, S) -> bool (B, 1, 1, S)."""
    return (ids != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Position t sees 0..t, the future is hidden: bool (1, 1, T, T), lower triangle."""
    everything = torch.ones(length, length, dtype=torch.bool, device=device)
    return everything.tril()[None, None]


def target_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Decoder self-attention: neither padding nor future, ids (B, T) -> bool (B, 1, T, T).

    The first position is the begin token and never padding: some models (Marian, T5) begin with
    the padding's own id, and its row would have no key left.
    """
    begins = torch.arange(ids.size(-1), device=ids.device) == 0  # (T,)
    words = padding_mask(ids, pad_id) | begins  # (B, 1, 1, T)
    return words & causal_mask(ids.size(-1), ids.device)


def apply_mask(scaled: Tensor, mask: Tensor, fill: MaskFill) -> Tensor:
    """The scores with the forbidden ones out of the race, before the softmax.

    The three ways agree wherever a row has one allowed key. On a row with none this is the one
    place that decides: `large_negative` leaves equal scores, so the softmax is uniform;
    `minus_infinity` and `additive` leave nothing, so it is NaN.

    Args:
        scaled: (B, H, T, S) scores.
        mask: bool, broadcastable to (B, H, T, S), True where the query may look.
        fill: `large_negative` writes −1e9, `minus_infinity` writes −∞, `additive` adds 0 or −∞.
    """
    if fill == "additive":
        bias = torch.zeros_like(scaled).masked_fill(~mask, -torch.inf)
        return scaled + bias
    forbidden = -torch.inf if fill == "minus_infinity" else _large_negative(scaled.dtype)
    return scaled.masked_fill(~mask, forbidden)


def _large_negative(dtype: torch.dtype) -> float:
    return max(-1e9, torch.finfo(dtype).min)  # half precision ends at −65504
