"""One choice gives a cell of every tensor; what was not chosen gets an example."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from glassformer.core.analysis.choices import top_words
from glassformer.core.explain.steps.places import Chosen, Places
from glassformer.core.explain.steps.steps import list_steps, nearest_step
from glassformer.core.explain.steps.wires import Cell, Wire, cell, recorded_cell, tensor
from tests.explain.steps.step_runs import NAMES, RUNS, SENTENCES, Run, bundled_run, small_run

EVERY_RUN = pytest.mark.parametrize("run", RUNS, ids=NAMES)
CHOICES = (
    Chosen(),
    Chosen(source=1, head=1, feature=3),
    Chosen(kind="cross", query=1, key=2, target=1),
    Chosen(kind="encoder", query=99, key=99, head=99, feature=99999, source=99),
    Chosen(kind="decoder", query=0, key=0),
)


@EVERY_RUN
@pytest.mark.parametrize("chosen", CHOICES)
def test_every_tensor_has_a_cell_within_it(run: Callable[[], Run], chosen: Chosen) -> None:
    trace, _ = run()
    places = Places(trace, chosen)
    for step in list_steps(trace):
        for wire in (*step.inputs, *step.outputs):
            index = cell(trace, wire, places.at(wire)).index
            sizes = tuple(tensor(trace, wire).shape)
            assert all(0 <= at < size for at, size in zip(index, sizes, strict=True))


@EVERY_RUN
def test_a_number_keeps_its_place_when_it_is_only_moved(run: Callable[[], Run]) -> None:
    trace, _ = run()
    places = Places(trace, Chosen())
    for step in list_steps(trace):
        for each in step.regroupings:
            values = {
                float(tensor(trace, wire)[cell(trace, wire, places.at(wire)).index])
                for wire in each.stages
            }
            assert len(values) == 1


def test_the_example_is_the_pronoun_and_the_row_that_looks_at_it_most() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    places = Places(trace, Chosen())
    assert trace.source_tokens[places.source] == "it"
    layers = (trace[f"decoder/{layer}/cross_attention/weights"][0] for layer in range(2))
    looks = torch.cat(list(layers)).mean(dim=0)[:, places.source]  # (T,)
    written = [row for row, token in enumerate(trace.output_tokens) if token != "，"]
    assert places.target == max(written, key=lambda row: float(looks[row]))


def test_the_example_of_a_head_is_its_largest_weight_on_another_word() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    where = "encoder/0/self_attention"
    pair = Places(trace, Chosen(head=2)).pair(where)
    assert (pair.head, pair.query) == (2, Places(trace, Chosen()).source)
    row = trace[f"{where}/weights"][0, 2, pair.query].tolist()
    others = [weight for at, weight in enumerate(row[:-1]) if at != pair.query]  # not the end
    assert row[pair.key] in (max(others), max(row))


def test_a_chosen_pair_and_word_are_kept() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    places = Places(trace, Chosen(kind="cross", query=2, key=4, head=3))
    pair = places.pair("decoder/1/cross_attention")
    assert (pair.head, pair.query, pair.key) == (3, 2, 4)
    assert (places.source, places.target) == (4, 2)
    assert places.pair("encoder/0/self_attention").query == 4
    assert places.pair("decoder/0/self_attention").query == 2


@EVERY_RUN
def test_arranged_numbers_lead_to_where_they_are_recorded(run: Callable[[], Run]) -> None:
    trace, _ = run()
    places = Places(trace, Chosen())
    for step in list_steps(trace):
        for wire in (*step.inputs, *step.outputs):
            chosen = cell(trace, wire, places.at(wire))
            found = recorded_cell(trace, chosen)
            if found is None:
                assert wire.form in ("added", "dropped")
                continue
            value = float(trace[found.wire.address][found.index])
            if wire.form != "chosen":
                assert value == float(tensor(trace, wire)[chosen.index])


def test_the_apart_form_is_recorded_by_head() -> None:
    trace, _ = small_run()
    found = recorded_cell(trace, Cell(Wire("encoder/0/self_attention/q", "apart"), (0, 2, 1, 3)))
    assert found == Cell(Wire("encoder/0/self_attention/q"), (0, 1, 2, 3))


@EVERY_RUN
def test_top_words_are_sorted_and_hold_the_chosen_one(run: Callable[[], Run]) -> None:
    trace, _ = run()
    for row in range(len(trace.target_tokens)):
        words = top_words(trace, row, 4)
        assert len(words) == 4
        assert sum(word.chosen for word in words) == 1
        scores = [word.logit for word in words]
        assert scores == sorted(scores, reverse=True)
        for word in words:
            recorded_chance = trace["output/probabilities"][0, row, word.index]
            assert word.probability == float(recorded_chance)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", "source.lookup"),
        ("output.softmax", "output.softmax"),
        ("encoder.7.self_attention.scale", "encoder.1.self_attention.scale"),
        ("encoder.x.self_attention.scale", "encoder.0.self_attention.scale"),
        ("output.logit", "output.logits"),
    ],
)
def test_an_unknown_step_leads_to_the_nearest(asked: str, found: str) -> None:
    trace, _ = bundled_run(SENTENCES[0])
    assert nearest_step(list_steps(trace), asked).id == found


def test_nonsense_leads_somewhere() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    for asked in ("!", "....", "encoder", "你好", "x" * 500):
        assert nearest_step(list_steps(trace), asked) in list_steps(trace)
