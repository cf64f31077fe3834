"""One head among the switches of an experiment, on the tensors that the runs record."""

from functools import cache

import pytest
import torch

from glassformer import Trace, load_model
from glassformer.core.interventions import Experiment, heads, run
from glassformer.core.interventions.heads import (
    HeadsAlone,
    HeadsFrozen,
    HeadsOff,
    HeadsRedirected,
    HeadsSwapped,
)
from glassformer.core.interventions.masks import Causal
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorScale
from glassformer.core.text_models.translator import Translator

FIRST, SECOND = "encoder/0/self_attention", "encoder/1/self_attention"
CROSS = "decoder/1/cross_attention"


@cache
def model() -> Translator:
    return load_model("translator")


CONFIG = model().config
EVERY = tuple(range(CONFIG.n_heads))


def trace(experiment: Experiment) -> Trace:
    return run(experiment, model(), "I like you", "我 喜欢 你")


def quiet(experiment: Experiment) -> set[tuple[str, int]]:
    """The heads whose recorded output is exactly zero."""
    made = trace(experiment)
    return {
        (address.removesuffix("/context"), head)
        for address in made
        if address.endswith("attention/context")
        for head in EVERY
        if not made[address][0, head].any()
    }


def of(*switches: Switch) -> Experiment:
    return Experiment(switches, "mine")


@pytest.mark.parametrize(
    "experiment",
    [
        of(),
        of(HeadsOff(FIRST, (1, 3)), Causal()),
        of(HeadsOff("encoder/*", (1,)), HeadsOff(FIRST, (2,), "zero")),
        of(HeadsOff("*"), HeadsAlone(CROSS, (0,))),
        of(HeadsAlone("encoder/*", (0, 2))),
        of(HeadsOff("encoder/9/*", (1,)), HeadsOff(CROSS, (7,))),  # neither is in the model
    ],
)
def test_what_is_told_to_be_off_is_off_and_a_toggle_moves_one_head(experiment: Experiment) -> None:
    fits = [each for each in experiment.switches if not of(each).misfits(CONFIG, 4, 4)]
    assert set(heads.silenced_heads(experiment, CONFIG)) == quiet(of(*fits))
    for where, head in ((FIRST, 1), (FIRST, 0), (CROSS, 2)):
        after = heads.toggle_head(experiment, CONFIG, where, head)
        fits = [each for each in after.switches if not of(each).misfits(CONFIG, 4, 4)]
        moved = quiet(of(*fits)) ^ set(heads.silenced_heads(experiment, CONFIG))
        assert moved == {(where, head)}
        assert after.name == "mine"
        back = heads.toggle_head(after, CONFIG, where, head)
        assert (
            heads.silenced_heads(back, CONFIG).keys()
            == heads.silenced_heads(experiment, CONFIG).keys()
        )
        assert (Causal() in after) == (Causal() in experiment)


def test_heads_of_one_attention_share_a_switch() -> None:
    one = heads.toggle_head(of(), CONFIG, FIRST, 2)
    assert one == of(HeadsOff(FIRST, (2,)))
    two = heads.toggle_head(one, CONFIG, FIRST, 0)
    assert two == of(HeadsOff(FIRST, (0, 2)))
    mixed = heads.toggle_head(two, CONFIG, FIRST, 1, "mean")
    assert heads.silenced_heads(mixed, CONFIG) == {
        (FIRST, 0): "zero", (FIRST, 2): "zero", (FIRST, 1): "mean",
    }  # fmt: skip
    assert heads.toggle_head(one, CONFIG, FIRST, 2) == of()


def test_solo_and_out_of_it() -> None:
    solo = heads.toggled_alone(of(HeadsOff(CROSS, (0, 1))), CONFIG, CROSS, 1)
    assert solo == of(HeadsAlone(CROSS, (1,)))
    assert quiet(solo) == {(CROSS, head) for head in EVERY if head != 1}
    assert heads.heads_alone(solo, CONFIG) == {(CROSS, 1)}
    joined = heads.toggle_head(solo, CONFIG, CROSS, 3)
    assert joined == of(HeadsAlone(CROSS, (1, 3)))
    assert heads.toggled_alone(solo, CONFIG, CROSS, 2) == of(HeadsAlone(CROSS, (2,)))
    assert heads.toggled_alone(solo, CONFIG, CROSS, 1) == of()


def test_all_heads_of_a_layer_or_a_kind() -> None:
    every = {(where, head) for where in (FIRST, SECOND) for head in EVERY}
    off = heads.toggled_all(of(HeadsOff(FIRST, (1,))), CONFIG, "encoder/*/self_attention")
    assert len(off.switches) == 1 and quiet(off) == every
    one_on = heads.toggle_head(off, CONFIG, SECOND, 2)
    assert quiet(one_on) == every - {(SECOND, 2)}
    assert quiet(heads.toggled_all(one_on, CONFIG, SECOND)) == every
    assert heads.toggled_all(off, CONFIG, FIRST) == of(HeadsOff(SECOND))
    assert heads.toggled_all(off, CONFIG, "encoder/*/self_attention") == of()


def test_the_way_of_all_that_is_off() -> None:
    given = of(Causal(), HeadsOff(FIRST, (1,)), HeadsAlone(CROSS, (2,)))
    mean = heads.with_way(given, "mean")
    assert set(heads.silenced_heads(mean, CONFIG).values()) == {"mean"}
    assert heads.silenced_heads(mean, CONFIG).keys() == heads.silenced_heads(given, CONFIG).keys()
    assert given.keeping(lambda each: isinstance(each, Causal)) == of(Causal())


def test_where_one_head_looks_is_changed_without_the_others() -> None:
    given = of(HeadsFrozen("encoder/*"), HeadsRedirected(SECOND, (1,), 2))
    assert heads.latest_of_head(given, CONFIG, heads.STEERED, SECOND, 1) == given.switches[1]
    assert heads.latest_of_head(given, CONFIG, heads.STEERED, SECOND, 0) == given.switches[0]
    assert heads.latest_of_head(given, CONFIG, heads.STEERED, CROSS, 0) is None
    free = heads.release_heads(given, CONFIG, heads.STEERED, SECOND, (1,))
    was = trace(of())
    now = trace(free)
    even = torch.full((4,), 0.25)
    for head in EVERY:
        weights = now[f"{SECOND}/weights"][0, head]
        assert torch.equal(weights, even.expand(4, 4)) == (head != 1)
        assert torch.equal(now[f"{FIRST}/weights"][0, head], even.expand(4, 4))
    assert not torch.equal(was[f"{SECOND}/weights"], now[f"{SECOND}/weights"])


def test_a_head_that_the_model_lacks_is_nobodys_business() -> None:
    foreign = of(HeadsAlone(CROSS, (9,)), HeadsOff("encoder/7/self_attention"))
    assert heads.heads_alone(foreign, CONFIG) == set()
    assert heads.silenced_heads(foreign, CONFIG) == {}
    assert heads.release_heads(foreign, CONFIG, (HeadsOff,), CROSS, EVERY) == foreign


def test_off_is_off_whatever_was_switched_first() -> None:
    off, swap = HeadsOff(FIRST, (1,)), HeadsSwapped(FIRST, (0, 1), "context")
    loud = TensorScale(f"{FIRST}/context", by=3.0)
    for switches in ((off, swap, loud), (loud, swap, off), (swap, off, loud)):
        context = trace(of(*switches))[f"{FIRST}/context"][0]
        assert not context[1].any()
        assert context[0].any()


def test_a_swap_ends_for_both() -> None:
    given = of(HeadsSwapped("encoder/*", (0, 2)))
    again = heads.swap_heads(given, CONFIG, HeadsSwapped(FIRST, (2, 1)))
    assert again == of(HeadsSwapped(SECOND, (0, 2)), HeadsSwapped(FIRST, (2, 1)))
    assert heads.latest_of_head(again, CONFIG, (HeadsSwapped,), FIRST, 0) is None
