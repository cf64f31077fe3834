"""What does it cost to knock out every head, and to patch every vector, beside one plain pass?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from glassformer.core.interventions.causal_tracing import causal_tracing
from glassformer.core.interventions.head_ablation import ablated_heads
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from tests.benchmarks.models import shape
from tests.benchmarks.report import Table, verdict
from tests.benchmarks.server import text_of
from tests.benchmarks.timing import race

TOKENS = (16, 64)
LIMIT = 1000  # ms, for every head at 16 tokens
FIRST, OTHER = "tired", "wide"  # what the other sentence of a tracing says instead

PLAIN = "one plain pass"
KNOCKED_OUT = "every head knocked out"
TRACED = "every vector patched"


def tables(seconds: float) -> Iterator[Table]:
    """One table, for the bundled translator."""
    model = load_model()
    table = Table(
        f"Experiments: bundled ({shape(model.config)})",
        ("tokens", "variant", "runs", "ms", "to one plain pass", "goal"),
    )
    for tokens in TOKENS:
        _rows(table, model, tokens, seconds)
    table.notes.append("all variants are forced to the same words; of a tracing, all seven sweeps")
    yield table


def _rows(table: Table, model: Translator, tokens: int, seconds: float) -> None:
    text = text_of(tokens)
    trace, other = model.trace(text), model.trace(text.replace(FIRST, OTHER))
    source, target = trace["source/ids"], trace["target/ids"]

    @torch.no_grad()
    def plain() -> object:
        return model.transformer(source, target)

    variants: dict[str, Callable[[], object]] = {
        PLAIN: plain,
        KNOCKED_OUT: lambda: ablated_heads(model, trace),
        TRACED: lambda: list(causal_tracing(model, trace, other)),
    }
    found = list(causal_tracing(model, trace, other))[-1]
    runs = {
        PLAIN: 1,
        KNOCKED_OUT: len(ablated_heads(model, trace)),
        TRACED: sum(each.numel() for each in found.scores.values()),
    }
    result = race(variants, seconds)
    for name in variants:
        middle = result.milliseconds(name)
        table.add(
            str(tokens),
            name,
            str(runs[name]),
            f"{middle:.1f}",
            "1" if name == PLAIN else str(result.ratio(name, PLAIN)),
            verdict(middle, LIMIT) if (name, tokens) == (KNOCKED_OUT, TOKENS[0]) else "",
        )
    lengths = f"{source.size(1)} and {target.size(1)}"
    table.notes.append(f"{lengths} tokens, source and target: {result.rounds} rounds")
