"""Runs of a model with one stack, beside the model that made them."""

from __future__ import annotations

from typing import Any

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

VOCABULARY = ("<pad>", "a", "b", "c", "d", "e", "f", "g", "h")
BERT: dict[str, Any] = {
    "decoder_layers": 0, "token_types": 2, "embedding_norm": True, "head_transform": True,
    "positions": "learned", "activation": "gelu",
}  # fmt: skip
VECTORS = {**BERT, "head_transform": False, "has_generator": False, "generator_bias": False}
GPT: dict[str, Any] = {
    "encoder_layers": 0, "positions": "learned", "norm_place": "pre", "final_norm": True,
    "pad_id": -1, "tie_generator": True, "generator_bias": False,
}  # fmt: skip
LLAMA: dict[str, Any] = {
    **GPT, "positions": "rotary", "kv_heads": 2, "norm_kind": "rms", "gated": True,
    "activation": "silu", "attention_bias": False, "feed_forward_bias": False, "qk_norm": True,
}  # fmt: skip
DISTANCES: dict[str, Any] = {
    "encoder_layers": 0, "positions": "relative", "relative_buckets": 8, "relative_distance": 20,
    "score_scale": False,
}  # fmt: skip
KINDS = {"bert": BERT, "vectors": VECTORS, "gpt": GPT, "llama": LLAMA, "distances": DISTANCES}
IDS = (1, 2, 3, 2, 5)


def config_of(kind: str) -> ModelConfig:
    sizes = {"d_model": 16, "n_heads": 4, "encoder_layers": 2, "decoder_layers": 2, "d_ff": 24}
    return ModelConfig(vocabulary_size=len(VOCABULARY), **{**sizes, **KINDS[kind]})


def one_stack(kind: str) -> tuple[Trace, Transformer]:
    """A seeded model with all parameters off their starts, and what it did."""
    torch.manual_seed(0)
    config, tape = config_of(kind), Recorder()
    model = model_of(config).requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.2 * torch.randn_like(parameter)
    ids = torch.tensor([IDS])
    model(ids, ids, tape)
    words = tuple(VOCABULARY[each] for each in IDS)
    source = words if config.encoder_layers else ()
    trace = Trace(
        config=config, tensors=tape.tensors, source_text="", output_text="", source_tokens=source,
        source_pieces=source, target_tokens=words, target_pieces=words, output_tokens=words,
        output_pieces=words, vocabulary=VOCABULARY,
    )  # fmt: skip
    return trace, model
