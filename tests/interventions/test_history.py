"""Undo, redo, the click that takes a switch away, and two experiments compared."""

from dataclasses import replace
from itertools import pairwise

from glassformer.core.interventions import Experiment, History
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Causal, Fill, PaddingOff
from glassformer.core.interventions.switch import Switch

LAST = Experiment((Causal(), Fill(), PaddingOff()), name="named")


def test_undo_and_redo() -> None:
    steps = [Experiment((Causal(),)), Experiment((Causal(), Fill())), LAST]
    history = History(Experiment())
    for step in steps:
        history = history.having(step)
    assert history.having(LAST) is history
    assert history.undone().now == steps[1]
    assert history.undone().undone().redone() == history.undone()
    assert history.undone().redone() == history
    assert history.undone().undone().undone().undone().now == Experiment()
    assert history.redone() is history
    assert history.undone().having(Experiment()).future == ()
    for index in range(300):
        history = history.having(Experiment(name=str(index)))
    assert len(history.past) == 100
    assert all(a != b for a, b in pairwise(history.past))


def test_a_slot_holds_one_switch_and_a_click_takes_it_away() -> None:
    one = HeadsOff("encoder/0/self_attention", (1,))
    both: tuple[Switch, ...] = (one, HeadsOff("encoder/0/self_attention", (2,)))
    experiment = Experiment().having(both[0]).having(both[1])
    assert experiment.switches == both
    meant = replace(one, way="mean")
    assert experiment.having(meant).switches == (both[1], meant)
    assert experiment.toggled(one).switches == (both[1],)
    assert experiment.toggled(one).toggled(one).switches == both[::-1]


def test_two_experiments_beside_each_other() -> None:
    first, second = Experiment((Causal(), Fill())), Experiment((Fill(), PaddingOff()))
    assert first.keeping(second.__contains__).switches == (Fill(),)
    assert first.keeping(lambda each: each not in second).switches == (Causal(),)
    assert second.keeping(lambda each: each not in first).switches == (PaddingOff(),)
