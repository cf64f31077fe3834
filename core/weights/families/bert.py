"""BERT (Devlin et al. 2018): an encoder alone that fills in blanks, post-norm as in the paper."""

from typing import Any

from glassformer.core.weights.computed import number_positions
from glassformer.core.weights.family import Facts, Family

HEAD = "cls.predictions.transform.dense.weight"


def bert_settings(facts: Facts) -> dict[str, Any]:
    """BERT's config in our words.

    Without the head that was trained to fill in blanks, its vectors are all that comes out.

    Args:
        facts: its config.json, with the names of its tensors, which tell whether it has that head.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config`, as `Facts`; `weights_unsupported` for positions that are
            not absolute, or an encoder that hides the future.
    """
    facts.refuse("position_embedding_type", ("absolute",), "positions of another kind")
    facts.refuse("is_decoder", (False,), "an encoder that hides the future")
    fills = HEAD in facts.names
    return {
        "vocabulary_size": facts.whole("vocab_size", 30522),
        "d_model": facts.whole("hidden_size", 768),
        "n_heads": facts.whole("num_attention_heads", 12),
        "d_ff": facts.whole("intermediate_size", 3072),
        "encoder_layers": facts.whole("num_hidden_layers", 12),
        "decoder_layers": 0,
        "max_length": facts.whole("max_position_embeddings", 512),
        "embedding_scale": False,
        "positions": "learned",
        "token_types": facts.whole("type_vocab_size", 2),
        "embedding_norm": True,
        "norm_epsilon": facts.number("layer_norm_eps", 1e-12),
        "activation": facts.activation("hidden_act", "gelu"),
        "head_transform": fills,
        "has_generator": fills,
        "generator_bias": fills,
        "tie_generator": facts.ties("cls.predictions.decoder.weight"),
        "pad_id": facts.whole("pad_token_id", 0),
    }


_LAYER, _BLOCK = "encoder.layers.{n}", "encoder.layer.{n}"
_ATTENTION = {"w_q": "self.query", "w_k": "self.key", "w_v": "self.value", "w_o": "output.dense"}
FAMILY = Family(
    kinds=("bert",),
    task="fill_in",
    settings=bert_settings,
    modules={
        "source_embedding.table": "embeddings.word_embeddings",
        "source_embedding.position_table": "embeddings.position_embeddings",
        "source_embedding.type_table": "embeddings.token_type_embeddings",
        "source_embedding.norm": "embeddings.LayerNorm",
        **{
            f"{_LAYER}.self_attention.{own}": f"{_BLOCK}.attention.{other}"
            for own, other in _ATTENTION.items()
        },
        f"{_LAYER}.self_attention_residual.norm": f"{_BLOCK}.attention.output.LayerNorm",
        f"{_LAYER}.feed_forward.w_1": f"{_BLOCK}.intermediate.dense",
        f"{_LAYER}.feed_forward.w_2": f"{_BLOCK}.output.dense",
        f"{_LAYER}.feed_forward_residual.norm": f"{_BLOCK}.output.LayerNorm",
        "generator.transform.dense": "cls.predictions.transform.dense",
        "generator.transform.norm": "cls.predictions.transform.LayerNorm",
        "generator.weight": "cls.predictions.decoder.weight",
        "generator.bias": ("cls.predictions.decoder.bias", "cls.predictions.bias"),
    },
    spare={
        r"embeddings\.position_ids": number_positions,
        r"cls\.predictions\.(bias|decoder\.(weight|bias))": None,
    },
    prefixes=("bert.",),
)
