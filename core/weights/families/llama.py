"""Llama (Touvron et al. 2023), Qwen2, Qwen3, Mistral: rotary positions, RMS norms, gates."""

from typing import Any

from glassformer.core.weights.computed import turns
from glassformer.core.weights.family import Facts, Family


def llama_settings(facts: Facts) -> dict[str, Any]:
    """The config of Llama, Qwen2, Qwen3 or Mistral in our words.

    Qwen2 has biases where queries, keys and values are made; Qwen3 normalises the first two.

    Args:
        facts: its config.json, with the names of its tensors.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config`, as `Facts`; `weights_unsupported` for a sliding window
            shorter than the positions, a cap on scores, another activation, and as
            `rotary_settings`.
    """
    kind = str(facts.table.get("model_type"))
    own = DEFAULTS[kind]
    length = facts.whole("max_position_embeddings", own["length"])
    layers, heads = facts.whole("num_hidden_layers", 32), facts.whole("num_attention_heads", 32)
    window = _window(facts, kind, layers)
    if window is not None and window < length:
        raise facts.unsupported(
            f"attention within a sliding window of {window:,} words, fewer than its {length:,} "
            "positions"
        )
    for name in ("attn_logit_softcapping", "final_logit_softcapping"):
        facts.refuse(name, (), "a cap on scores")
    biased = facts.flag("attention_bias", kind == "qwen2")
    return {
        "vocabulary_size": facts.whole("vocab_size", own["words"]),
        "d_model": facts.whole("hidden_size", 4096),
        "n_heads": heads,
        "kv_heads": facts.heads_of_keys(heads, own["key_heads"] or heads),
        "head_width": facts.whole("head_dim", 128 if kind == "qwen3" else 0),
        "d_ff": facts.whole("intermediate_size", own["units"]),
        "encoder_layers": 0,
        "decoder_layers": layers,
        "max_length": length,
        "embedding_scale": False,
        "positions": "rotary",
        **rotary_settings(facts),
        "norm_kind": "rms",
        "norm_place": "pre",
        "norm_epsilon": facts.number("rms_norm_eps", 1e-6),
        "final_norm": True,
        "activation": facts.activation("hidden_act", "silu"),
        "gated": True,
        "feed_forward_bias": facts.flag("mlp_bias", False),
        "attention_bias": biased,
        "attention_output_bias": kind != "qwen2",
        "qk_norm": kind == "qwen3",
        "generator_bias": False,
        "tie_generator": facts.ties("lm_head.weight", False),
        "pad_id": -1,
    }


def _window(facts: Facts, kind: str, layers: int) -> int | None:
    """How many words a layer looks back, where one of them looks at so many alone."""
    table, window = facts.table, facts.whole("sliding_window", 4096)
    if kind == "mistral":
        return None if table.get("sliding_window", 4096) is None else window
    if kind == "llama" or not facts.flag("use_sliding_window", False):
        return None
    kinds = table.get("layer_types")
    if isinstance(kinds, list):
        return window if "sliding_attention" in kinds else None
    return window if facts.whole("max_window_layers", 28) < layers else None


def rotary_settings(facts: Facts) -> dict[str, Any]:
    """How fast rotary positions turn: plain, linear or as Llama 3's.

    Args:
        facts: a config.json with `rope_parameters`, `rope_scaling`, or neither.

    Returns:
        The fields `rotary_…` of `ModelConfig`: the base, and what the scaling needs.

    Raises:
        GlassformerError: `weights_unsupported` for another scaling or a rotation of a part of each
            head, `weights_config` for what is no table of names or no number.
    """
    found = facts.table.get("rope_parameters") or facts.table.get("rope_scaling") or {}
    if not isinstance(found, dict):
        raise facts.wrong("its rotary positions are no table of names")
    given = Facts(found, facts.path)
    kind = found.get("rope_type") or found.get("type") or "default"
    base = given.number("rope_theta", facts.number("rope_theta", 10000.0))
    given.refuse("partial_rotary_factor", (1.0, 1), "a rotation of a part of each head")
    if kind == "default":
        return {"rotary_base": base}
    if kind not in ("linear", "llama3"):
        raise facts.unsupported(f"rotary positions scaled as {kind!r}")
    factor = given.number("factor")
    slow = {"rotary_base": base, "rotary_scaling": kind, "rotary_factor": factor}
    return slow if kind == "linear" else slow | {
        "rotary_low": given.number("low_freq_factor"),
        "rotary_high": given.number("high_freq_factor"),
        "rotary_length": given.whole("original_max_position_embeddings"),
    }  # fmt: skip


# What a config need not say where it is the family's own.
DEFAULTS = {
    "llama": {"length": 2048, "words": 32000, "key_heads": 0, "units": 11008},
    "mistral": {"length": 131072, "words": 32000, "key_heads": 8, "units": 14336},
    "qwen2": {"length": 32768, "words": 151936, "key_heads": 32, "units": 22016},
    "qwen3": {"length": 32768, "words": 151936, "key_heads": 32, "units": 22016},
}
_LAYER, _BLOCK = "decoder.layers.{n}", "layers.{n}"
FAMILY = Family(
    kinds=("llama", "qwen2", "qwen3", "mistral"),
    task="continue",
    settings=llama_settings,
    modules={
        "target_embedding.table": "embed_tokens",
        **{f"{_LAYER}.self_attention.w_{e}": f"{_BLOCK}.self_attn.{e}_proj" for e in "qkvo"},
        f"{_LAYER}.self_attention.turned.q_norm": f"{_BLOCK}.self_attn.q_norm",
        f"{_LAYER}.self_attention.turned.k_norm": f"{_BLOCK}.self_attn.k_norm",
        f"{_LAYER}.self_attention_residual.norm": f"{_BLOCK}.input_layernorm",
        f"{_LAYER}.feed_forward.w_1": f"{_BLOCK}.mlp.gate_proj",
        f"{_LAYER}.feed_forward.w_2": f"{_BLOCK}.mlp.down_proj",
        f"{_LAYER}.feed_forward.w_3": f"{_BLOCK}.mlp.up_proj",
        f"{_LAYER}.feed_forward_residual.norm": f"{_BLOCK}.post_attention_layernorm",
        "decoder.norm": "norm",
        "generator.weight": "lm_head.weight",
    },
    spare={r".*rotary_emb\.inv_freq": turns},
    prefixes=("model.", "transformer."),
    ids={each: {"bos_token_id": 1, "eos_token_id": 2} for each in ("llama", "mistral")},
    ties=False,
)
