"""§3.3 Position-wise feed-forward network: the same two linear maps at every position."""

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.dropout import dropout
from glassformer.core.trace.tape import SILENT, Tape


class FeedForward(nn.Module):
    """FFN(x) = activation(x W₁ + b₁) W₂ + b₂, equation 2."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.activate = ACTIVATIONS[config.activation].compute
        self.w_1 = nn.Linear(config.d_model, config.d_ff, bias=config.feed_forward_bias)
        self.w_2 = nn.Linear(config.d_ff, config.d_model, bias=config.feed_forward_bias)

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D) -> (B, S, D)."""
        pre_activation = tape("pre_activation", self.w_1(x))  # (B, S, F)
        activation = tape("activation", self.activate(pre_activation))
        dropped = dropout(activation, self.config.dropout, tape)  # (B, S, F)
        output = tape("output", self.w_2(dropped))
        return output  # (B, S, D)
