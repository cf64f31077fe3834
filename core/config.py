"""Every convention a Transformer can be built with, as one frozen value.

The defaults are those of "Attention Is All You Need" (arXiv 1706.03762), base model.
"""

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args, get_type_hints

from core.errors import GlassformerError

Positions = Literal["paper", "notes", "halves", "learned", "none"]
NormPlace = Literal["post", "pre"]
NormFormula = Literal["population", "sample"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
MaskFill = Literal["large_negative", "minus_infinity", "additive"]

LARGEST = {  # far beyond what is trained here: a file that says more is damaged, or means harm
    "vocabulary_size": 2**20, "d_model": 2**16, "n_heads": 2**10, "encoder_layers": 256,
    "decoder_layers": 256, "d_ff": 2**18, "max_length": 2**20,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """What a model is made of, compared by value. Raises `config` for what cannot be built."""

    vocabulary_size: int
    d_model: int = 512
    n_heads: int = 8
    encoder_layers: int = 6
    decoder_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1  # §5.4, applied only in runs that ask for it
    max_length: int = 512  # longest sequence; the size of a learned position table

    embedding_scale: bool = True  # §3.4: embeddings are multiplied by √d_model
    positions: Positions = "paper"  # §3.5; "notes" prints another exponent in the cosine
    norm_place: NormPlace = "post"  # §5.4: norm(x + sublayer(x)); "pre" is x + sublayer(norm(x))
    norm_formula: NormFormula = "population"  # "sample": (x − μ) / (s + ε)
    norm_epsilon: float = 1e-5
    norm_initial_shift: float = 0.0  # β at the start; some lecture notes use ones
    final_norm: bool = False  # a norm after the last layer of each stack; pre-norm needs it
    activation: Activation = "relu"
    attention_bias: bool = True
    generator_bias: bool = True
    mask_fill: MaskFill = "large_negative"
    share_embeddings: bool = False  # one table for source and target
    tie_generator: bool = False  # §3.4: the generator uses the target embedding's weights
    tie_attention: bool = False  # one attention for self- and cross-attention of a decoder layer
    pad_id: int = 0

    @property
    def d_k(self) -> int:
        """Width of one head, K = D / H (§3.2.2)."""
        return self.d_model // self.n_heads

    def __post_init__(self) -> None:
        _check_choices(self)
        _check_sizes(self)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config stored in a file; unknown or missing names raise `GlassformerError`."""
        if not isinstance(values, dict):
            raise GlassformerError("config", problem="its settings are no table of names")
        known = {field.name for field in fields(cls)}
        if foreign := sorted(set(values) - known):
            raise GlassformerError("config", problem=f"unknown setting {', '.join(foreign)}")
        if "vocabulary_size" not in values:
            raise GlassformerError("config", problem="vocabulary_size is missing")
        return cls(**values)


def _check_choices(config: ModelConfig) -> None:
    hints = get_type_hints(ModelConfig)
    for field in fields(config):
        value, hint = getattr(config, field.name), hints[field.name]
        allowed = get_args(hint)
        if allowed and value not in allowed:
            _refuse(f"{field.name} is {value!r}; it may be {', '.join(map(repr, allowed))}")
        if hint is bool and not isinstance(value, bool):
            _refuse(f"{field.name} is {value!r}; it may be true or false")
        if hint is int and (isinstance(value, bool) or not isinstance(value, int)):
            _refuse(f"{field.name} is {value!r}; it must be a whole number")
        if hint is float and (isinstance(value, bool) or not isinstance(value, int | float)):
            _refuse(f"{field.name} is {value!r}; it must be a number")


def _check_sizes(config: ModelConfig) -> None:
    for name, most in LARGEST.items():
        if getattr(config, name) < 1:
            _refuse(f"{name} is {getattr(config, name)}; it must be at least 1")
        if getattr(config, name) > most:
            _refuse(f"{name} is more than {most:,}; choose a smaller one")
    if config.d_model % config.n_heads:
        divisors = [h for h in range(1, config.d_model + 1) if config.d_model % h == 0]
        near = sorted(divisors, key=lambda h: abs(h - config.n_heads))[:3]
        _refuse(
            f"d_model {config.d_model} cannot be split into {config.n_heads} equal heads; "
            f"choose n_heads from {', '.join(map(str, sorted(near)))}"
        )
    if config.d_model % 2 and config.positions in ("paper", "notes", "halves"):
        _refuse(f"d_model {config.d_model} is odd; sine and cosine come in pairs: make it even")
    if not 0 <= config.dropout < 1:
        _refuse(f"dropout is {config.dropout}; it must be at least 0 and below 1")
    if not 0 <= config.norm_epsilon < math.inf:
        _refuse(f"norm_epsilon is {config.norm_epsilon}; it must not be negative, nor without end")
    if not math.isfinite(config.norm_initial_shift):
        _refuse(f"norm_initial_shift is {config.norm_initial_shift}; it must be a finite number")
    if not 0 <= config.pad_id < config.vocabulary_size:
        _refuse(f"pad_id {config.pad_id} lies outside a vocabulary of {config.vocabulary_size}")


def _refuse(problem: str) -> None:
    raise GlassformerError("config", problem=problem)
