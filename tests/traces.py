"""Runs of small untrained models of any config on any words: for what only needs a trace."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

SOURCE = tuple("The animal didn't cross the street because it was too tired".split())
OUTPUT = ("动物", "没有", "穿过", "马路", "因为", "动物", "太", "累", "了")


@cache
def small_trace(
    source: tuple[str, ...] = SOURCE, output: tuple[str, ...] = OUTPUT, **config: Any
) -> Trace:
    """The recorded run of a seeded model, d_model 16; `config` are other conventions."""
    torch.manual_seed(0)
    vocabulary = ["<pad>", "<unk>", "<eos>", "<en>", "<zh>"]
    vocabulary += [word for word in dict.fromkeys((*source, *output)) if word not in vocabulary]
    sizes = {"d_model": 16, "n_heads": 4, "encoder_layers": 2, "decoder_layers": 2, "d_ff": 24}
    settings = ModelConfig(**{"vocabulary_size": len(vocabulary), **sizes, **config})
    model, tape = Transformer(settings), Recorder()
    read = torch.tensor([[*map(vocabulary.index, source), 2]])
    written = [*map(vocabulary.index, output), 2]
    with torch.no_grad():
        model(read, torch.tensor([[4, *written[:-1]]]), tape)
    tokens = {
        "source_tokens": (*source, "<eos>"),
        "target_tokens": ("<zh>", *output),
        "output_tokens": (*output, "<eos>"),
    }
    pieces = {name.replace("tokens", "pieces"): words for name, words in tokens.items()}
    return Trace(
        config=settings, tensors=tape.tensors, source_text=" ".join(source),
        output_text="".join(output), vocabulary=tuple(vocabulary), direction="en-zh",
        model_name="test", **tokens, **pieces,
    )  # fmt: skip
