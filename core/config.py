"""Every convention a Transformer can be built with, as one frozen value.

The defaults are those of "Attention Is All You Need" (arXiv 1706.03762), base model.
"""

import math
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, Self, get_args, get_type_hints

from glassformer.core.errors import GlassformerError

AddedPositions = Literal["paper", "notes", "halves", "learned", "none"]  # what one can switch to
Positions = Literal[AddedPositions, "spread", "rotary", "relative"]
NormPlace = Literal["post", "pre"]
NormFormula = Literal["population", "sample"]
NormKind = Literal["layer", "rms"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
MaskFill = Literal["large_negative", "minus_infinity", "additive"]
RotaryScaling = Literal["unscaled", "linear", "llama3"]

LARGEST = {  # far beyond what is trained here: a file that says more is damaged, or means harm
    "vocabulary_size": 2**20, "d_model": 2**16, "n_heads": 2**10, "encoder_layers": 256,
    "decoder_layers": 256, "d_ff": 2**18, "max_length": 2**20, "source_vocabulary_size": 2**20,
    "head_width": 2**12, "kv_heads": 2**10, "position_offset": 2**10, "relative_buckets": 2**12,
    "relative_distance": 2**20, "token_types": 2**10, "rotary_length": 2**20,
    "encoder_heads": 2**10, "encoder_d_ff": 2**18,
}  # fmt: skip
MAY_BE_NONE = (
    "source_vocabulary_size", "head_width", "kv_heads", "position_offset", "token_types",
    "encoder_heads", "encoder_d_ff",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """What a model is made of, compared by value. Raises `config` for what cannot be built.

    Of no encoder layers it is a decoder alone (GPT), of no decoder layers an encoder alone (BERT).
    """

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
    pad_id: int = 0  # −1: no word is padding

    # What other families of models have and the paper has not.
    source_vocabulary_size: int = 0  # 0: as many words as the target
    encoder_heads: int = 0  # heads of the encoder's layers; 0: n_heads
    encoder_d_ff: int = 0  # hidden units of the encoder's layers; 0: d_ff
    head_width: int = 0  # d_k; 0: d_model / n_heads
    kv_heads: int = 0  # heads of keys and values, each shared by several queries' heads; 0: n_heads
    position_offset: int = 0  # which row of its table the first position has
    rotary_base: float = 10000.0
    rotary_scaling: RotaryScaling = "unscaled"
    rotary_factor: float = 1.0  # how much slower slow waves turn
    rotary_low: float = 1.0  # llama3: waves of fewer turns in `rotary_length` are slow
    rotary_high: float = 4.0  # llama3: of more turns they are fast and stay
    rotary_length: int = 8192
    relative_buckets: int = 32  # of distances
    relative_distance: int = 128  # from here on all distances are one
    norm_kind: NormKind = "layer"
    embedding_norm: bool = False  # a norm before the first layer of each stack
    token_types: int = 0  # kinds of segments that the embedding tells apart (BERT)
    gated: bool = False  # (activation(x W₁) ⊙ x W₃) W₂ in the feed-forward networks
    attention_output_bias: bool = True  # of W^O, where attention has biases
    feed_forward_bias: bool = True
    score_scale: bool = True  # §3.2.1: scores are divided by √d_k
    qk_norm: bool = False  # each head's queries and keys are normalised
    generator_scale: bool = False  # the decoder's output is divided by √d_model before it is scored
    head_transform: bool = False  # a layer of its own before the words are scored (BERT)
    has_generator: bool = True  # False: vectors are all that comes out (of an encoder alone)

    def of(self, place: str) -> "ModelConfig":
        """As the stack of an address has it: the encoder may have heads and units of its own.

        Args:
            place: an address, a stack or a kind of attention, such as `encoder` or
                `decoder/1/norm`.

        Returns:
            The config with the encoder's heads H and hidden units F in the encoder, else this one.
        """
        own = self.encoder_heads or self.encoder_d_ff
        return _of_encoder(self) if own and place.startswith("encoder") else self

    @property
    def d_k(self) -> int:
        """Width of one head, K = D / H (§3.2.2)."""
        return self.head_width or self.d_model // self.n_heads

    @property
    def inner_width(self) -> int:
        """All heads side by side: D in the paper."""
        return self.n_heads * self.d_k

    @property
    def key_heads(self) -> int:
        """Heads of keys and values: H in the paper."""
        return self.kv_heads or self.n_heads

    @property
    def key_width(self) -> int:
        """All heads of keys side by side: D in the paper."""
        return self.key_heads * self.d_k

    def key_head(self, head: int) -> int:
        """Whose keys and values a head of queries meets: its own, or those that it shares.

        Args:
            head: of the queries, counted from 0.

        Returns:
            The head of keys and values, counted from 0.
        """
        return head * self.key_heads // self.n_heads

    @property
    def adds_positions(self) -> bool:
        """Whether words get something added for their position; it may come in later, or never."""
        return self.positions not in ("none", "rotary", "relative")

    @property
    def has_both(self) -> bool:
        """Whether it is an encoder–decoder, as the paper's."""
        return bool(self.encoder_layers and self.decoder_layers)

    def __post_init__(self) -> None:
        _check_choices(self)
        _check_sizes(self)
        self.of("encoder")  # is checked as well

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config stored in a file.

        Args:
            values: settings by name; those that are absent have their defaults.

        Returns:
            The config.

        Raises:
            GlassformerError: `config` for unknown names, a missing vocabulary_size, or what cannot
                be built.
        """
        if not isinstance(values, dict):
            raise GlassformerError("config", problem="its settings are no table of names")
        known = {field.name for field in fields(cls)}
        if foreign := sorted(set(values) - known):
            raise GlassformerError("config", problem=f"unknown setting {', '.join(foreign)}")
        if "vocabulary_size" not in values:
            raise GlassformerError("config", problem="vocabulary_size is missing")
        return cls(**values)


@lru_cache(maxsize=64)
def _of_encoder(config: ModelConfig) -> ModelConfig:
    return replace(
        config, n_heads=config.encoder_heads or config.n_heads, encoder_heads=0,
        d_ff=config.encoder_d_ff or config.d_ff, encoder_d_ff=0,
    )  # fmt: skip


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
    alone = config.encoder_layers + config.decoder_layers > 0  # one stack may be without layers
    for name, most in LARGEST.items():
        least = 0 if name in MAY_BE_NONE or (alone and name.endswith("_layers")) else 1
        if getattr(config, name) < least:
            _refuse(f"{name} is {getattr(config, name)}; it must be at least {least}")
        if getattr(config, name) > most:
            _refuse(f"{name} is more than {most:,}; choose a smaller one")
    _check_heads(config)
    if config.d_model % 2 and config.positions in ("paper", "notes", "halves", "spread"):
        _refuse(f"d_model {config.d_model} is odd; sine and cosine come in pairs: make it even")
    for name in ("norm_epsilon", "rotary_base", "rotary_factor", "rotary_low", "rotary_high"):
        value, lowest = getattr(config, name), 0 if name == "norm_epsilon" else 1e-9
        if not lowest <= value < math.inf:
            _refuse(f"{name} is {value}; it must not be negative, nor without end")
    if not 0 <= config.dropout < 1:
        _refuse(f"dropout is {config.dropout}; it must be at least 0 and below 1")
    if not math.isfinite(config.norm_initial_shift):
        _refuse(f"norm_initial_shift is {config.norm_initial_shift}; it must be a finite number")
    if not -1 <= config.pad_id < config.vocabulary_size:
        _refuse(f"pad_id {config.pad_id} lies outside a vocabulary of {config.vocabulary_size}")


def _check_heads(config: ModelConfig) -> None:
    if config.d_model % config.n_heads and not config.head_width:
        divisors = [h for h in range(1, config.d_model + 1) if config.d_model % h == 0]
        near = sorted(divisors, key=lambda h: abs(h - config.n_heads))[:3]
        _refuse(
            f"d_model {config.d_model} cannot be split into {config.n_heads} equal heads; "
            f"choose n_heads from {', '.join(map(str, sorted(near)))}"
        )
    if config.n_heads % config.key_heads:
        _refuse(f"{config.n_heads} heads cannot share {config.kv_heads} heads of keys equally")
    inside = config.positions in ("rotary", "relative")
    if config.positions == "rotary" and config.d_k % 2:
        _refuse(f"a head of {config.d_k} numbers cannot be turned in pairs; make it even")
    if config.positions == "relative" and (
        config.relative_buckets % 2 or config.relative_buckets < 4
    ):
        _refuse(f"relative_buckets is {config.relative_buckets}; it must be even, and at least 4")
    if config.positions == "relative" and config.relative_distance <= config.relative_buckets // 2:
        _refuse("relative_distance must be more than half of relative_buckets")
    if config.tie_attention and (inside or config.qk_norm):
        _refuse("attention that knows positions cannot be shared with cross-attention")
    if not config.has_generator and (config.decoder_layers or config.generator_bias):
        _refuse("a decoder has to write words; only an encoder alone goes without a generator")


def _refuse(problem: str) -> None:
    raise GlassformerError("config", problem=problem)
