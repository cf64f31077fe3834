"""What Marian, BART, mBART, M2M100 and NLLB have in common: the names, and most of the config."""

from collections.abc import Mapping
from typing import Any

from glassformer.core.weights.computed import sinusoid_table
from glassformer.core.weights.family import Facts

_PARTS = {
    "self_attention": "self_attn", "cross_attention": "encoder_attn",
    "self_attention_residual.norm": "self_attn_layer_norm",
    "cross_attention_residual.norm": "encoder_attn_layer_norm",
    "feed_forward_residual.norm": "final_layer_norm", "feed_forward.w_1": "fc1",
    "feed_forward.w_2": "fc2",
}  # fmt: skip
_PROJECTIONS = {"w_q": "q_proj", "w_k": "k_proj", "w_v": "v_proj", "w_o": "out_proj"}


def layer_modules(stack: str) -> Mapping[str, str]:
    """The modules of a stack's layers.

    Args:
        stack: "encoder" or "decoder".

    Returns:
        By our name of a module their name of it, {n} standing for the layer's number;
        cross-attention is there of an encoder, too.
    """
    ours, theirs, found = f"{stack}.layers.{{n}}", f"{stack}.layers.{{n}}", dict[str, str]()
    for own, other in _PARTS.items():
        if own.endswith("attention"):
            for one, two in _PROJECTIONS.items():
                found[f"{ours}.{own}.{one}"] = f"{theirs}.{other}.{two}"
        else:
            found[f"{ours}.{own}"] = f"{theirs}.{other}"
    return found


MODULES: Mapping[str, str | tuple[str, ...]] = {
    "source_embedding.table": ("encoder.embed_tokens", "shared"),
    "target_embedding.table": ("decoder.embed_tokens", "shared"),
    "source_embedding.position_table": "encoder.embed_positions",
    "target_embedding.position_table": "decoder.embed_positions",
    "source_embedding.norm": "encoder.layernorm_embedding",
    "target_embedding.norm": "decoder.layernorm_embedding",
    "encoder.norm": "encoder.layer_norm",
    "decoder.norm": "decoder.layer_norm",
    "generator.weight": ("lm_head.weight", "shared.weight"),
    "generator.bias": "final_logits_bias",
    **layer_modules("encoder"),
    **layer_modules("decoder"),
}
SINUSOIDS = {r"(en|de)coder\.embed_positions\.weights?": sinusoid_table}
# What a config need not say where it is the family's own.
DEFAULTS = {
    "bart": {"words": 50265, "pad": 1}, "mbart": {"words": 50265, "pad": 1},
    "m2m_100": {"words": 128112, "pad": 1}, "marian": {"words": 58101, "pad": 58100},
}  # fmt: skip


def seq2seq_settings(facts: Facts) -> dict[str, Any]:
    """The fields that all of the family say in the same words.

    Args:
        facts: the config.json, whose `model_type` is one of `DEFAULTS`, with the names of the
            tensors.

    Returns:
        Fields of `ModelConfig`; the rest is each family's own.

    Raises:
        GlassformerError: `weights_config` or `weights_unsupported`, as `Facts`.
    """
    kind = str(facts.table.get("model_type"))
    own = DEFAULTS[kind]
    tables = {f"{stack}.embed_tokens.weight" for stack in ("encoder", "decoder")}
    ties = facts.flag("tie_word_embeddings", True)
    return {
        "vocabulary_size": facts.whole("vocab_size", own["words"]),
        "d_model": facts.whole("d_model", 1024),
        "n_heads": facts.whole("decoder_attention_heads", 16),
        "encoder_heads": facts.whole("encoder_attention_heads", 16),
        "d_ff": facts.whole("decoder_ffn_dim", 4096),
        "encoder_d_ff": facts.whole("encoder_ffn_dim", 4096),
        "encoder_layers": facts.whole("encoder_layers", 12),
        "decoder_layers": facts.whole("decoder_layers", 12),
        "max_length": facts.whole("max_position_embeddings", 1024),
        "embedding_scale": facts.flag("scale_embedding", kind == "m2m_100"),
        "activation": facts.activation(
            "activation_function", "relu" if kind == "m2m_100" else "gelu"
        ),
        "pad_id": facts.whole("pad_token_id", own["pad"]),
        "share_embeddings": ties or not tables <= facts.names,
        "tie_generator": facts.ties("lm_head.weight"),
    }
