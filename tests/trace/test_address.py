"""The parts of an address, for every address that a run can have."""

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.model.shell import shell_of
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import site_at
from tests.traces import small_trace


def test_the_parts_make_the_text() -> None:
    for text in small_trace():
        at = Address.of(text)
        layer = [] if at.layer is None else [str(at.layer)]
        assert "/".join(filter(None, (at.stack, *layer, at.part, at.name))) == text
        assert at.sibling(at.name) == text
        assert [*at.branches, text] == [
            text[:cut] for cut in range(1, len(text) + 1) if text[cut : cut + 1] in ("/", "")
        ]
        assert at.group == site_at(text).group


def test_sides_and_kinds() -> None:
    cross = Address.of("decoder/1/cross_attention/weights")
    assert (cross.side, cross.key_side, cross.kind) == ("target", "source", "cross")
    assert cross.is_attention and cross.is_cross and not cross.is_causal
    own = Address.of("decoder/1/self_attention_norm/std")
    assert (own.side, own.key_side, own.kind) == ("target", "target", "decoder")
    assert own.is_causal and not own.is_attention
    assert own.sublayer_place == "decoder/1/self_attention"
    first = Address.of("encoder/0/self_attention")
    assert (first.side, first.key_side, first.kind) == ("source", "source", "encoder")
    assert (first.name, first.place, first.layer) == ("", first.text, 0)
    for memory in ("memory", "decoder/0/cross_attention/memory"):
        assert Address.of(memory).side == "source"


def test_a_pattern_has_the_parts_that_it_names() -> None:
    some = Address.of("encoder/*/self_attention/weights")
    assert (some.stack, some.layer, some.part, some.name) == (
        "encoder", None, "self_attention", "weights"
    )  # fmt: skip
    assert Address.of("*/kept").name == "kept"
    assert Address.of("*/cross_attention/weights").is_attention
    assert Address.of("encoder/99999999/self_attention/weights").layer is None


def test_modules_are_those_of_the_model() -> None:
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "vocabulary_size": 12}
    for place in ("pre", "post"):
        given = {**sizes, "norm_place": place, "final_norm": place == "pre"}
        config = ModelConfig(**given)  # type: ignore[arg-type]
        model = shell_of(config)
        for text in addresses(config):
            at = Address.of(text)
            if at.group in ("stack", "residual"):
                continue
            assert isinstance(model.get_submodule(at.module), torch.nn.Module), text
