"""The graph names what is recorded, before it is recorded, and it is what the model computes."""

import pytest
import torch

from glassformer.core.trace.graph import addresses, inputs
from glassformer.core.trace.sites import site_at
from tests.traces import small_trace

CONFIGS = [
    {},
    {"norm_place": "pre", "final_norm": True},
    {"positions": "none", "encoder_layers": 1, "decoder_layers": 3},
    {"final_norm": True, "dropout": 0.1},
]
EVERY_CONFIG = pytest.mark.parametrize("config", CONFIGS, ids=str)


@EVERY_CONFIG
def test_everything_but_the_ids_is_made_of_what_was_recorded_before(
    config: dict[str, object],
) -> None:
    found = small_trace(**config).config
    known: set[str] = set()
    late = {"kept"}  # drawn in the model before what it thins out is summed up
    for address in addresses(found, dropout=True):
        read = inputs(found, address)
        assert bool(read) == (site_at(address).name != "ids"), address
        assert set(read) <= known | {each for each in read if site_at(each).name in late}, address
        known.add(address)


@EVERY_CONFIG
def test_a_view_has_the_numbers_of_its_input(config: dict[str, object]) -> None:
    trace = small_trace(**config)
    for address in trace:
        if site_at(address).is_view and site_at(address).name != "mask":
            (before,) = inputs(trace.config, address)
            assert torch.equal(trace[before], trace[address]), address


@EVERY_CONFIG
def test_a_sum_is_that_of_its_inputs(config: dict[str, object]) -> None:
    trace = small_trace(**config)
    for address in trace:
        if site_at(address).name in ("summed", "input"):
            first, second = inputs(trace.config, address)
            assert torch.equal(trace[first] + trace[second], trace[address]), address
