"""Runs beside the models that made them: the bundled one, and small ones of any convention."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.explain.provenance.node import Cell
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace

SOURCE, OUTPUT = ("a", "b", "c", "b"), ("d", "e", "f")
VOCABULARY = ("<pad>", "<unk>", "<eos>", "<en>", "<zh>", "a", "b", "c", "d", "e", "f")
SIZES: dict[str, Any] = {
    "d_model": 18, "n_heads": 2, "encoder_layers": 2, "decoder_layers": 2, "d_ff": 14,
}  # fmt: skip
Made = tuple[Trace, Transformer]


@cache
def bundled() -> Translator:
    return load_model()


@cache
def bundled_trace(text: str) -> Trace:
    return bundled().trace(text)


def small(
    edits: Sequence[Edit] = (),
    dropout_seed: int | None = None,
    source: tuple[str, ...] = SOURCE,
    **config: Any,
) -> Made:
    """A seeded model with d_k 9 whose norms and biases are not at their start values."""
    torch.manual_seed(3)
    settings = ModelConfig(**{"vocabulary_size": len(VOCABULARY), **SIZES, **config})
    model = Transformer(settings).requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.2 * torch.randn_like(parameter)
    tape = Recorder(edits, dropout_seed=dropout_seed)
    read = torch.tensor([[*map(VOCABULARY.index, source), 2]])
    written = [*map(VOCABULARY.index, OUTPUT), 2]
    model(read, torch.tensor([[4, *written[:-1]]]), tape)
    tape.finish()
    target = ("<zh>", *OUTPUT)
    trace = Trace(
        config=settings, tensors=tape.tensors, source_text=" ".join(source),
        output_text="".join(OUTPUT), source_tokens=(*source, "<eos>"),
        source_pieces=(*source, "<eos>"), target_tokens=target, target_pieces=target,
        output_tokens=(*OUTPUT, "<eos>"), output_pieces=(*OUTPUT, "<eos>"),
        vocabulary=VOCABULARY, direction="en-zh", model_name="test",
        edits=tuple(map(str, edits)),
    )  # fmt: skip
    return trace, model


def cells(trace: Trace, each: int = 4, seed: int = 0) -> Iterator[Cell]:
    """Some numbers of every recorded tensor, drawn by lot."""
    lot = random.Random(seed)
    for address in trace:
        for _ in range(each):
            yield Cell(address, tuple(lot.randrange(size) for size in trace[address].shape))
