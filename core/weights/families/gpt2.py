"""GPT-2 (Radford et al. 2019): a decoder alone, learned positions, norms before the sub-layers."""

from typing import Any

from glassformer.core.weights.computed import triangle
from glassformer.core.weights.family import Facts, Family


def gpt2_settings(facts: Facts) -> dict[str, Any]:
    """GPT-2's config in our words: no word is padding; the table of words scores them, too.

    Args:
        facts: its config.json, with the names of its tensors.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config`, as `Facts`; `weights_unsupported` for scores that are
            not scaled or scaled by layer, and for cross-attention.
    """
    width = facts.whole("n_embd", 768)
    facts.refuse("scale_attn_weights", (True,), "scores that are not scaled")
    facts.refuse("scale_attn_by_inverse_layer_idx", (False,), "scores scaled by layer")
    facts.refuse("add_cross_attention", (False,), "cross-attention without an encoder")
    return {
        "vocabulary_size": facts.whole("vocab_size", 50257),
        "d_model": width,
        "n_heads": facts.whole("n_head", 12),
        "d_ff": facts.whole("n_inner", 4 * width),
        "encoder_layers": 0,
        "decoder_layers": facts.whole("n_layer", 12),
        "max_length": facts.whole("n_positions", 1024),
        "embedding_scale": False,
        "positions": "learned",
        "norm_place": "pre",
        "norm_epsilon": facts.number("layer_norm_epsilon", 1e-5),
        "final_norm": True,
        "activation": facts.activation("activation_function", "gelu_new"),
        "generator_bias": False,
        "tie_generator": facts.ties("lm_head.weight"),
        "pad_id": -1,
    }


_LAYER, _BLOCK = "decoder.layers.{n}", "h.{n}"
FAMILY = Family(
    kinds=("gpt2",),
    task="continue",
    settings=gpt2_settings,
    modules={
        "target_embedding.table": "wte",
        "target_embedding.position_table": "wpe",
        **{f"{_LAYER}.self_attention.w_{each}": f"{_BLOCK}.attn.c_attn" for each in "qkv"},
        f"{_LAYER}.self_attention.w_o": f"{_BLOCK}.attn.c_proj",
        f"{_LAYER}.self_attention_residual.norm": f"{_BLOCK}.ln_1",
        f"{_LAYER}.feed_forward.w_1": f"{_BLOCK}.mlp.c_fc",
        f"{_LAYER}.feed_forward.w_2": f"{_BLOCK}.mlp.c_proj",
        f"{_LAYER}.feed_forward_residual.norm": f"{_BLOCK}.ln_2",
        "decoder.norm": "ln_f",
        "generator.weight": "lm_head.weight",
    },
    spare={r"h\.\d+\.attn\.bias": triangle, r"h\.\d+\.attn\.masked_bias": None},
    prefixes=("transformer.",),
    ids={"gpt2": {"bos_token_id": 50256, "eos_token_id": 50256}},
    turned=True,
    fused={"w_q": (0, 3), "w_k": (1, 3), "w_v": (2, 3)},
)
