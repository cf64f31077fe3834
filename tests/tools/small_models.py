"""Small models of every family with their tokenizers, in float64, and pairs of texts for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor

from glassformer.core.trace.batch import Batch
from glassformer.core.weights.load import load_model
from tests.weights.folders import whole

CLEAN, CORRUPT, TARGET = (4, 9, 10, 11, 6), (4, 9, 12, 11, 6), (7, 8, 3, 5)  # ids
FAMILIES = ("marian", "t5", "mbart", "gpt2", "llama 3", "qwen3", "bert")


def exact_model(kind: str, folder: Path) -> Any:
    """A seeded model of a family, opened as any folder is."""
    whole(kind, folder)
    model = load_model(folder)
    model.transformer.double()
    return model


def pair_of(kind: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...] | None]:
    """Clean, corrupt, and what is forced on the decoder where there are both stacks."""
    alone = kind in ("gpt2", "llama 3", "qwen3", "bert")
    return CLEAN, CORRUPT, None if alone else TARGET


def contrast(batch: Batch) -> Tensor:
    """A metric: the logit of one word less another's, at the last row."""
    logits = batch["output/logits"][:, -1]
    return logits[:, 3] - logits[:, 5]
