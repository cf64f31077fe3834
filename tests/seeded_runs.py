"""Runs together with the model that made them: small seeded ones of any config, and bundled ones.

The small models' norms and biases are not at their start values, so that a forgotten one shows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

Run = tuple[Trace, Transformer]
SOURCE = ("我", "和", "同学", "一起", "听", "和", "光同尘")
OUTPUT = ("we", "listen", "and", "we", "sing")
# English, Chinese with one word twice, one token.
SENTENCES = ("The animal didn't cross the street because it was too tired", "我和同学和老师", "猫")
# The conventions a run can have; d_k is 9, or 3 with six heads: odd.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "post": {},
    "post, final norm": {"final_norm": True, "positions": "halves", "activation": "gelu"},
    "pre": {"norm_place": "pre", "final_norm": True, "positions": "notes", "n_heads": 6},
    "pre, no end": {"norm_place": "pre", "positions": "learned", "norm_formula": "sample"},
    "plain": {"embedding_scale": False, "positions": "none", "generator_bias": False},
}


@cache
def seeded_run(
    source: tuple[str, ...] = SOURCE,
    output: tuple[str, ...] = OUTPUT,
    dropout_seed: int | None = None,
    **config: Any,
) -> Run:
    """The recorded run of a seeded model, d_model 18 in 2 heads; `config` are other conventions."""
    vocabulary = ["<pad>", "<unk>", "<eos>", "<en>", "<zh>", *dict.fromkeys((*source, *output))]
    sizes = {"d_model": 18, "n_heads": 2, "encoder_layers": 2, "decoder_layers": 3, "d_ff": 20}
    settings = {"vocabulary_size": len(vocabulary), "max_length": 32, **sizes, **config}
    torch.manual_seed(0)
    model = Transformer(ModelConfig(**settings)).requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.1 * torch.randn_like(parameter)
    tape = Recorder(dropout_seed=dropout_seed)
    written = [*map(vocabulary.index, output), 2]
    model(
        torch.tensor([[*map(vocabulary.index, source), 2]]),
        torch.tensor([[3, *written[:-1]]]),
        tape,
    )
    tokens = {
        "source_tokens": (*source, "<eos>"),
        "target_tokens": ("<en>", *output),
        "output_tokens": (*output, "<eos>"),
    }
    pieces = {name.replace("tokens", "pieces"): words for name, words in tokens.items()}
    trace = Trace(
        config=model.config, tensors=tape.tensors, source_text="".join(source),
        output_text=" ".join(output), vocabulary=tuple(vocabulary), direction="zh-en",
        model_name="seeded", **tokens, **pieces,
    )  # fmt: skip
    return trace, model


@cache
def bundled_run(sentence: str) -> Run:
    """What the bundled translator made of a sentence."""
    translator = load_model()
    return translator.trace(sentence), translator.transformer


def all_runs() -> list[Any]:
    """Makers of every run above, for `pytest.mark.parametrize`."""
    small = [lambda c=config: seeded_run(**c) for config in CONVENTIONS.values()]
    return [*small, *(lambda s=sentence: bundled_run(s) for sentence in SENTENCES)]


RUN_NAMES = [*CONVENTIONS, *SENTENCES]
