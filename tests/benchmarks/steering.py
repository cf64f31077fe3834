"""What does it cost to write under an edit, beside `transformers` with a hook that does the same?

Both write the same words from the same weights: ours are those of theirs, by reference.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor

from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.rows import EditTapes
from glassformer.core.decoding.step import Task
from glassformer.core.decoding.step_tapes import StepTapes
from glassformer.core.interventions.steering import steer
from glassformer.core.settings import keep_freed_memory
from glassformer.core.trace.graph import layer_end
from glassformer.core.trace.on_demand import kept_without
from glassformer.core.weights.wrap import wrap
from tests.benchmarks.report import Table, verdict
from tests.benchmarks.timing import race
from tests.benchmarks.weights import OPUS

WORDS, READ, LAYER, STRENGTH = 40, 12, 3, 1.0
MOST = 1.1  # to theirs
GPT2 = {"vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024}
LLAMA = {
    "vocab_size": 32000, "hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8,
    "num_key_value_heads": 2, "intermediate_size": 1376,
}  # fmt: skip
SHAPES = {"GPT2LMHead": GPT2, "Marian": OPUS, "Llama": LLAMA}
THEIRS, OURS = "transformers, a hook", "ours: each_position"
RECORDED = "ours: every step recorded"


def tables(seconds: float) -> Iterator[Table]:
    """One table for all shapes; none where transformers is not installed."""
    if find_spec("transformers") is None:
        return
    keep_freed_memory()  # whether pages are fresh would otherwise be chance, for all alike
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing here is fetched
    title = f"{WORDS} words written while layer {LAYER + 1} is steered"
    table = Table(title, ("shape", "variant", "ms", "to transformers", "goal"))
    for name, shape in SHAPES.items():
        _rows(table, name, shape, seconds)
    yield table


def _rows(table: Table, name: str, shape: dict[str, Any], seconds: float) -> None:
    variants = _variants(name, shape)
    assert len({tuple(write()) for write in variants.values()}) == 1  # they write the same
    found = race(variants, seconds)
    for variant in variants:
        ratio = found.ratio(variant, THEIRS)
        goal = verdict(ratio.middle, MOST) if variant == OURS else ""
        told = "1" if variant == THEIRS else str(ratio)
        table.add(name, variant, f"{found.milliseconds(variant):.0f}", told, goal)


def _variants(name: str, shape: dict[str, Any]) -> dict[str, Callable[[], list[int]]]:
    import transformers  # slow to import, and not everywhere

    torch.manual_seed(0)
    config = getattr(transformers, f"{name.removesuffix('LMHead')}Config")(**shape)
    suffix = "ForCausalLM" if name == "Llama" else "Model" if "LMHead" in name else "MTModel"
    theirs = getattr(transformers, f"{name}{suffix}")(config).eval()
    model = wrap(theirs, Tokenizer(WordLevel({"a": 0}, "a"))).transformer
    along = torch.randn(model.config.d_model)
    edit = steer(layer_end(model.config, "decoder", LAYER), along, STRENGTH)
    given = list(range(5, 5 + READ))
    both, start = model.config.has_both, model.config.pad_id
    task = Task(tuple(given), start, -1, WORDS, frozenset({start})) if both else Task(
        (), given[0], -1, READ - 1 + WORDS, given=tuple(given[1:])
    )  # fmt: skip

    def write(tape: Callable[[], Any], tell: bool) -> list[int]:
        steps = greedy(model, task, tape=tape, tell_given=tell)
        return [each.chosen for each in steps][-WORDS:]

    def record() -> list[int]:
        tape = StepTapes((edit,), kept_without((edit,), maps=True))
        words = write(tape, tell=True)
        tape.join(model)
        return words

    return {
        THEIRS: lambda: _theirs(theirs, given, STRENGTH * along, start if both else None),
        OURS: lambda: write(EditTapes((edit,)), tell=False),
        RECORDED: record,
    }


@torch.no_grad()
def _theirs(model: Any, given: list[int], along: Tensor, start: int | None) -> list[int]:
    def add(_module: Any, _given: Any, found: Any) -> Any:
        return (found[0] + along, *found[1:]) if isinstance(found, tuple) else found + along

    inner = model.base_model
    stack = inner.h if hasattr(inner, "h") else getattr(inner, "decoder", inner).layers
    handle = stack[LAYER].register_forward_hook(add)
    ids = torch.tensor([given])
    never = {} if start is None else {"suppress_tokens": [start], "decoder_start_token_id": start}
    try:
        found = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=WORDS, do_sample=False,
            eos_token_id=None, pad_token_id=0, **never,
        )  # fmt: skip
    finally:
        handle.remove()
    return [int(each) for each in found[0, -WORDS:]]
