"""T5 (Raffel et al. 2019) and mT5: distances instead of positions, RMS norms, unscaled scores."""

from collections.abc import Mapping
from typing import Any

from glassformer.core.weights.family import Facts, Family

_PROJECTIONS = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "o"}
_ACTIVATIONS = {"relu": "relu", "gelu": "gelu_tanh", "silu": "silu", "gelu_new": "gelu_tanh"}

# Words of a text: distances know no last position, but all of them meet in one table of scores.
LONGEST = 8192


def t5_settings(facts: Facts) -> dict[str, Any]:
    """The config of T5 or mT5 in our words.

    The first T5 scales what it scores words with, the later ones gate their networks.

    Args:
        facts: its config.json, with the names of its tensors.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config`, as `Facts`; `weights_unsupported` for another
            feed-forward network.
    """
    first = facts.table.get("model_type") == "t5"
    kind = str(facts.table.get("feed_forward_proj", "relu" if first else "gated-gelu"))
    gate, _, activation = kind.rpartition("-")
    if gate not in ("", "gated") or activation not in _ACTIVATIONS or kind == "gelu":
        raise facts.unsupported(f"the feed-forward network {kind!r}")
    ties = facts.flag("tie_word_embeddings", True)
    layers = facts.whole("num_layers", 6 if first else 8)
    return {
        "vocabulary_size": facts.whole("vocab_size", 32128 if first else 250112),
        "d_model": facts.whole("d_model", 512),
        "n_heads": facts.whole("num_heads", 8 if first else 6),
        "head_width": facts.whole("d_kv", 64),
        "d_ff": facts.whole("d_ff", 2048 if first else 1024),
        "encoder_layers": layers,
        "decoder_layers": facts.whole("num_decoder_layers", layers),
        "max_length": LONGEST,
        "embedding_scale": False,
        "positions": "relative",
        "relative_buckets": facts.whole("relative_attention_num_buckets", 32),
        "relative_distance": facts.whole("relative_attention_max_distance", 128),
        "norm_kind": "rms",
        "norm_place": "pre",
        "norm_epsilon": facts.number("layer_norm_epsilon", 1e-6),
        "final_norm": True,
        "activation": _ACTIVATIONS[activation],
        "gated": gate == "gated",
        "attention_bias": False,
        "feed_forward_bias": False,
        "score_scale": False,
        "generator_bias": False,
        "generator_scale": first and facts.flag("scale_decoder_outputs", ties),
        "share_embeddings": True,
        "tie_generator": facts.ties("lm_head.weight"),
        "pad_id": facts.whole("pad_token_id", 0),
    }


def _layers(stack: str, thinks: int) -> Mapping[str, str | tuple[str, ...]]:
    ours, theirs = f"{stack}.layers.{{n}}", f"{stack}.block.{{n}}.layer"
    dense = f"{theirs}.{thinks}.DenseReluDense"
    attentions = [("self_attention", "0.SelfAttention")]
    attentions += [("cross_attention", "1.EncDecAttention")] if thinks == 2 else []
    found: dict[str, str | tuple[str, ...]] = {
        f"{ours}.{own}.{one}": f"{theirs}.{other}.{two}"
        for own, other in attentions
        for one, two in _PROJECTIONS.items()
    }
    for place, (own, _) in enumerate([*attentions, ("feed_forward", "")]):
        found[f"{ours}.{own}_residual.norm"] = f"{theirs}.{place}.layer_norm"
    found[f"{ours}.feed_forward.w_1"] = (f"{dense}.wi_0", f"{dense}.wi")
    found[f"{ours}.feed_forward.w_2"] = f"{dense}.wo"
    found[f"{ours}.feed_forward.w_3"] = f"{dense}.wi_1"
    found[f"{stack}.norm"] = f"{stack}.final_layer_norm"
    found[f"{stack}.relative.table"] = (
        f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias"
    )
    return found


FAMILY = Family(
    kinds=("t5", "mt5"),
    task="translate",
    settings=t5_settings,
    modules={
        "source_embedding.table": ("encoder.embed_tokens", "shared"),
        "target_embedding.table": ("decoder.embed_tokens", "shared"),
        "generator.weight": ("lm_head.weight", "shared.weight"),
        **_layers("encoder", 1),
        **_layers("decoder", 2),
    },
    spare={r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight": None},
    prefixes=("transformer.",),
    ids={each: {"eos_token_id": 1, "decoder_start_token_id": 0} for each in ("t5", "mt5")},
)
