"""§3.2.3 Masks: which key each query may look at. True means *may look*."""

from dataclasses import dataclass

import torch
from torch import Tensor

from glassformer.core.config import MaskFill


@dataclass(frozen=True)
class Padding:
    """Which positions of a batch are words, where ids do not tell.

    source, target: bool (B, S) and (B, T), True where a word is; None: as `pad_id` says.
    positions: int (B, S) or (B, T), the position that each word has in its own text, of the
    source and of the target; None where all texts begin at the first.
    """

    source: Tensor | None = None
    target: Tensor | None = None
    positions: tuple[Tensor | None, Tensor | None] = (None, None)

    @staticmethod
    def of(source: Tensor | None, target: Tensor | None) -> "Padding":
        """The padding of masks, at either end of a text."""
        return Padding(source, target, (_own_positions(source), _own_positions(target)))


NO_PADDING = Padding()


def _own_positions(words: Tensor | None) -> Tensor | None:
    """Counted from each text's first word: bool (B, S) -> int (B, S)."""
    if words is None or words[:, :1].all():
        return None
    return (words.cumsum(dim=-1) - 1).clamp(min=0)


def padding_mask(ids: Tensor, pad_id: int, words: Tensor | None = None) -> Tensor:
    """Hides the padding from everybody: ids (B, S) -> bool (B, 1, 1, S).

    words: bool (B, S), False where there is padding whatever its id.
    """
    mask = ids != pad_id if words is None else (ids != pad_id) & words
    return mask[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Position t sees 0..t, the future is hidden: bool (1, 1, T, T), lower triangle."""
    everything = torch.ones(length, length, dtype=torch.bool, device=device)
    return everything.tril()[None, None]


def target_mask(ids: Tensor, pad_id: int, words: Tensor | None = None) -> Tensor:
    """Decoder self-attention: neither padding nor future, ids (B, T) -> bool (B, 1, T, T).

    The first position is the begin token and never padding: some models (Marian, T5) begin with
    the padding's own id, and its row would have no key left.
    """
    begins = torch.arange(ids.size(-1), device=ids.device) == 0  # (T,)
    if words is None:
        return (padding_mask(ids, pad_id) | begins) & causal_mask(ids.size(-1), ids.device)
    begins = words & (words.cumsum(dim=-1) == 1)  # (B, T), behind padding on the left
    seen = padding_mask(ids, pad_id, words) | begins[:, None, None]  # (B, 1, 1, T)
    # Padding sees itself, so that its row is not without any key: NaN would spread from there.
    itself = torch.diag_embed(~words)[:, None]  # (B, 1, T, T)
    return (seen & causal_mask(ids.size(-1), ids.device)) | itself


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
