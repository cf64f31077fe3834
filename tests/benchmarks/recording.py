"""What does recording cost beside an unrecorded pass of the same model?

Measured twice: with the C library left alone, where most of the price is fresh memory, and with
freed memory kept for the next run, where only the tape's own price is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from glassformer.core.model.transformer import Transformer
from glassformer.core.settings import keep_freed_memory
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Recorder
from tests.benchmarks.models import paper_model, sentence, shape, small_model
from tests.benchmarks.report import Table, megabytes, verdict
from tests.benchmarks.timing import Race, held_bytes, race

TOKENS = (16, 64, 256)
LIMITS = {"paper-size": 1.10}
SMALL_LIMIT = 1.3
UNRECORDED, EVERYTHING, ON_DEMAND = "unrecorded", "everything", "maps on demand"

Races = dict[tuple[str, int], Race]


def tables(seconds: float) -> Iterator[Table]:
    """One table a model."""
    models = dict((paper_model(), small_model()))
    fresh = _races(models, seconds)
    kept = _races(models, seconds) if keep_freed_memory() else {}
    for name, model in models.items():
        table = Table(
            f"Recording a pass: {name} ({shape(model.config)}), to the unrecorded pass",
            ("tokens", "variant", "ms", "freed memory kept", "left to the C library",
             "faults", "held", "stated"),
        )  # fmt: skip
        for tokens in TOKENS:
            _add_rows(table, name, model, tokens, fresh, kept)
        found = [each[name, tokens].rounds for each in (fresh, kept) if each for tokens in TOKENS]
        table.notes += [
            f"{min(found)}–{max(found)} rounds; tokens in the source and as many in the target",
            "faults: pages that the system handed out, left to the C library; ms: of the same runs",
            "stated: core.trace.sites.recorded_bytes, before the run",
        ]
        if not kept:
            table.notes.append("this C library cannot be told to keep freed memory")
        yield table


def recording(source: Tensor, target: Tensor, model: Transformer, maps: bool = True) -> Recorder:
    """One recorded pass; without `maps` what can be recomputed from q, k and mask is left out."""
    tape = Recorder() if maps else Recorder(keep=lambda address: not site_at(address).per_map)
    model(source, target, tape)
    return tape


def _races(models: dict[str, Transformer], seconds: float) -> Races:
    return {
        (name, tokens): _race(model, tokens, seconds)
        for name, model in models.items()
        for tokens in TOKENS
    }


@torch.no_grad()
def _race(model: Transformer, tokens: int, seconds: float) -> Race:
    source, target = _pair(model, tokens)
    variants: dict[str, Callable[[], object]] = {
        UNRECORDED: lambda: model(source, target),
        EVERYTHING: lambda: recording(source, target, model),
        ON_DEMAND: lambda: recording(source, target, model, maps=False),
    }
    return race(variants, seconds)


def _pair(model: Transformer, tokens: int) -> tuple[Tensor, Tensor]:
    return sentence(model.config, tokens, 1), sentence(model.config, tokens, 2)


@torch.no_grad()
def _add_rows(
    table: Table, name: str, model: Transformer, tokens: int, fresh: Races, kept: Races
) -> None:
    limit, place = LIMITS.get(name, SMALL_LIMIT), (name, tokens)
    for variant in (UNRECORDED, EVERYTHING, ON_DEMAND):
        cells = [str(tokens), variant, f"{fresh[place].milliseconds(variant):.1f}"]
        faults = f"{fresh[place].faults(variant):,.0f}"
        if variant == UNRECORDED:
            table.add(*cells, "", "", faults, "", "")
            continue
        cells += [_ratio(found, place, variant, limit) for found in (kept, fresh)]
        maps = variant == EVERYTHING
        tensors = recording(*_pair(model, tokens), model, maps).tensors.values()
        held = held_bytes(tensors, model.parameters())
        stated = recorded_bytes(model.config, tokens, tokens, maps=maps)
        table.add(*cells, faults, megabytes(held), megabytes(stated))


def _ratio(found: Races, place: tuple[str, int], variant: str, limit: float) -> str:
    if place not in found:
        return "–"
    ratio = found[place].ratio(variant, UNRECORDED)
    return f"{ratio}  {verdict(ratio.middle, limit)}"
