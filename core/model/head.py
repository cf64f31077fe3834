"""What BERT (Devlin et al. 2018) does with its vectors before they are held against the words."""

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.rms_norm import norm_of
from glassformer.core.trace.tape import Tape


class HeadTransform(nn.Module):
    """norm(activation(x W + b)), at every position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.activate = ACTIVATIONS[config.activation].compute
        self.norm = norm_of(config)

    def forward(self, x: Tensor, tape: Tape) -> Tensor:
        """X (B, T, D) -> (B, T, D)."""
        dense = tape("dense", self.dense(x))  # (B, T, D)
        activation = tape("activation", self.activate(dense))
        return self.norm(activation, tape / "norm")
