"""Decoding in plain words: a whole pass a word, no cache, no batch."""

from collections.abc import Callable

import torch
from torch import Tensor

from glassformer.core.text_models.decodings import task_of
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace

Rule = Callable[[Tensor], Tensor]  # probabilities, best first -> what is drawn from


def logits(model: Translator, trace: Trace, words: list[int]) -> Tensor:
    """One whole pass over the words so far: (V,)."""
    task = task_of(model, trace)
    with torch.no_grad():
        rows: Tensor = model.transformer(
            torch.tensor([task.source]), torch.tensor([[task.start, *words]])
        )
    return rows[0, -1]


def drawn(model: Translator, trace: Trace, heat: float, seed: int, rule: Rule) -> list[int]:
    """One sentence by lot, in plain words."""
    task, written = task_of(model, trace), list[int]()
    generator = torch.Generator().manual_seed(seed)
    while len(written) < task.limit and (not written or written[-1] != task.end):
        row = logits(model, trace, written).double()
        row[list(task.forbidden)] = -torch.inf
        chances, order = (row / heat).softmax(0).sort(descending=True, stable=True)
        chances = rule(chances)
        lot = float(torch.rand((), dtype=torch.float64, generator=generator))
        place = int((chances.cumsum(0) / chances.sum() <= lot).sum())
        written.append(int(order[place]))
    return written


def top_k(k: int) -> Rule:
    return lambda chances: chances.where(torch.arange(len(chances)) < k, 0.0)


def top_p(p: float) -> Rule:
    return lambda chances: chances.where(chances.cumsum(0) - chances < p, 0.0)


def shown(model: Translator, trace: Trace, words: list[int]) -> list[str]:
    return list(model.reading(trace, words).surfaces)


def numbered(trace: Trace) -> dict[str, int]:
    """Every word as the tree has it, and its id."""
    full = {",": "，", ".": "。"}
    return {full.get(piece, piece): id for id, piece in enumerate(trace.vocabulary)}


def total(model: Translator, trace: Trace, words: list[int]) -> float:
    return sum(
        float(logits(model, trace, words[:at]).log_softmax(0)[id]) for at, id in enumerate(words)
    )
