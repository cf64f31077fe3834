"""§3.1 Encoder: N identical layers of self-attention and feed-forward."""

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.gated import feed_forward_of
from glassformer.core.model.relative import relative_bias
from glassformer.core.model.rms_norm import norm_of
from glassformer.core.model.sublayer import SublayerConnection
from glassformer.core.trace.tape import SILENT, Tape


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each in its residual connection."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.feed_forward = feed_forward_of(config)
        self.self_attention_residual = SublayerConnection(config)
        self.feed_forward_residual = SublayerConnection(config)

    def forward(
        self, x: Tensor, mask: Tensor, tape: Tape = SILENT, bias: Tensor | None = None,
        at: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """X (B, S, D), mask (B, 1, 1, S) -> (B, S, D)."""

        def self_attend(x: Tensor, tape: Tape) -> Tensor:
            return self.self_attention(x, x, mask, tape, bias=bias, at=at)

        x = self.self_attention_residual(x, "self_attention", self_attend, tape)
        return self.feed_forward_residual(x, "feed_forward", self.feed_forward, tape)


class Encoder(nn.Module):
    """The stack of encoder layers, each with parameters of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        config = config.of("encoder")
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.norm = norm_of(config) if config.final_norm else None
        self.relative = relative_bias(config, causal=False)

    def forward(
        self, x: Tensor, mask: Tensor, tape: Tape = SILENT, at: Tensor | None = None
    ) -> Tensor:
        """X (B, S, D), mask (B, 1, 1, S), at (B, S) as in `Padding` -> (B, S, D)."""
        bias = self.relative(x.size(1), x.size(1)) if self.relative is not None else None
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, tape / index, bias, at)
        return self.norm(x, tape / "norm") if self.norm is not None else x
