"""The number trail on a switched run: what a switch did is said to be its doing, all else holds."""

import pytest

from glassformer import load_model
from glassformer.app.panels.provenance import panel
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.explain.provenance.node import Cell
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.concepts import Shuffled
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Causal, Fill, Lines
from tests.opened_app import opened, state_of

FIRST = "The animal didn't cross the street because it was too tired"
PLACE = "encoder/0/self_attention"
OFF = HeadsOff(PLACE, (1,))
EXPERIMENT = Experiment((OFF, Causal(), Shuffled(3)))


def texts(address: str, experiment: Experiment = EXPERIMENT, **query: str) -> str:
    app = opened("attention", edits=experiment.text, trail=address, **query)
    return "\n".join(each.value for each in (*app.markdown, *app.caption))


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "head 2 of encoder layer 1 off"), ("zh", "编码器第 1 层第 2 头关闭")],
)
def test_a_number_that_a_switch_set_names_the_switch(language: str, said: str) -> None:
    plain = load_model().trace(FIRST)
    shown = texts(f"{PLACE}/context@1,2,3,4", language=language)
    switched = run(EXPERIMENT, load_model(), FIRST)
    assert float(switched[f"{PLACE}/context"][0, 1, 2, 3]) == 0.0
    assert "recorded **0** ✎" in shown or "记录值 **0** ✎" in shown
    assert literal(said) in shown
    assert literal(say("edits.causal_off", language)) not in shown.partition("✎")[2][:200]
    by_hand = (
        switched[f"{PLACE}/weights"][0, 1, 2].double() @ switched[f"{PLACE}/v"][0, 1, :, 3].double()
    )
    assert format_number(float(by_hand), panel.LONG) in shown
    assert plain[f"{PLACE}/context"][0, 1, 2, 3] != 0


@pytest.mark.parametrize(
    "address",
    [
        f"{PLACE}/context@1,1,3,4",  # a head that is on
        f"{PLACE}/weights@1,2,3,4",  # before the switch reaches in
        f"{PLACE}/concat@1,3,20",  # what follows from it
        "output/logits@1,1,9",
    ],
)
def test_other_numbers_of_the_run_agree(address: str) -> None:
    shown = texts(address)
    assert "✓" in shown
    assert "set by a switch" not in shown


def test_the_plain_run_blames_no_switch() -> None:
    shown = texts(f"{PLACE}/context@1,2,3,4", run="first")
    assert "✓" in shown


def test_lost_numbers_can_be_unfolded() -> None:
    lost = Experiment((Lines(PLACE, (), (1,)), Fill("minus_infinity")))
    shown = texts(f"{PLACE}/weights@1,1,2,3", lost)
    assert "NaN" in shown


def test_a_way_through_a_longer_run_is_shown_as_far_as_it_goes() -> None:
    app = opened("attention", trail="output/logits@1,9,9")
    app.button(key="trail_largest").click().run()
    last = state_of(app).trail
    assert state_of(app).way
    app.query_params["edits"] = "positions;sublayer_off"  # writes other words
    app.run()
    assert not app.exception
    assert state_of(app).trail == last


def test_a_cell_is_in_a_run_or_not() -> None:
    trace = load_model().trace("I like you")
    assert panel.is_in(trace, Cell("memory", (0, 0, 0)))
    assert not panel.is_in(trace, Cell("memory", (0, 99, 0)))
    assert not panel.is_in(trace, Cell("memory", (0, 0)))
    assert not panel.is_in(trace, Cell("encoder/norm/mean", (0, 0, 0)))
    assert panel.visited_number(trace, Cell("memory", (0, 0, 0)), FigureStyle())
