"""T5 (Raffel et al. 2019) and mT5: distances instead of positions, RMS norms, unscaled scores."""

from collections.abc import Mapping
from typing import Any

from core.weights.family import Facts, Family

_PROJECTIONS = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "o"}
_ACTIVATIONS = {"relu": "relu", "gelu": "gelu_tanh", "silu": "silu", "gelu_new": "gelu_tanh"}


def settings(facts: Facts) -> dict[str, Any]:
    """The first T5 scales what it scores words with, the later ones gate their networks."""
    kind = str(facts.table.get("feed_forward_proj", "relu"))
    gate, _, activation = kind.rpartition("-")
    if gate not in ("", "gated") or activation not in _ACTIVATIONS or kind == "gelu":
        raise facts.unsupported(f"the feed-forward network {kind!r}")
    scaled = facts.flag("scale_decoder_outputs", facts.flag("tie_word_embeddings", True))
    layers = facts.whole("num_layers")
    return {
        "vocabulary_size": facts.whole("vocab_size"),
        "d_model": facts.whole("d_model"),
        "n_heads": facts.whole("num_heads"),
        "head_width": facts.whole("d_kv"),
        "d_ff": facts.whole("d_ff"),
        "encoder_layers": layers,
        "decoder_layers": facts.whole("num_decoder_layers", layers),
        "embedding_scale": False,
        "positions": "relative",
        "relative_buckets": facts.whole("relative_attention_num_buckets"),
        "relative_distance": facts.whole("relative_attention_max_distance", 128),
        "norm_kind": "rms",
        "norm_place": "pre",
        "norm_epsilon": facts.number("layer_norm_epsilon"),
        "final_norm": True,
        "activation": _ACTIVATIONS[activation],
        "gated": gate == "gated",
        "attention_bias": False,
        "feed_forward_bias": False,
        "score_scale": False,
        "generator_bias": False,
        "generator_scale": scaled and facts.table.get("model_type") == "t5",
        "share_embeddings": True,
        "tie_generator": "lm_head.weight" not in facts.names,
        "pad_id": facts.whole("pad_token_id"),
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
    settings=settings,
    modules={
        "source_embedding.table": ("shared", "encoder.embed_tokens"),
        "generator.weight": "lm_head.weight",
        **_layers("encoder", 1),
        **_layers("decoder", 2),
    },
    spare=(
        r"(en|de)coder\.embed_tokens\.weight",
        r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
    ),
)
