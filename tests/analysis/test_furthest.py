"""The largest difference of all heads, against a search by hand."""

from pathlib import Path

import pytest
import torch

from glassformer import load_model
from glassformer.core.analysis.attention_views import attention_at
from glassformer.core.analysis.comparison import furthest
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff, HeadsRedirected
from tests.weights.folders import whole

FIRST = "The animal didn't cross the street because it was too tired"


def test_it_is_the_largest_of_every_map() -> None:
    model = load_model()
    plain = model.trace(FIRST)
    switched = run(
        Experiment((HeadsRedirected("encoder/1/self_attention", (0,), 1),)), model, FIRST
    )
    assert switched.output_pieces == plain.output_pieces  # so that every map has its like
    found = furthest((plain, switched), by_place=True)
    assert found is not None
    maps = [address for address in plain if address.endswith("attention/weights")]
    most = {each: float((switched[each] - plain[each]).abs().max()) for each in maps}
    address = max(most, key=most.__getitem__)
    assert f"{attention_at(found.kind, found.layer)}/weights" == address
    step = switched[address] - plain[address]
    assert float(step[0, found.head, found.row, found.column].abs()) == most[address]
    assert abs(float(found.map.difference[found.row, found.column])) == most[address]


def test_nothing_differs_between_a_run_and_itself() -> None:
    trace = load_model().trace("I like you")
    assert furthest((trace, trace), by_place=True) is None


def test_words_of_two_sentences_are_set_side_by_side() -> None:
    model = load_model()
    off = Experiment((HeadsOff("encoder/0/self_attention", (1,)),))
    runs = (model.trace("I like you"), run(off, model, "I like the book"))
    found = furthest(runs, by_place=False)
    assert found is not None
    assert torch.isfinite(torch.tensor(found.map.difference[found.row, found.column]))
    places = [found.map.rows.places[side][found.row] for side in (0, 1)]
    assert min(places) >= 0  # a word that both have


@pytest.mark.parametrize(("kind", "stack"), [("gpt2", "decoder"), ("bert", "encoder")])
def test_a_stack_that_stands_alone(kind: str, stack: str, tmp_path: Path) -> None:
    whole(kind, tmp_path)
    model = load_model(str(tmp_path))
    off = Experiment((HeadsOff(f"{stack}/0/self_attention", (1,)),))
    runs = (model.trace("the cat sat"), run(off, model, "the cat sat"))
    found = furthest(runs, by_place=True)
    assert found is not None and found.kind == stack
