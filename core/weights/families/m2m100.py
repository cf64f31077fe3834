"""M2M-100 (Fan et al. 2020) and NLLB (2022): pre-norm, waves from 1 to 10000 exactly."""

from typing import Any

from glassformer.core.weights.families import seq2seq
from glassformer.core.weights.family import Facts, Family


def m2m100_settings(facts: Facts) -> dict[str, Any]:
    """The config of M2M-100 or NLLB in our words.

    Positions are counted from behind the padding's id.

    Args:
        facts: its config.json, with the names of its tensors.

    Returns:
        The fields of `ModelConfig`, but for dropout.

    Raises:
        GlassformerError: `weights_config` or `weights_unsupported`, as `Facts`.
    """
    found = seq2seq.seq2seq_settings(facts)
    return {
        **found,
        "positions": "spread",
        "position_offset": found["pad_id"] + 1,
        "norm_place": "pre",
        "final_norm": True,
        "generator_bias": False,
    }


FAMILY = Family(
    kinds=("m2m_100",),
    task="translate",
    settings=m2m100_settings,
    modules=seq2seq.MODULES,
    spare=seq2seq.SINUSOIDS,
    prefixes=("model.",),
    ids={"m2m_100": {"bos_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 2}},
)
