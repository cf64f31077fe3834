"""What the training of the small GPT is made of, as one value that is stored with the run."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError


@dataclass(frozen=True, kw_only=True)
class GptRecipe:
    """Size of the model and course of its training: GPT-2 (Radford et al. 2019) in small.

    The rate rises over `warmup` steps, stays, and falls to nothing in the last `decay` share of
    the steps, so that a run that has not begun to fall can be made shorter or longer.
    """

    steps: int = 5000
    seed: int = 1
    batch_size: int = 16  # rows
    length: int = 128  # tokens of a row, and positions of the model
    warmup: int = 100
    decay: float = 0.3
    rate: float = 0.005
    weight_decay: float = 0.1  # of the layers' matrices
    vocabulary: int = 1024
    d_model: int = 96
    n_heads: int = 4
    layers: int = 4
    lists: float = 0.1  # of words said twice, for each document of sentences
    lists_later: float = 0.3  # the same from step `later` on, when sentences are known
    later: int = 768
    held_out: int = 2000  # sentences of the test set

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "length", "warmup"):
            if getattr(self, name) < 1:
                problem = f"{name} is {getattr(self, name)}; it must be at least 1"
                raise GlassformerError("training", problem=problem)

    def config(self) -> ModelConfig:
        """GPT-2's conventions in our words.

        Returns:
            The config of the model.

        Raises:
            GlassformerError: `config`, for sizes that cannot be built.
        """
        return ModelConfig(
            vocabulary_size=self.vocabulary, d_model=self.d_model, n_heads=self.n_heads,
            d_ff=4 * self.d_model, encoder_layers=0, decoder_layers=self.layers, dropout=0.0,
            max_length=self.length, embedding_scale=False, positions="learned", norm_place="pre",
            final_norm=True, activation="gelu_tanh", generator_bias=False, tie_generator=True,
            pad_id=-1,
        )  # fmt: skip

    def rate_of(self, step: int) -> float:
        """The learning rate of a step.

        Args:
            step: counted from 1.

        Returns:
            The rate.
        """
        left = (self.steps - step + 1) / max(1.0, self.steps * self.decay)
        return self.rate * min(1.0, step / self.warmup, left)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def resumed(self, stored: dict[str, Any]) -> Self:
        """The stored recipe with this one's number of steps; anything else may not change.

        Args:
            stored: what `to_dict` gave.

        Returns:
            The recipe to go on with.

        Raises:
            GlassformerError: `training`, for numbers that cannot be.
            TypeError: for a field that recipes do not have.
        """
        return type(self)(**{**stored, "steps": self.steps})
