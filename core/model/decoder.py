"""§3.1 Decoder: N identical layers of masked self-attention, cross-attention, feed-forward."""

from collections.abc import Sequence

from torch import Tensor, nn

from core.config import ModelConfig
from core.model.attention import MultiHeadAttention
from core.model.cache import LayerCache
from core.model.feed_forward import FeedForward
from core.model.layer_norm import LayerNorm
from core.model.sublayer import SublayerConnection
from core.trace.tape import SILENT, Tape


class DecoderLayer(nn.Module):
    """Looks back at the target so far, then at the source, then thinks position by position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.cross_attention = (
            self.self_attention if config.tie_attention else MultiHeadAttention(config)
        )
        self.feed_forward = FeedForward(config)
        self.self_attention_residual = SublayerConnection(config)
        self.cross_attention_residual = SublayerConnection(config)
        self.feed_forward_residual = SublayerConnection(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        target_mask: Tensor,
        source_mask: Tensor,
        tape: Tape = SILENT,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """X (B, T, D), memory (B, S, D), masks (B, 1, T, T) and (B, 1, 1, S) -> (B, T, D)."""
        past = cache or LayerCache()

        def self_attend(x: Tensor, tape: Tape) -> Tensor:
            return self.self_attention(x, x, target_mask, tape, past.self_attention)

        def cross_attend(x: Tensor, tape: Tape) -> Tensor:
            seen = tape("memory", memory)  # (B, S, D), this layer's own view of it
            return self.cross_attention(x, seen, source_mask, tape, past.cross_attention)

        x = self.self_attention_residual(x, "self_attention", self_attend, tape)
        x = self.cross_attention_residual(x, "cross_attention", cross_attend, tape)
        return self.feed_forward_residual(x, "feed_forward", self.feed_forward, tape)


class Decoder(nn.Module):
    """The stack of decoder layers, each with parameters of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.norm = LayerNorm(config) if config.final_norm else None

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        target_mask: Tensor,
        source_mask: Tensor,
        tape: Tape = SILENT,
        caches: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """X (B, T, D), memory (B, S, D) -> (B, T, D); `caches`, one a layer, while decoding."""
        for index, layer in enumerate(self.layers):
            cache = caches[index] if caches is not None else None
            x = layer(x, memory, target_mask, source_mask, tape / index, cache)
        return self.norm(x, tape / "norm") if self.norm is not None else x
