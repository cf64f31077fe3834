"""§3.2 Attention: scaled dot-product attention, and many heads of it."""

import math

from torch import Tensor, nn

from glassformer.core.config import MaskFill, ModelConfig
from glassformer.core.model.cache import PastKeysAndValues
from glassformer.core.model.dropout import dropout
from glassformer.core.model.masks import apply_mask
from glassformer.core.model.relative import add_bias
from glassformer.core.model.rotary import Turned
from glassformer.core.trace.tape import SILENT, Tape


def attention_maps(
    q: Tensor, k: Tensor, mask: Tensor, fill: MaskFill, tape: Tape,
    bias: Tensor | None = None, scale: bool = True,
) -> Tensor:  # fmt: skip
    """softmax(Q Kᵀ / √d_k), §3.2.1: how much each query looks at each key.

    Args:
        q: (B, H, T, K).
        k: (B, H, S, K).
        mask: bool, broadcastable to (B, H, T, S), True where the query may look.
        fill: how the forbidden scores are written, see `core.model.masks.apply_mask`.
        bias: what distances add, (B, H, T, S) or None; see `core.model.relative`.
        scale: whether scores are divided by √d_k: T5's are not.

    Returns:
        (B, H, T, S); each row sums to 1, or is NaN where nothing may be looked at.
    """
    scores = tape("scores", q @ k.transpose(-2, -1))  # (B, H, T, S)
    scaled = tape("scaled", scores / math.sqrt(q.size(-1) if scale else 1))  # (B, H, T, S)
    scaled = add_bias(scaled, bias, tape)
    mask = tape("mask", mask.expand_as(scaled))  # (B, H, T, S)
    masked = tape("masked", apply_mask(scaled, mask, fill))  # (B, H, T, S)
    weights = tape("weights", masked.softmax(dim=-1))  # (B, H, T, S)
    return weights


class MultiHeadAttention(nn.Module):
    """§3.2.2: H attentions side by side, each in its own K-dimensional projection."""

    def __init__(self, config: ModelConfig, cross: bool = False) -> None:
        super().__init__()
        self.config = config
        width, heads, bias = config.d_model, config.inner_width, config.attention_bias
        self.w_q = nn.Linear(width, heads, bias=bias)
        self.w_k = nn.Linear(width, config.key_width, bias=bias)
        self.w_v = nn.Linear(width, config.key_width, bias=bias)
        self.w_o = nn.Linear(heads, width, bias=bias and config.attention_output_bias)
        self.turned = Turned(config, cross)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor,
        tape: Tape = SILENT,
        past: PastKeysAndValues | None = None,
        bias: Tensor | None = None,
        at: Tensor | None = None,
    ) -> Tensor:
        """X (B, T, D) asks, memory (B, S, D) answers -> (B, T, D)."""
        q = tape("q", self.split(self.w_q(x)))  # (B, H, T, K)
        k, v = (
            past.keys_and_values(self, memory) if past is not None else self.keys_and_values(memory)
        )
        k = tape("k", k)  # (B, H, S, K)
        v = tape("v", v)  # (B, H, S, K)
        q, k, v = self.turned(q, k, v, tape, at)
        fill, scale = self.config.mask_fill, self.config.score_scale
        weights = attention_maps(q, k, mask, fill, tape, bias, scale)  # (B, H, T, S)
        weights = dropout(weights, self.config.dropout, tape)
        context = tape("context", weights @ v)  # (B, H, T, K)
        concat = tape("concat", context.transpose(1, 2).flatten(-2))  # (B, T, D)
        output = tape("output", self.w_o(concat))  # (B, T, D)
        return output

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """What memory (B, S, D) can be asked for, and what it answers: two (B, H, S, K)."""
        return self.split(self.w_k(memory)), self.split(self.w_v(memory))

    def split(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, H, K) -> (B, H, T, K).

        The transpose is there because attention mixes the last two axes, which must be
        (position, feature); batch and head stay outside.
        """
        heads = x.view(*x.shape[:-1], -1, self.config.d_k)  # (B, T, H, K)
        return heads.transpose(1, 2)
