"""§3.1 Encoder: N identical layers of self-attention and feed-forward."""

from torch import Tensor, nn

from core.config import ModelConfig
from core.model.attention import MultiHeadAttention
from core.model.feed_forward import FeedForward
from core.model.layer_norm import LayerNorm
from core.model.sublayer import SublayerConnection
from core.trace.tape import SILENT, Tape


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each in its residual connection."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.feed_forward = FeedForward(config)
        self.self_attention_residual = SublayerConnection(config)
        self.feed_forward_residual = SublayerConnection(config)

    def forward(self, x: Tensor, mask: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D), mask (B, 1, 1, S) -> (B, S, D)."""

        def self_attend(x: Tensor, tape: Tape) -> Tensor:
            return self.self_attention(x, x, mask, tape)

        x = self.self_attention_residual(x, "self_attention", self_attend, tape)
        return self.feed_forward_residual(x, "feed_forward", self.feed_forward, tape)


class Encoder(nn.Module):
    """The stack of encoder layers, each with parameters of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.norm = LayerNorm(config) if config.final_norm else None

    def forward(self, x: Tensor, mask: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D), mask (B, 1, 1, S) -> (B, S, D)."""
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, tape / index)
        return self.norm(x, tape / "norm") if self.norm is not None else x
