"""A mask as it was in a run, beside the one that the model makes by itself."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.edits.masks import closed_rows
from core.model.masks import causal_mask
from core.text.vocabulary import PADDING
from core.trace.trace import Trace


@dataclass(frozen=True)
class MaskView:
    """Some heads of an attention: rows are queries, columns keys; bool but for the weights."""

    allowed: Tensor  # (T, S) True where every one of the heads may look
    mixed: Tensor  # (T, S) True where some of them may and others not
    changed: Tensor  # (T, S) True where a head's mask is not the model's own
    own: Tensor  # (T, S) the mask that the model makes from the words
    weights: Tensor  # (T, S) the mean of the heads' weights
    closed: tuple[tuple[int, int], ...]  # (head, row) of the rows with nothing allowed

    @property
    def closed_rows(self) -> tuple[int, ...]:
        """The rows in which at least one of the heads may look nowhere."""
        return tuple(sorted({row for _, row in self.closed}))


def mask_view(trace: Trace, place: str, heads: tuple[int, ...] = ()) -> MaskView:
    """The mask of an attention such as `decoder/1/self_attention`; heads () are all of them."""
    mask, weights = (trace[f"{place}/{name}"][0] for name in ("mask", "weights"))
    chosen = list(heads or range(mask.size(0)))
    seen, own = mask[chosen].cpu(), own_mask(trace, place)  # what is drawn is on the CPU
    closed = tuple((chosen[at], row) for at, row in closed_rows(seen[None]))
    return MaskView(
        allowed=seen.all(dim=0),
        mixed=seen.any(dim=0) & ~seen.all(dim=0),
        changed=(seen != own).any(dim=0),
        own=own,
        weights=weights[chosen].mean(dim=0).cpu(),
        closed=closed,
    )


def own_mask(trace: Trace, place: str) -> Tensor:
    """What the model itself allows for the words of a run: bool (T, S)."""
    looks_back = place.startswith("decoder") and not place.endswith("cross_attention")
    keys = trace.target_pieces if looks_back else trace.source_pieces
    begins = looks_back  # the first word of the target is never padding, see `target_mask`
    words = torch.tensor([piece != PADDING or (begins and not at) for at, piece in enumerate(keys)])
    rows = trace.source_pieces if place.startswith("encoder") else trace.target_pieces
    own = words.expand(len(rows), -1)
    return own & causal_mask(len(rows))[0, 0] if looks_back else own
