"""The drawing of a beam search: no two nodes in one place, and nothing too large to send."""

import json

import pytest

from glassformer import Trace, load_model
from glassformer.app.pages.decoding.beam.beam_tree import FEW, GAP, WENT_ON, plan_tree, tree_data
from glassformer.app.pages.decoding.beam.panel import STAGE
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.decoding.beam import Beam, beam
from glassformer.core.text_models.decodings import task_of

TIRED = "The animal didn't cross the street because it was too tired"
LONG = "I have a cat and you have a dog and we like them and they like us and she is here"
TEXTS = {"label": "tree", "step": "step", "start": "start", "node": "{word}", "fates": {}} | {
    "more": "{count} more",
    "given": "given",
}
Case = tuple[Beam, Trace]


@pytest.fixture(scope="module", params=[(TIRED, 4), (LONG, 8), ("I like you", 1)])
def case(request: pytest.FixtureRequest) -> Case:
    text, size = request.param
    model = load_model()
    trace = model.trace(text)
    return beam(model.transformer, task_of(model, trace), size), trace


@pytest.mark.parametrize("everything", [False, True])
def test_every_node_has_a_place_of_its_own(case: Case, everything: bool) -> None:
    tree, _ = case
    drawn = plan_tree(tree, everything, tree.best.index)
    cells = [(node.length, drawn.lanes[node.index]) for node in drawn.nodes]
    assert len(set(cells)) == len(cells)
    shown = {node.index for node in drawn.nodes}
    assert {node.index for node in tree.nodes if node.fate in WENT_ON} <= shown
    assert all(node.parent in shown for node in drawn.nodes[1:])
    assert drawn.left_out == len(tree.nodes) - len(shown)
    assert drawn.columns == 1 + max(column for column, _ in cells)
    assert {drawn.lanes[node.index] for node in tree.path(tree.best.index)} == {0}


def test_the_focus_moves_nothing_that_went_on(case: Case) -> None:
    tree, _ = case
    one, other = (plan_tree(tree, False, node.index) for node in (tree.nodes[1], tree.best))
    places = [
        {node.index: each.lanes[node.index] for node in each.nodes if node.fate in WENT_ON}
        for each in (one, other)
    ]
    assert places[0] == places[1]


def test_what_did_not_go_on_is_drawn_beside_the_focus_or_all_of_it(case: Case) -> None:
    tree, _ = case
    out = [node for node in tree.nodes if node.fate not in WENT_ON]
    node = tree.path(tree.best.index)[0]
    drawn = plan_tree(tree, False, node.index)
    shown = {each.index for each in drawn.nodes}
    near = {each.index for each in out if each.parent in (node.index, 0)}
    expected = near if len(out) > FEW else {each.index for each in out}
    assert {each.index for each in out} & shown == expected


def test_what_is_sent_stays_small(case: Case) -> None:
    tree, trace = case
    for everything in (False, True):
        drawn = plan_tree(tree, everything, 1)
        data = tree_data(drawn, trace.vocabulary.__getitem__, (), TEXTS, FigureStyle())
        assert len(json.dumps(data, ensure_ascii=False).encode()) < 256 * 1024
        assert data["path"] == [0, 1]
        shown = {each["i"] for each in data["nodes"]}
        for each in data["nodes"]:
            children = {child.index for child in tree.children(each["i"])}
            assert each["n"] == len(children - shown)
        ends = {each["h"]: each["i"] for each in data["nodes"] if each["h"]}
        assert ends[1] == tree.best.index
        widths = [len(data["widths"]), max(each["c"] for each in data["nodes"]) + 1]
        assert widths[0] == widths[1]


def test_in_front_of_a_hall_the_columns_around_the_focus_stand_alone(case: Case) -> None:
    tree, trace = case
    for focus in tree.path(tree.best.index):
        drawn = plan_tree(tree, False, focus.index)
        data = tree_data(
            drawn, trace.vocabulary.__getitem__, (), TEXTS, FigureStyle(), STAGE
        )  # fmt: skip
        assert sum(data["widths"]) + GAP * len(data["widths"]) <= STAGE
        nodes = {each["i"]: each for each in data["nodes"]}
        at = focus.position + 1 - data["first"]
        assert nodes[focus.index]["c"] == at
        assert at < len(data["widths"])
        cells = {(each["c"], each["l"]) for each in data["nodes"]}
        assert len(cells) == len(nodes)
        assert {lane for _, lane in cells} == set(range(data["lanes"]))
        shown = {each.index for each in drawn.nodes} - nodes.keys()
        beside = [each for each in drawn.nodes if each.index in shown and each.fate in WENT_ON]
        assert all(
            not 0 <= each.position + 1 - data["first"] < len(data["widths"]) for each in beside
        )
