"""Runs to walk through, with the weights that made them: bundled, and small with any convention."""

from __future__ import annotations

from functools import cache

import torch

from glassformer import load_model
from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace
from tests.conventions import FAMILIES, with_every_choice
from tests.explain.steps.plain_run import PlainRun

SENTENCES = (
    "The animal didn't cross the street because it was too tired",
    "我 爱 机器 学习",
    "cat",
)
# Each config differs from the paper's in several ways that do not disturb each other.
CONVENTIONS = with_every_choice((
    {},
    {"norm_place": "pre", "final_norm": True, "norm_formula": "sample", "positions": "notes",
     "d_model": 20, "n_heads": 4, "attention_bias": False, "activation": "gelu"},
    {"positions": "halves", "embedding_scale": False, "mask_fill": "minus_infinity",
     "generator_bias": False, "share_embeddings": True, "tie_generator": True, "d_model": 18,
     "n_heads": 6, "activation": "gelu_tanh"},
    {"positions": "learned", "mask_fill": "additive", "tie_attention": True, "encoder_layers": 1,
     "decoder_layers": 3, "final_norm": True},
    {"positions": "none", "n_heads": 1, "encoder_layers": 3, "decoder_layers": 1},
    {"pad_id": 4},  # the begin token's own, as in Marian
    *FAMILIES,
))  # fmt: skip
Run = tuple[Trace, Transformer]


@cache
def bundled_run(text: str) -> Run:
    model = load_model()
    return model.trace(text), model.transformer


@cache
def small_run(convention: int = 0, dropout_seed: int | None = None) -> Run:
    """A seeded model whose norms and biases are not at their start values."""
    torch.manual_seed(convention)
    sizes = {"d_model": 16, "n_heads": 4, "encoder_layers": 2, "decoder_layers": 2, "d_ff": 24}
    words = ("<pad>", "<unk>", "<eos>", "<en>", "<zh>", "a", "b", "c", "甲", "乙", "丙")
    config = ModelConfig(
        vocabulary_size=len(words), dropout=0.25, **{**sizes, **CONVENTIONS[convention]}
    )
    model, tape = Transformer(config).requires_grad_(False), Recorder(dropout_seed=dropout_seed)
    for parameter in model.parameters():
        parameter += 0.2 * torch.randn_like(parameter)
    model(torch.tensor([[5, 6, 7, 6, 2]]), torch.tensor([[4, 8, 9, 10]]), tape)
    source, target = tuple(words[id] for id in (5, 6, 7, 6, 2)), ("<zh>", "甲", "乙", "丙")
    output = (*target[1:], "<eos>")
    trace = Trace(
        config=config, tensors=tape.tensors, source_text="a b c b", output_text="甲乙丙",
        source_tokens=source, source_pieces=source, target_tokens=target, target_pieces=target,
        output_tokens=output, output_pieces=output, vocabulary=words, direction="en-zh",
    )  # fmt: skip
    return trace, model


def plain(run: Run) -> PlainRun:
    """The same run in plain numpy."""
    trace, model = run
    kept = {each: trace[each][0].numpy() for each in trace if each.endswith("/kept")}
    source, target = (trace[f"{side}/ids"][0].numpy() for side in ("source", "target"))
    return PlainRun(trace.config, model.state_dict(), source, target, kept)


BUNDLED = [lambda text=text: bundled_run(text) for text in SENTENCES]
SMALL = [lambda at=at: small_run(at) for at in range(len(CONVENTIONS))]
DROPPING = [lambda at=at: small_run(at, dropout_seed=3) for at in range(len(CONVENTIONS))]
NAMES = [
    *("english", "chinese", "one-token"),
    *(f"conventions-{at}" for at in range(len(CONVENTIONS))),
    *(f"dropout-{at}" for at in range(len(CONVENTIONS))),
]
RUNS = [*BUNDLED, *SMALL, *DROPPING]
