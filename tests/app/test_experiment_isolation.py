"""Two sessions with different experiments at once never see each other's; links reopen them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.runs import traces
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_run
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.concepts import ActivationIs, PositionTable
from glassformer.core.interventions.heads import HeadsAlone, HeadsOff
from glassformer.core.interventions.masks import Causal
from glassformer.core.interventions.tensors import TensorScale
from tests.opened_app import drawn, memory, on_screen, opened, state_of

FIRST = "The animal didn't cross the street because it was too tired"
CONTEXT = "encoder/0/self_attention/context"
EXPERIMENTS = (
    Experiment(),
    Experiment((HeadsOff("encoder/0/self_attention", (0,)),)),
    Experiment((HeadsOff("encoder/0/self_attention", (1,), "mean"), Causal())),
    Experiment((HeadsAlone("*", (2,)), ActivationIs())),
    Experiment((PositionTable(), TensorScale("memory", (("position", (1,)),), 0.5))),
)


@pytest.fixture(scope="module")
def alone() -> list[dict[str, torch.Tensor]]:
    """Each experiment run by itself, by a model that nothing was cached for."""
    return [dict(run(each, load_model(), FIRST).tensors) for each in EXPERIMENTS]


def shown(app: AppTest) -> dict[str, torch.Tensor]:
    return dict(drawn(app).tensors)


def same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> bool:
    """Bit for bit, and no tensor more or less."""
    return found.keys() == expected.keys() and all(
        torch.equal(found[address], expected[address]) for address in expected
    )


def test_runs_of_a_thread_pool_are_those_of_each_alone(
    alone: list[dict[str, torch.Tensor]],
) -> None:
    traces._traces.clear()  # so that the runs are made at the same time
    order = [place % len(EXPERIMENTS) for place in range(20)]
    weights = [each.clone() for each in load_model().transformer.parameters()]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda place: get_run(EXPERIMENTS[place], FIRST), order))
    for place, trace in zip(order, found, strict=True):
        assert same(dict(trace.tensors), alone[place]), EXPERIMENTS[place]
    after = get_model("").transformer.parameters()
    assert all(torch.equal(one, two) for one, two in zip(weights, after, strict=True))


def test_two_sessions_in_turn_see_their_own(alone: list[dict[str, torch.Tensor]]) -> None:
    """Streamlit's stand-in of a session is not made for threads; two browsers at once are."""
    sessions = {place: opened("tensors", edits=EXPERIMENTS[place].text) for place in (1, 2)}
    for step in (0, 2):  # then another experiment
        for place, app in sessions.items():
            app.query_params["edits"] = EXPERIMENTS[place + step].text
            app.run()
            assert not app.exception
        for place, app in sessions.items():
            app.run()  # after the other one has switched
            assert state_of(app).edits == EXPERIMENTS[place + step].text
            assert same(shown(app), alone[place + step])


def test_what_one_session_keeps_another_does_not_see() -> None:
    one = opened("attention", edits=EXPERIMENTS[1].text)
    two = opened("attention")
    memory(one).experiments = {"mine": EXPERIMENTS[1]}
    two.run()
    assert state_of(two).edits == ""
    assert memory(two).experiments == {}
    assert on_screen(one).applied == EXPERIMENTS[1]
    assert on_screen(two).applied == Experiment()


@pytest.mark.parametrize("place", range(1, len(EXPERIMENTS)))
def test_a_link_reopens_the_same_experiment_and_numbers(
    place: int, alone: list[dict[str, torch.Tensor]]
) -> None:
    app = opened("tensors", edits=EXPERIMENTS[place].text)
    again = opened("tensors", **{name: "".join(value) for name, value in app.query_params.items()})
    assert state_of(again) == state_of(app)
    assert same(shown(again), alone[place])


def test_the_plain_run_is_untouched_by_experiments(alone: list[dict[str, torch.Tensor]]) -> None:
    for each in EXPERIMENTS[1:]:
        get_run(each, FIRST)
    plain = get_run(Experiment(), FIRST)
    assert same(dict(plain.tensors), alone[0])
    assert plain[CONTEXT][:, 0].any()
