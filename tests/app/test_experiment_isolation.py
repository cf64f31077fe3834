"""Two sessions with different experiments at once never see each other's; links reopen them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch
from streamlit.runtime.runtime import Runtime
from streamlit.testing.v1 import AppTest, app_test

from app import service, traces
from core import load_model
from core.edits import Experiment, run
from core.edits.conventions import ActivationIs, PositionTable
from core.edits.heads import HeadsAlone, HeadsOff
from core.edits.masks import Causal
from core.edits.tensors import TensorScale
from tests.opened_app import opened, state_of

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
    return dict(app.session_state["kept_shown"].trace.tensors)


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
        found = list(pool.map(lambda place: service.get_run(EXPERIMENTS[place], FIRST), order))
    for place, trace in zip(order, found, strict=True):
        assert same(dict(trace.tensors), alone[place]), EXPERIMENTS[place]
    after = service.get_model("").transformer.parameters()
    assert all(torch.equal(one, two) for one, two in zip(weights, after, strict=True))


@pytest.fixture
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sessions without a browser share one stand-in of the server: it stays until both are done."""

    class Kept(type):
        def __setattr__(cls, name: str, value: object) -> None:
            if value is not None:
                setattr(Runtime, name, value)

    class Server(Runtime, metaclass=Kept):
        pass

    monkeypatch.setattr(app_test, "Runtime", Server)
    yield
    Runtime._instance = None


@pytest.mark.usefixtures("two_at_once")
def test_two_sessions_at_once_see_their_own(alone: list[dict[str, torch.Tensor]]) -> None:
    barrier = Barrier(2)

    def session(place: int) -> list[tuple[int, dict[str, torch.Tensor], str]]:
        app, seen = opened("tensors", edits=EXPERIMENTS[place].text), []
        for other in (place, place + 2):  # then another experiment, at the same moment
            barrier.wait(timeout=60)
            app.query_params["edits"] = EXPERIMENTS[other].text
            app.run()
            assert not app.exception
            seen.append((other, shown(app), state_of(app).edits))
        return seen

    with ThreadPoolExecutor(2) as pool:
        for seen in pool.map(session, (1, 2)):
            for place, tensors, edits in seen:
                assert edits == EXPERIMENTS[place].text
                assert same(tensors, alone[place])


def test_what_one_session_keeps_another_does_not_see() -> None:
    one = opened("attention", edits=EXPERIMENTS[1].text)
    two = opened("attention")
    one.session_state["kept_experiments"] = {"mine": EXPERIMENTS[1]}
    two.run()
    assert state_of(two).edits == ""
    assert "kept_experiments" not in two.session_state
    assert one.session_state["kept_shown"].applied == EXPERIMENTS[1]
    assert two.session_state["kept_shown"].applied == Experiment()


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
        service.get_run(each, FIRST)
    plain = service.get_run(Experiment(), FIRST)
    assert same(dict(plain.tensors), alone[0])
    assert plain[CONTEXT][:, 0].any()
