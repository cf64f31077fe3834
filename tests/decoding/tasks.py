"""A sentence to decode with the small models of these tests, and rows computed without a cache."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from glassformer.core.decoding.beam import Beam, Node
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.sampling import SampledStep, draw_samples
from glassformer.core.decoding.step import Task
from glassformer.core.model.transformer import Transformer

SOURCE = (5, 6, 7, 6, 2)
START, END = 4, 2
PARTED = 4.0  # logits of an untrained model are close together; times this they are not


def task(**changes: Any) -> Task:
    """Source of `conftest.source_ids`; padding and begin tokens are never written."""
    settings = {"limit": 8, "forbidden": frozenset({0, 3, 4}), **changes}
    return Task(SOURCE, START, END, **settings)


def taking_over(words: Sequence[int], position: int, candidate: int) -> dict[int, int]:
    """What to force for another choice at a position, the words before it kept."""
    return dict(enumerate([*words[:position], candidate]))


def sample(
    model: Transformer, task: Task, how: Sampling, *given: Any, **more: Any
) -> tuple[SampledStep, ...]:
    """One sentence drawn by itself; further arguments as of `samples`."""
    return draw_samples(model, task, [how], *given, **more)[0]


def at(tree: Beam, position: int) -> tuple[Node, ...]:
    """All that was tried at a position of the output, best first."""
    return tuple(node for node in tree.nodes if node.position == position)


def fresh(model: Transformer, words: list[int] | tuple[int, ...]) -> Tensor:
    """Probabilities (V,) of the word after these, by one pass over everything."""
    logits = model(torch.tensor([SOURCE]), torch.tensor([[START, *words]]))[0, -1]
    return logits.softmax(dim=-1)
