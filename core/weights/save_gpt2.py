"""A decoder alone of ours as a GPT-2, which this app and `transformers` open alike."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.weights.families.gpt2 import FAMILY
from glassformer.core.weights.read import WEIGHTS

# What GPT-2 computes, and it alone.
ALIKE: dict[str, Any] = {
    "encoder_layers": 0, "positions": "learned", "norm_place": "pre", "final_norm": True,
    "norm_formula": "population", "activation": "gelu_tanh", "embedding_scale": False,
    "attention_bias": True, "generator_bias": False, "tie_generator": True, "pad_id": -1,
    "kv_heads": 0, "head_width": 0,
}  # fmt: skip


def save_gpt2_about(
    folder: Path, config: ModelConfig, tokenizer: Tokenizer, end: str, extra: Mapping[str, Any]
) -> None:
    """Writes config.json and the tokenizer: all of a model but its weights.

    Args:
        folder: where they are written; created when missing.
        config: of the model.
        tokenizer: its pieces.
        end: the piece that ends a text, and may begin one.
        extra: further facts for config.json, plain JSON values.

    Raises:
        GlassformerError: `config` for a model that computes something that GPT-2 has not.
    """
    if wrong := [name for name, value in ALIKE.items() if getattr(config, name) != value]:
        raise GlassformerError("config", problem=f"GPT-2 has no other {', '.join(wrong)}")
    folder.mkdir(parents=True, exist_ok=True)
    number = tokenizer.token_to_id(end)
    about = {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "dtype": "float16",
        "vocab_size": config.vocabulary_size, "n_positions": config.max_length,
        "n_embd": config.d_model, "n_layer": config.decoder_layers, "n_head": config.n_heads,
        "n_inner": config.d_ff, "activation_function": "gelu_new", "attn_pdrop": 0.0,
        "embd_pdrop": 0.0, "resid_pdrop": 0.0, "layer_norm_epsilon": config.norm_epsilon,
        "bos_token_id": number, "eos_token_id": number, "tie_word_embeddings": True, **extra,
    }  # fmt: skip
    told = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": end, "eos_token": end,
            "model_max_length": config.max_length}  # fmt: skip
    for name, facts in (("config.json", about), ("tokenizer_config.json", told)):
        (folder / name).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))


def save_gpt2_weights(folder: Path, model: Transformer) -> None:
    """Writes model.safetensors beside the config, in sixteen bits, by GPT-2's names.

    Args:
        folder: of the model; it must exist.
        model: a decoder alone whose config was taken by `save_gpt2_about`.
    """
    held = {name: weight.detach().to("cpu") for name, weight in model.named_parameters()}
    parts: dict[str, dict[int, Tensor]] = {}
    for name, weight in held.items():
        theirs = FAMILY.theirs(name)[0]
        place = theirs.part[0] if theirs.part else 0
        parts.setdefault(theirs.name, {})[place] = weight.T if theirs.turned else weight
    tensors = {
        f"{FAMILY.prefixes[0]}{name}": torch.cat([found[at] for at in sorted(found)], dim=-1)
        .half()
        .contiguous()
        for name, found in parts.items()
    }
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
