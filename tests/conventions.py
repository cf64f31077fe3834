"""No choice of a model's config is left out of the lists of configs that tests go through."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from glassformer.core.config import ModelConfig

# What other families have in the place of the paper's: M2M-100, T5, Qwen3, Llama, BERT.
FAMILIES: tuple[dict[str, Any], ...] = (
    {"positions": "spread", "position_offset": 2, "source_vocabulary_size": 40, "encoder_heads": 1,
     "encoder_d_ff": 12},
    {"positions": "relative", "relative_buckets": 8, "relative_distance": 20, "norm_kind": "rms",
     "norm_place": "pre", "final_norm": True, "score_scale": False, "head_width": 6,
     "attention_bias": False, "feed_forward_bias": False, "gated": True, "generator_scale": True,
     "generator_bias": False, "activation": "silu", "norm_epsilon": 1e-6},
    {"positions": "rotary", "head_width": 8, "kv_heads": 1, "qk_norm": True, "norm_kind": "rms",
     "rotary_scaling": "llama3", "rotary_factor": 4.0, "rotary_length": 16,
     "attention_output_bias": False, "gated": True},
    {"positions": "rotary", "head_width": 4, "rotary_scaling": "linear", "rotary_factor": 2.0},
    {"positions": "learned", "position_offset": 2, "token_types": 2, "embedding_norm": True,
     "head_transform": True, "activation": "gelu"},
)  # fmt: skip


def with_every_choice(configs: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The configs, and one more for every choice that none of them has."""
    hints = get_type_hints(ModelConfig)
    missing = [
        {each.name: choice}
        for each in fields(ModelConfig)
        for choice in get_args(hints[each.name])
        if choice not in {config.get(each.name, each.default) for config in configs}
    ]
    return (*configs, *missing)
