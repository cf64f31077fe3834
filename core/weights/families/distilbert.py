"""DistilBERT (Sanh et al. 2019): half of BERT's layers, one kind of segment."""

from typing import Any

from glassformer.core.weights.computed import number_positions
from glassformer.core.weights.family import Facts, Family

HEAD = "vocab_transform.weight"


def distilbert_settings(facts: Facts) -> dict[str, Any]:
    """DistilBERT's config in our words: as BERT's, in other words.

    Args:
        facts: its config.json, with the names of its tensors, which tell whether it fills in
            blanks.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config` or `weights_unsupported`, as `Facts`.
    """
    fills = HEAD in facts.names
    return {
        "vocabulary_size": facts.whole("vocab_size", 30522),
        "d_model": facts.whole("dim", 768),
        "n_heads": facts.whole("n_heads", 12),
        "d_ff": facts.whole("hidden_dim", 3072),
        "encoder_layers": facts.whole("n_layers", 6),
        "decoder_layers": 0,
        "max_length": facts.whole("max_position_embeddings", 512),
        "embedding_scale": False,
        "positions": "learned",
        "embedding_norm": True,
        "norm_epsilon": 1e-12,
        "activation": facts.activation("activation", "gelu"),
        "head_transform": fills,
        "has_generator": fills,
        "generator_bias": fills,
        "tie_generator": facts.ties("vocab_projector.weight"),
        "pad_id": facts.whole("pad_token_id", 0),
    }


_LAYER, _BLOCK = "encoder.layers.{n}", "transformer.layer.{n}"
_ATTENTION = {"w_q": "q_lin", "w_k": "k_lin", "w_v": "v_lin", "w_o": "out_lin"}
FAMILY = Family(
    kinds=("distilbert",),
    task="fill_in",
    settings=distilbert_settings,
    modules={
        "source_embedding.table": "embeddings.word_embeddings",
        "source_embedding.position_table": "embeddings.position_embeddings",
        "source_embedding.norm": "embeddings.LayerNorm",
        **{
            f"{_LAYER}.self_attention.{own}": f"{_BLOCK}.attention.{other}"
            for own, other in _ATTENTION.items()
        },
        f"{_LAYER}.self_attention_residual.norm": f"{_BLOCK}.sa_layer_norm",
        f"{_LAYER}.feed_forward.w_1": f"{_BLOCK}.ffn.lin1",
        f"{_LAYER}.feed_forward.w_2": f"{_BLOCK}.ffn.lin2",
        f"{_LAYER}.feed_forward_residual.norm": f"{_BLOCK}.output_layer_norm",
        "generator.transform.dense": "vocab_transform",
        "generator.transform.norm": "vocab_layer_norm",
        "generator": "vocab_projector",
    },
    spare={r"embeddings\.position_ids": number_positions},
    prefixes=("distilbert.",),
)
