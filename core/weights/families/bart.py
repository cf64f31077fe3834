"""BART (Lewis et al. 2019), mBART (Liu et al. 2020): learned positions, an embedding norm."""

from typing import Any

from glassformer.core.weights.families import seq2seq
from glassformer.core.weights.family import Facts, Family


def bart_settings(facts: Facts) -> dict[str, Any]:
    """BART's config in our words.

    Positions begin in the third row of their table; mBART is pre-norm.

    Args:
        facts: its config.json.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config` or `weights_unsupported`, as `Facts`.
    """
    pre = facts.table.get("model_type") == "mbart"
    return {
        **seq2seq.seq2seq_settings(facts),
        "positions": "learned",
        "position_offset": 2,
        "embedding_norm": True,
        "norm_place": "pre" if pre else "post",
        "final_norm": pre,
        "generator_bias": True,
    }


FAMILY = Family(
    kinds=("bart", "mbart"),
    task="translate",
    settings=bart_settings,
    modules=seq2seq.MODULES,
    spare={r"(en|de)coder\.version": None},
    prefixes=("model.",),
    optional=("generator.bias",),
    ids={
        "bart": {"bos_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 2},
        "mbart": {"bos_token_id": 0, "eos_token_id": 2},
    },
)
