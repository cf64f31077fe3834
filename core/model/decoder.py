"""§3.1 Decoder: N identical layers of masked self-attention, cross-attention, feed-forward."""

from collections.abc import Sequence

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.cache import LayerCache
from glassformer.core.model.gated import feed_forward_of
from glassformer.core.model.relative import relative_bias
from glassformer.core.model.rms_norm import norm_of
from glassformer.core.model.sublayer import SublayerConnection
from glassformer.core.trace.tape import SILENT, Tape


class DecoderLayer(nn.Module):
    """Looks back at the target so far, then at the source, then thinks position by position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.crosses = config.encoder_layers > 0
        if self.crosses:
            tied = self.self_attention if config.tie_attention else None
            self.cross_attention = tied or MultiHeadAttention(config, cross=True)
        self.feed_forward = feed_forward_of(config)
        self.self_attention_residual = SublayerConnection(config)
        if self.crosses:
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
        bias: Tensor | None = None,
        at: Tensor | None = None,
    ) -> Tensor:
        """X (B, T, D), memory (B, S, D), masks (B, 1, T, T) and (B, 1, 1, S) -> (B, T, D)."""
        past = cache or LayerCache()

        def self_attend(x: Tensor, tape: Tape) -> Tensor:
            return self.self_attention(x, x, target_mask, tape, past.self_attention, bias, at)

        def cross_attend(x: Tensor, tape: Tape) -> Tensor:
            seen = tape("memory", memory)  # (B, S, D), this layer's own view of it
            return self.cross_attention(x, seen, source_mask, tape, past.cross_attention)

        x = self.self_attention_residual(x, "self_attention", self_attend, tape)
        if self.crosses:
            x = self.cross_attention_residual(x, "cross_attention", cross_attend, tape)
        return self.feed_forward_residual(x, "feed_forward", self.feed_forward, tape)


class Decoder(nn.Module):
    """The stack of decoder layers, each with parameters of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.norm = norm_of(config) if config.final_norm else None
        self.relative = relative_bias(config, causal=True)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        target_mask: Tensor,
        source_mask: Tensor,
        tape: Tape = SILENT,
        caches: Sequence[LayerCache] | None = None,
        at: Tensor | None = None,
    ) -> Tensor:
        """X (B, T, D), memory (B, S, D) -> (B, T, D); `caches`, one a layer, while decoding.

        at: positions (B, T) as in `Padding`.
        """
        keys = x.size(1) + (caches[0].length if caches else 0)
        bias = self.relative(x.size(1), keys) if self.relative is not None else None
        for index, layer in enumerate(self.layers):
            cache = caches[index] if caches is not None else None
            x = layer(x, memory, target_mask, source_mask, tape / index, cache, bias, at)
        return self.norm(x, tape / "norm") if self.norm is not None else x
