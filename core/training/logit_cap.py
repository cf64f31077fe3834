"""QK-clip: attention scores are kept in bounds by the weights that make them (arXiv 2507.20534).

In a post-norm model the first layers read a stream that no norm has touched, and nothing bounds
‖W_q‖ ‖W_k‖: the scores grow until each row's softmax is one-hot. A head whose largest score in a
batch is above the cap gets smaller projections, so that the same score would be the cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor

from core.model.attention import MultiHeadAttention
from core.model.transformer import Transformer


@torch.no_grad()
def cap_logits(model: Transformer, largest: Mapping[str, Tensor], cap: float) -> None:
    """Multiplies W_q and W_k of each head by √(cap / largest) where that is below 1.

    Args:
        model: changed in place, biases too.
        largest: (H,) by address ("encoder/0/self_attention"): each head's largest absolute scaled
            score among those that no mask forbids.
        cap: the bound on it.
    """
    for address, scores in largest.items():
        stack, layer, kind = address.split("/")
        found = model.get_submodule(f"{stack}.layers.{layer}.{kind}")
        attention = cast(MultiHeadAttention, found)
        factor = (cap / scores).clamp(max=1).sqrt()  # (H,)
        rows = factor.repeat_interleave(attention.config.d_k)  # (D,)
        for projection in (attention.w_q, attention.w_k):
            projection.weight.mul_(rows[:, None])
            if projection.bias is not None:
                projection.bias.mul_(rows)
