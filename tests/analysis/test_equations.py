"""The printed equation is the one that was computed."""

import pytest

from glassformer.core.config import ModelConfig
from glassformer.core.explain.equations import equation
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import site_at


def config(**changes: object) -> ModelConfig:
    return ModelConfig(vocabulary_size=30, **changes)  # type: ignore[arg-type]


def test_the_papers_equations_are_those_of_the_table() -> None:
    paper = config(tie_generator=True)
    for address in addresses(paper, dropout=True):
        if "cross_attention" not in address:
            assert equation(paper, address) == site_at(address).equation, address


@pytest.mark.parametrize(
    ("changes", "address", "says", "not_says"),
    [
        ({"embedding_scale": False}, "source/scaled", "E_w", "sqrt"),
        ({"embedding_scale": False}, "source/input", "E_w + PE", "sqrt"),
        ({"positions": "none"}, "source/input", "E_w", "PE"),
        ({"positions": "notes"}, "source/positions", "(2i+1)/D", "?"),
        ({"positions": "halves"}, "source/positions", "D/2+i", "2i+1)}"),
        ({"positions": "learned"}, "source/positions", "P[t]", "sin"),
        ({"activation": "gelu"}, "encoder/0/feed_forward/activation", "GELU", "max"),
        ({"norm_formula": "sample"}, "encoder/0/feed_forward_norm/std", "D - 1", "sigma"),
        ({"norm_formula": "sample"}, "encoder/0/feed_forward_norm/normalized", "s + ", "sqrt"),
        ({"attention_bias": False}, "encoder/0/self_attention/q", "W^Q", "b^Q"),
        ({"attention_bias": False}, "encoder/0/self_attention/output", "W^O", "b^O"),
        ({}, "decoder/0/cross_attention/k", "Z W^K", "x W"),
        ({}, "decoder/0/cross_attention/q", "x W^Q", "Z W"),
        ({}, "decoder/0/self_attention/masked", "-10^9", "infty"),
        ({"mask_fill": "additive"}, "decoder/0/self_attention/masked", "infty", "10^9"),
        ({}, "output/logits", "x W + b", "E^"),
        ({"tie_generator": True, "generator_bias": False}, "output/logits", "x E^", "b"),
    ],
)
def test_a_convention_changes_its_equation(
    changes: dict[str, object], address: str, says: str, not_says: str
) -> None:
    found = equation(config(**changes), address)
    assert says in found
    assert not_says not in found


def test_an_address_no_run_has_is_refused() -> None:
    with pytest.raises(KeyError):
        equation(config(), "encoder/0/nothing")
