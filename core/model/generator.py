"""§3.4 From the decoder's output to the probabilities of the next word."""

from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.model.head import HeadTransform
from glassformer.core.trace.tape import SILENT, Tape


class Generator(nn.Module):
    """A linear map to the vocabulary; tied, it is the embedding table read the other way."""

    def __init__(self, config: ModelConfig, table: nn.Embedding | None = None) -> None:
        super().__init__()
        shape = (config.vocabulary_size, config.d_model)
        self.weight = table.weight if table is not None else nn.Embedding(*shape).weight
        self.bias = nn.Parameter(self.weight.new_zeros(shape[0])) if config.generator_bias else None
        self.scale = config.d_model**-0.5 if config.generator_scale else 1.0
        self.transform = HeadTransform(config) if config.head_transform else None

    def forward(self, x: Tensor, tape: Tape = SILENT) -> Tensor:
        """X (B, T, D) -> logits (B, T, V); their softmax is recorded too, for who listens."""
        if self.transform is not None:
            x = self.transform(x, tape)  # (B, T, D)
        if self.scale != 1.0:
            scaled = tape("scaled", x * self.scale)  # (B, T, D)
            x = scaled
        logits = tape("logits", functional.linear(x, self.weight, self.bias))  # (B, T, V)
        if tape.wants("probabilities"):
            tape("probabilities", logits.softmax(dim=-1))  # (B, T, V)
        return logits
