"""The blocks of Figure 1 follow the config, and everything they name is recorded."""

import pytest

from glassformer.core.analysis.blocks import block_at, blocks_of_model
from glassformer.core.trace.graph import addresses
from tests.traces import small_trace

CONFIGS = [
    {},
    {"norm_place": "pre", "final_norm": True},
    {"positions": "none", "encoder_layers": 1, "decoder_layers": 3},
    {"final_norm": True},
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_block_names_what_is_recorded(config: dict[str, object]) -> None:
    trace = small_trace(**config)
    known = set(addresses(trace.config))
    found = blocks_of_model(trace.config)
    assert len({block.id for block in found}) == len(found)
    for block in found:
        assert {block.before, block.after} <= known
        assert not block.inside or block.inside in known
        assert block_at(trace.config, block.id) == block
        if block.stream:
            assert trace[block.stream[0]].shape == trace[block.stream[1]].shape


def kinds(**config: object) -> list[str]:
    return [block.kind for block in blocks_of_model(small_trace(**config).config)]


def test_the_paper_has_add_and_norm_in_one_block_after_each_sublayer() -> None:
    layer = [
        block.id
        for block in blocks_of_model(small_trace().config)
        if block.id.startswith("decoder/1")
    ]
    assert layer == [
        "decoder/1",
        "decoder/1/self_attention", "decoder/1/self_attention_norm",
        "decoder/1/cross_attention", "decoder/1/cross_attention_norm",
        "decoder/1/feed_forward", "decoder/1/feed_forward_norm",
    ]  # fmt: skip
    assert not {"norm", "add", "final_norm"} & set(kinds())


def test_pre_norm_normalises_before_the_sublayer_and_adds_after_it() -> None:
    found = blocks_of_model(small_trace(norm_place="pre", final_norm=True).config)
    first = [block.kind for block in found if block.id.startswith("encoder/0/self")]
    assert first == ["norm", "self_attention", "add"]
    assert [block.kind for block in found].count("final_norm") == 2


def test_a_model_without_positions_has_no_positions_block() -> None:
    assert kinds().count("positions") == 2
    assert "positions" not in kinds(positions="none")


def test_each_block_takes_up_what_the_one_before_it_put_out() -> None:
    for place in ("post", "pre"):
        trace = small_trace(norm_place=place, final_norm=True)
        by_id = {block.id: block for block in blocks_of_model(trace.config)}
        assert trace[by_id["encoder/0"].after].equal(trace[by_id["encoder/1"].before])
        assert trace[by_id["encoder/1"].after].equal(trace[by_id["encoder/norm"].before])
        assert trace[by_id["encoder/norm"].after].equal(trace["memory"])


@pytest.mark.parametrize("wrong", ["", "encoder/9", "nonsense", "encoder/0/weights", "<b>"])
def test_an_unknown_id_is_no_block(wrong: str) -> None:
    assert block_at(small_trace().config, wrong) is None
