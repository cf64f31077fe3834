"""A model of one stack is recorded, explained and decoded as one of two is."""

from dataclasses import replace

import pytest
import torch

from glassformer.core.explain.equations import equation
from glassformer.core.explain.provenance.unfold import unfold
from glassformer.core.explain.source.code import code
from glassformer.core.explain.steps.places import Chosen, Places
from glassformer.core.explain.steps.steps import for_layer, list_steps, step_of
from glassformer.core.model.stack import model_of
from glassformer.core.trace.graph import addresses, inputs
from glassformer.core.trace.shapes import letter_sizes, recorded_bytes, shape_letters
from glassformer.core.trace.tape import Recorder
from tests.explain.provenance.trail_runs import cells
from tests.trace.one_stack import IDS, KINDS, config_of, one_stack

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_all_that_is_known_is_recorded_and_nothing_else(kind: str) -> None:
    trace, _ = one_stack(kind)
    assert list(trace.tensors) == list(addresses(trace.config))
    assert not any("cross_attention" in each or each == "memory" for each in trace)
    size, known = letter_sizes(trace.config, len(IDS), len(IDS)), set[str]()
    for address in trace:
        assert tuple(trace[address].shape) == tuple(
            size[letter] for letter in shape_letters(address, trace.config)
        )
        assert set(inputs(trace.config, address)) <= known, address
        assert [axis.labels is None or len(axis.labels) for axis in trace.axes(address)]
        known.add(address)
    assert recorded_bytes(trace.config, len(IDS), len(IDS)) > 0


@each_kind
def test_every_number_unfolds_and_every_step_has_equation_and_code(kind: str) -> None:
    trace, model = one_stack(kind)
    for cell in cells(trace, each=3):
        assert unfold(trace, model, cell.address, cell.index).verdict == "agrees", cell
    steps = list_steps(trace)
    assert for_layer(steps)
    places = Places(trace, Chosen())
    for step in steps:
        assert step.kind == "given" or code(trace, step)
        for line in step.lines:
            assert line.latex.count("{") == line.latex.count("}")
            assert places.at(line.output)
    for address in trace:
        assert equation(trace.config, address) and step_of(steps, address)


@pytest.mark.parametrize("kind", ["gpt", "llama"])
def test_a_decoder_alone_remembers_its_keys(kind: str) -> None:
    _, model = one_stack(kind)
    ids = torch.tensor([IDS])
    memory, caches = model.encode(ids[:, :0]), model.new_caches()
    whole = model(ids, ids)
    mask = torch.ones(1, 1, 1, 0, dtype=torch.bool)
    rows = [model.step(ids[:, at : at + 1], memory, mask, caches) for at in range(len(IDS))]
    torch.testing.assert_close(torch.cat(rows, 1), whole, atol=1e-5, rtol=1e-5)
    later = ids.clone()
    later[0, -1] = 7
    assert torch.equal(model(later, later)[:, :-1], whole[:, :-1])  # the future is hidden


@each_kind
def test_maps_that_were_left_out_are_computed_again(kind: str) -> None:
    trace, _ = one_stack(kind)
    maps = [each for each in trace if trace.site(each).per_map]
    kept = {name: each for name, each in trace.tensors.items() if name not in maps}
    without = replace(trace, tensors=kept)
    assert maps
    for address in maps:
        assert torch.equal(without[address], trace[address]), address


def test_an_encoder_without_a_generator_gives_vectors() -> None:
    config, ids, tape = config_of("vectors"), torch.tensor([IDS]), Recorder()
    found = model_of(config)(ids, ids, tape)
    assert found.shape == (1, len(IDS), config.d_model)
    assert not any(each.startswith("output/") for each in tape.tensors)
