"""§3.4 From the decoder's output to the probabilities of the next word."""

from torch import Tensor, nn
from torch.nn import functional

from core.config import ModelConfig
from core.trace.tape import SILENT, Tape


class Generator(nn.Module):
    """A linear map to the vocabulary; tied, it is the embedding table read the other way."""

    def __init__(self, config: ModelConfig, table: nn.Embedding | None = None) -> None:
        super().__init__()
        shape = (config.vocabulary_size, config.d_model)
        self.weight = table.weight if table is not None else nn.Embedding(*shape).weight
        self.bias = nn.Parameter(self.weight.new_zeros(shape[0])) if config.generator_bias else None

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, T, D) -> logits (B, T, V); their softmax is recorded too, for who listens."""
        logits = tape("logits", functional.linear(x, self.weight, self.bias))  # (B, T, V)
        if tape.listens:
            tape("probabilities", logits.softmax(dim=-1))  # (B, T, V)
        return logits
