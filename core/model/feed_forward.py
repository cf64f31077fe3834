"""§3.3 Position-wise feed-forward network: the same two linear maps at every position."""

from torch import Tensor, nn
from torch.nn import functional

from core.config import Activation, ModelConfig
from core.model.dropout import dropout
from core.trace.tape import SILENT, Tape


class FeedForward(nn.Module):
    """FFN(x) = activation(x W₁ + b₁) W₂ + b₂, equation 2."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.w_1 = nn.Linear(config.d_model, config.d_ff)
        self.w_2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, S, D) -> (B, S, D)."""
        pre_activation = tape("pre_activation", self.w_1(x))  # (B, S, F)
        activation = tape("activation", activate(pre_activation, self.config.activation))
        dropped = dropout(activation, self.config.dropout, tape)  # (B, S, F)
        output = tape("output", self.w_2(dropped))
        return output  # (B, S, D)


def activate(x: Tensor, activation: Activation) -> Tensor:
    """The non-linearity: `relu` (paper), `gelu` (exact) or `gelu_tanh` (GPT-2's)."""
    if activation == "relu":
        return functional.relu(x)
    return functional.gelu(x, approximate="tanh" if activation == "gelu_tanh" else "none")
