"""An untrained model of any conventions: what it shall be, how it starts, what it is made of.

Weights depend on the blueprint alone: one seed, one model, on every server.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import nn

from glassformer.core.config import (
    Activation,
    AddedPositions,
    MaskFill,
    ModelConfig,
    NormFormula,
    NormPlace,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_choice, read_number, read_whole_number
from glassformer.core.lab.parts import build_seeded
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.model.transformer import Transformer

Start = Literal["xavier", "torch"]
MOST_PARAMETERS = 64_000_000  # 256 MB; the paper's base model with 1,000 words has 46 million
SEVERAL = 1e4  # what γ, β and ε may be at most
FLAGS = ("on", "off")
# What may be asked for: whole numbers from … to …, numbers, choices.
WHOLE = {
    "encoder_layers": (1, 12), "decoder_layers": (1, 12), "d_model": (2, 1024),
    "n_heads": (1, 64), "d_ff": (1, 4096), "max_length": (64, 1024), "seed": (0, 999_999),
    "pad_id": (0, 999),
}  # fmt: skip
NUMBERS = {
    "dropout": (0.0, 0.9), "norm_epsilon": (0.0, SEVERAL), "gamma": (-SEVERAL, SEVERAL),
    "norm_initial_shift": (-SEVERAL, SEVERAL),
}  # fmt: skip
CHOICES = {
    "start": get_args(Start), "positions": get_args(AddedPositions),
    "norm_place": get_args(NormPlace), "norm_formula": get_args(NormFormula),
    "activation": get_args(Activation), "mask_fill": get_args(MaskFill), "embedding_scale": FLAGS,
    "final_norm": FLAGS, "attention_bias": FLAGS, "generator_bias": FLAGS,
    "share_embeddings": FLAGS, "tie_generator": FLAGS, "tie_attention": FLAGS,
}  # fmt: skip
# The lecture notes' model: pre-norm, s + ε, β from ones, torch's own start; no final norm.
NOTES: Mapping[str, int | float | str] = {
    "encoder_layers": 6, "decoder_layers": 6, "d_model": 512, "n_heads": 8, "d_ff": 64, "seed": 1,
    "start": "torch", "embedding_scale": "on", "positions": "paper", "max_length": 512,
    "norm_place": "pre", "norm_formula": "sample", "norm_epsilon": 1e-6, "gamma": 1.0,
    "norm_initial_shift": 1.0, "final_norm": "off", "activation": "relu", "attention_bias": "on",
    "generator_bias": "on", "mask_fill": "large_negative", "share_embeddings": "off",
    "tie_generator": "off", "tie_attention": "off", "dropout": 0.1, "pad_id": 0,
}  # fmt: skip
OF_START = ("start", "gamma", "seed")  # what no config holds


@dataclass(frozen=True)
class Blueprint:
    """All that decides an untrained model."""

    config: ModelConfig
    start: Start  # xavier: as the model starts; torch: as its modules start by themselves
    gamma: float  # every γ at the start; β is the config's
    seed: int

    @property
    def settings(self) -> dict[str, int | float | str]:
        """What `blueprint` reads, as it reads it; without the vocabulary."""
        held = {**self.config.to_dict(), **{name: getattr(self, name) for name in OF_START}}
        return {
            name: FLAGS[not held[name]] if isinstance(held[name], bool) else held[name]
            for name in NOTES
        }

    @property
    def changed(self) -> dict[str, int | float | str]:
        """What of them is not as in the notes; the width always."""
        found = self.settings
        return {n: value for n, value in found.items() if n == "d_model" or value != NOTES[n]}


def blueprint(vocabulary: int, **given: Any) -> Blueprint:
    """What was typed, as a blueprint; what is not given is as in the notes.

    Args:
        vocabulary: V, words.
        given: settings by name, of those in `NOTES`; numbers may be text as typed.

    Returns:
        All that decides the model.

    Raises:
        GlassformerError: as `core.lab.inputs`; `config` for an unknown setting or settings that
            cannot be together; `lab_parameters` for a model of more than `MOST_PARAMETERS`: nothing
            of that size is built before that is known.
    """
    if foreign := sorted(given.keys() - NOTES.keys()):
        raise GlassformerError("config", problem=f"unknown setting {', '.join(foreign)}")
    asked: dict[str, Any] = {**NOTES, **given}
    found: dict[str, Any] = {n: read_choice(n, asked[n], allowed) for n, allowed in CHOICES.items()}
    found |= {n: value == FLAGS[0] for n, value in found.items() if CHOICES[n] == FLAGS}
    found |= {n: read_number(n, asked[n], *limits) for n, limits in NUMBERS.items()}
    found |= {n: read_whole_number(n, asked[n], *limits) for n, limits in WHOLE.items()}
    pairs = 1 if found["positions"] in ("learned", "none") else 2  # a sine and its cosine
    read_whole_number(
        "d_model", asked["d_model"], *WHOLE["d_model"], math.lcm(pairs, found["n_heads"])
    )
    start = {name: found.pop(name) for name in OF_START}
    made = Blueprint(ModelConfig(vocabulary_size=vocabulary, **found), **start)
    if (
        count := sum(part.count(made.config) for part in closed_forms(made.config))
    ) > MOST_PARAMETERS:
        raise GlassformerError("lab_parameters", given=f"{count:,}", limit=f"{MOST_PARAMETERS:,}")
    return made


def build_model(of: Blueprint) -> Transformer:
    """The model of a blueprint, the same every time; torch's global random state is left alone.

    Args:
        of: the blueprint.

    Returns:
        The Transformer, without gradients.
    """
    model = build_seeded(lambda: Transformer(of.config), of.seed)
    if of.start == "torch":
        _start_as_torch(model, torch.Generator().manual_seed(of.seed))
    for module in model.modules():
        if isinstance(module, LayerNorm):
            nn.init.constant_(module.gamma, of.gamma)
    return model


def _start_as_torch(model: Transformer, generator: torch.Generator) -> None:
    """Embeddings from N(0, 1); linear maps, biases too, even up to ±1 / √fan_in."""
    tied = model.config.tie_generator
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, generator=generator)
        elif isinstance(module, nn.Linear) or (module is model.generator and not tied):
            bound = torch_bound(module.weight)
            nn.init.uniform_(module.weight, -bound, bound, generator=generator)
        if isinstance(module, nn.Linear) or module is model.generator:
            bound = torch_bound(module.weight)
            if module.bias is not None:
                nn.init.uniform_(module.bias, -bound, bound, generator=generator)


def xavier_bound(weight: torch.Tensor) -> float:
    """√(6 / (fan_in + fan_out)) of a matrix (Glorot & Bengio 2010).

    Args:
        weight: (fan_out, fan_in).

    Returns:
        The largest number that Xavier's uniform distribution draws.
    """
    return math.sqrt(6 / sum(weight.shape))


def torch_bound(weight: torch.Tensor) -> float:
    """1 / √fan_in, what `nn.Linear` draws up to by itself.

    Args:
        weight: (fan_out, fan_in).

    Returns:
        The largest number that is drawn.
    """
    return 1 / math.sqrt(weight.size(-1))


@dataclass(frozen=True)
class ClosedForm:
    """A part's parameters in closed form: `times` × the sum of the terms, in the notes' letters."""

    key: str
    terms: tuple[tuple[int, str], ...]  # (4, "DD"): 4 · D²; () for what is shared
    times: str = ""  # "N": in each of N layers
    once: tuple[tuple[int, str], ...] = ()  # beside the layers: the final norm

    def count(self, config: ModelConfig) -> int:
        """How many parameters the part has.

        Args:
            config: gives the letters their sizes.

        Returns:
            The closed form with these numbers in it.
        """
        sizes = letters_of_sizes(config)
        each, extra = (
            sum(many * math.prod(sizes[letter] for letter in of) for many, of in terms)
            for terms in (self.terms, self.once)
        )
        return sizes.get(self.times, 1) * each + extra


def letters_of_sizes(config: ModelConfig) -> dict[str, int]:
    """What the letters of the closed forms stand for; N encoder layers, M decoder layers.

    Args:
        config: of the model.

    Returns:
        Sizes by V, D, F, N, M and L, the longest text.
    """
    return {
        "V": config.vocabulary_size, "D": config.d_model, "F": config.d_ff,
        "N": config.encoder_layers, "M": config.decoder_layers, "L": config.max_length,
    }  # fmt: skip


def closed_forms(config: ModelConfig) -> tuple[ClosedForm, ...]:
    """Every part that has parameters, or would have them if it did not share another's.

    Args:
        config: of the model.

    Returns:
        A closed form a part, from the source's embedding to the generator.
    """
    table, square = (1, "VD"), (4, "DD")
    learned = ((1, "LD"),) if config.positions == "learned" else ()
    attention = (square, (4, "D")) if config.attention_bias else (square,)
    forward = ((2, "DF"), (1, "F"), (1, "D"))
    final = ((2, "D"),) if config.final_norm else ()
    bias = ((1, "V"),) if config.generator_bias else ()
    return (
        ClosedForm("source_embedding", (table, *learned)),
        ClosedForm("target_embedding", learned if config.share_embeddings else (table, *learned)),
        ClosedForm("encoder_self_attention", attention, "N"),
        ClosedForm("encoder_feed_forward", forward, "N"),
        ClosedForm("encoder_norms", ((4, "D"),), "N", final),
        ClosedForm("decoder_self_attention", attention, "M"),
        ClosedForm("decoder_cross_attention", () if config.tie_attention else attention, "M"),
        ClosedForm("decoder_feed_forward", forward, "M"),
        ClosedForm("decoder_norms", ((6, "D"),), "M", final),
        ClosedForm("generator", bias if config.tie_generator else (table, *bias)),
    )
