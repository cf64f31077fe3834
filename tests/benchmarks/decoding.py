"""What does looking inside cost while decoding, and what does the cache save?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.step import Task
from glassformer.core.model.transformer import Transformer
from glassformer.core.settings import keep_freed_memory
from glassformer.core.trace.tape import SILENT
from tests.benchmarks.models import paper_model, sentence, shape, small_model
from tests.benchmarks.recording import recording
from tests.benchmarks.report import Table, verdict
from tests.benchmarks.timing import race

TOKENS = (16, 64)
LIMIT = 1.3
START, NEVER = 4, -1  # no word has the id NEVER: decoding goes on to the limit

ALONE = "cache alone"
RECORDED = "cache, then one recorded pass"
ON_DEMAND = "the same, maps on demand"
RECOMPUTED = "every step recomputed"


def tables(seconds: float) -> Iterator[Table]:
    """One table a model."""
    keep_freed_memory()  # whether pages are fresh would otherwise be chance, for all alike
    for name, model in (paper_model(), small_model()):
        table = Table(
            f"Decoding: {name} ({shape(model.config)})",
            ("tokens", "variant", "ms", "to cache alone", "goal"),
        )
        for tokens in TOKENS:
            _rows(table, model, tokens, seconds)
        yield table


def _rows(table: Table, model: Transformer, tokens: int, seconds: float) -> None:
    source = sentence(model.config, tokens, 1)
    task = Task(tuple(source[0].tolist()), START, NEVER, tokens)
    variants: dict[str, Callable[[], object]] = {
        ALONE: lambda: greedy(model, task),
        RECORDED: lambda: _recorded(model, source, tokens, maps=True),
        ON_DEMAND: lambda: _recorded(model, source, tokens, maps=False),
        RECOMPUTED: lambda: greedy(model, task, tape=lambda: SILENT),
    }
    result = race(variants, seconds)
    for name in variants:
        ratio = result.ratio(name, ALONE)
        aimed = name in (RECORDED, ON_DEMAND)
        table.add(
            str(tokens),
            name,
            f"{result.milliseconds(name):.0f}",
            "1" if name == ALONE else str(ratio),
            verdict(ratio.middle, LIMIT) if aimed else "",
        )
    table.notes.append(f"{tokens} tokens decoded from {tokens}: {result.rounds} rounds")


@torch.no_grad()
def _recorded(model: Transformer, source: Tensor, tokens: int, maps: bool) -> object:
    task = Task(tuple(source[0].tolist()), START, NEVER, tokens)
    chosen = [step.chosen for step in greedy(model, task)]
    target = source.new_tensor([[START, *chosen[:-1]]])
    return recording(source, target, model, maps)
