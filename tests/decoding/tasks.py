"""A sentence to decode with the small models of these tests, and rows computed without a cache."""

from typing import Any

import torch
from torch import Tensor

from core.decoding.step import Task
from core.model.transformer import Transformer

SOURCE = (5, 6, 7, 6, 2)
START, END = 4, 2
PARTED = 4.0  # logits of an untrained model are close together; times this they are not


def task(**changes: Any) -> Task:
    """Source of `conftest.source_ids`; padding and begin tokens are never written."""
    settings = {"limit": 8, "forbidden": frozenset({0, 3, 4}), **changes}
    return Task(SOURCE, START, END, **settings)


def fresh(model: Transformer, words: list[int] | tuple[int, ...]) -> Tensor:
    """Probabilities (V,) of the word after these, by one pass over everything."""
    logits = model(torch.tensor([SOURCE]), torch.tensor([[START, *words]]))[0, -1]
    return logits.softmax(dim=-1)
