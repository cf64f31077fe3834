"""The two models that everything is measured on, with random sentences in ids."""

from __future__ import annotations

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.checkpoints import load_model

PAPER = ModelConfig(vocabulary_size=8000)  # d 512, 6 + 6 layers, 8 heads, d_ff 2048
STAND_IN = ModelConfig(
    vocabulary_size=2000, d_model=64, n_heads=4, encoder_layers=2, decoder_layers=2, d_ff=256
)


def paper_model() -> tuple[str, Transformer]:
    """Name and model of the paper's size, with random weights."""
    torch.manual_seed(0)
    return "paper-size", Transformer(PAPER).requires_grad_(False)


def small_model() -> tuple[str, Transformer]:
    """Name and model of the bundled checkpoint, or one of that shape where there is none."""
    try:
        return "bundled", load_model().transformer
    except GlassformerError:
        torch.manual_seed(0)
        return "small (no checkpoint)", Transformer(STAND_IN).requires_grad_(False)


def shape(config: ModelConfig) -> str:
    """The model's measures in a few words."""
    return (
        f"d {config.d_model}, {config.encoder_layers}+{config.decoder_layers} layers, "
        f"{config.n_heads} heads, d_ff {config.d_ff}, vocabulary {config.vocabulary_size}"
    )


def sentence(config: ModelConfig, tokens: int, seed: int) -> Tensor:
    """Ids (1, tokens), none of them padding."""
    source = torch.Generator().manual_seed(seed)
    return torch.randint(5, config.vocabulary_size, (1, tokens), generator=source)
