"""A config says what is wrong and how to mend it."""

from collections.abc import Callable
from typing import Any

import pytest

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError

Maker = Callable[..., ModelConfig]


def test_defaults_are_the_papers_base_model() -> None:
    config = ModelConfig(vocabulary_size=37000)
    assert (config.d_model, config.n_heads, config.d_k, config.d_ff) == (512, 8, 64, 2048)
    assert (config.encoder_layers, config.decoder_layers, config.dropout) == (6, 6, 0.1)
    assert (config.norm_place, config.positions, config.embedding_scale) == ("post", "paper", True)


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"d_model": 16, "n_heads": 5}, "choose n_heads from 2, 4, 8"),
        ({"d_model": 15, "n_heads": 5}, "make it even"),
        ({"n_heads": 0}, "at least 1"),
        ({"dropout": 1.0}, "below 1"),
        ({"dropout": "much"}, "must be a number"),
        ({"positions": "waves"}, "'paper', 'notes', 'halves', 'learned', 'none'"),
        ({"encoder_layers": 0, "decoder_layers": 0}, "at least 1"),
        ({"kv_heads": 3}, "cannot share 3"),
        ({"positions": "rotary", "head_width": 3}, "make it even"),
        ({"positions": "relative", "tie_attention": True}, "cannot be shared"),
        ({"positions": "relative", "relative_buckets": 7}, "must be even"),
        ({"positions": "relative", "relative_buckets": 2}, "at least 4"),
        ({"positions": "relative", "relative_distance": 16}, "half of relative_buckets"),
        ({"has_generator": False, "generator_bias": False}, "has to write words"),
        ({"rotary_base": 0.0}, "negative"),
        ({"norm_place": "sandwich"}, "'post', 'pre'"),
        ({"final_norm": 1}, "true or false"),
        ({"d_ff": 2.5}, "whole number"),
        ({"norm_epsilon": -1.0}, "negative"),
        ({"pad_id": 30}, "outside a vocabulary of 30"),
    ],
)
def test_a_wrong_config_names_the_fix(
    small_config: Maker, changes: dict[str, Any], hint: str
) -> None:
    with pytest.raises(GlassformerError, match=hint):
        small_config(**changes)


def test_an_odd_width_is_fine_without_sines(small_config: Maker) -> None:
    assert small_config(d_model=15, n_heads=5, positions="learned").d_k == 3


def test_round_trip_through_a_file(small_config: Maker) -> None:
    config = small_config(positions="halves", tie_generator=True)
    assert ModelConfig.from_dict(config.to_dict()) == config
    with pytest.raises(GlassformerError, match="unknown setting turning"):
        ModelConfig.from_dict({**config.to_dict(), "turning": True})
    with pytest.raises(GlassformerError, match="vocabulary_size is missing"):
        ModelConfig.from_dict({})
