"""Marian (Junczys-Dowmunt et al. 2018), the translators of OPUS-MT: the paper with other letters.

Its sentence begins with the padding's id, its waves lie in halves, its words have a bias each.
"""

from typing import Any

from glassformer.core.weights.families import seq2seq
from glassformer.core.weights.family import Facts, Family


def marian_settings(facts: Facts) -> dict[str, Any]:
    """Marian's config in our words: post-norm.

    Two vocabularies where `share_encoder_decoder_embeddings` is off.

    Args:
        facts: its config.json, with the names of its tensors.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config`, as `Facts`; `weights_unsupported` for norms before the
            sub-layers or a norm of the embedding.
    """
    found = {
        **seq2seq.seq2seq_settings(facts),
        "positions": "halves",
        "final_norm": False,
        "generator_bias": True,
    }
    facts.refuse("normalize_before", (False,), "norms before the sub-layers")
    facts.refuse("normalize_embedding", (False,), "a norm of the embedding")
    if not facts.flag("share_encoder_decoder_embeddings", True):
        found["source_vocabulary_size"] = facts.whole("vocab_size")
        found["vocabulary_size"] = facts.whole("decoder_vocab_size", found["vocabulary_size"])
        found["share_embeddings"] = False
    return found


FAMILY = Family(
    kinds=("marian",),
    task="translate",
    settings=marian_settings,
    modules=seq2seq.MODULES,
    spare=seq2seq.SINUSOIDS,
    prefixes=("model.",),
    optional=("generator.bias",),
    ids={"marian": {"eos_token_id": 0, "decoder_start_token_id": 58100}},
)
