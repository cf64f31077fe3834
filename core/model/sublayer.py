"""§3.1's residual connection around each sub-layer, with its norm before or after."""

from collections.abc import Callable

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.dropout import dropout
from glassformer.core.model.rms_norm import norm_of
from glassformer.core.trace.tape import Tape


class SublayerConnection(nn.Module):
    """Post-norm: norm(x + dropout(sublayer(x))). Pre-norm: x + dropout(sublayer(norm(x)))."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.norm = norm_of(config)

    def forward(
        self, x: Tensor, name: str, sublayer: Callable[[Tensor, Tape], Tensor], tape: Tape
    ) -> Tensor:
        """X (B, S, D) -> (B, S, D), recorded beside the sub-layer called `name`."""
        here, norm_tape = tape / f"{name}_residual", tape / f"{name}_norm"
        stream = here("stream", x)  # (B, S, D), goes around the sub-layer
        branch_input = here("branch_input", x)  # (B, S, D), goes through it
        if self.config.norm_place == "pre":
            branch_input = self.norm(branch_input, norm_tape)
        branch = sublayer(branch_input, tape / name)  # (B, S, D)
        summed = here("summed", stream + dropout(branch, self.config.dropout, here))
        return self.norm(summed, norm_tape) if self.config.norm_place == "post" else summed
