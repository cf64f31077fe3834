"""Gated feed-forward networks (Shazeer 2020): one linear map opens the units of another."""

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.dropout import dropout
from glassformer.core.model.feed_forward import FeedForward
from glassformer.core.trace.tape import SILENT, Tape


class GatedFeedForward(FeedForward):
    """FFN(x) = (activation(x W₁ + b₁) ⊙ (x W₃ + b₃)) W₂ + b₂."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.w_3 = nn.Linear(config.d_model, config.d_ff, bias=config.feed_forward_bias)

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D) -> (B, S, D)."""
        pre_activation = tape("pre_activation", self.w_1(x))  # (B, S, F)
        activation = tape("activation", self.activate(pre_activation))
        up = tape("up", self.w_3(x))  # (B, S, F)
        gated = tape("gated", activation * up)
        dropped = dropout(gated, self.config.dropout, tape)  # (B, S, F)
        output = tape("output", self.w_2(dropped))
        return output  # (B, S, D)


def feed_forward_of(config: ModelConfig) -> FeedForward:
    """The network that every layer of a model has."""
    return GatedFeedForward(config) if config.gated else FeedForward(config)
