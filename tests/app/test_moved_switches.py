"""After another sentence is typed, the stage bar says which switch touches which word now."""

import pytest

from glassformer.app.frame.notices import switch_places
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.heads import HeadsOff, HeadsRedirected
from glassformer.core.interventions.masks import Lines, Painted
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorSet
from tests.opened_app import opened, state_of
from tests.sent import send

PLACE, CROSS = "encoder/0/self_attention", "decoder/0/cross_attention"


@pytest.mark.parametrize(
    "switch, named",
    [
        (HeadsRedirected(PLACE, (), 1, (2,)), [("source", 2), ("source", 1)]),
        (HeadsRedirected(CROSS, (), 1, (2,)), [("target", 2), ("source", 1)]),
        (Lines(CROSS, (), (3,), (0,)), [("target", 3), ("source", 0)]),
        (Painted(PLACE, (), ((2, 1, 2),)), [("source", 2), ("source", 1), ("source", 2)]),
        (TensorSet("memory", (("position", (1,)),)), [("source", 1)]),
        (TensorSet("decoder/0/input", (("position", (1,)),)), [("target", 1)]),
        (TensorSet(f"{CROSS}/weights", (("query", (1,)), ("key", (2,)))),
         [("target", 1), ("source", 2)]),
        (HeadsOff(PLACE, (1,)), []),
    ],
)  # fmt: skip
def test_the_positions_that_a_switch_names(switch: Switch, named: list[tuple[str, int]]) -> None:
    assert switch_places(switch) == named


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_sentence_under_a_switch_is_said_until_it_is_seen(language: str) -> None:
    edits = Experiment((HeadsRedirected(PLACE, (), 1), HeadsOff(PLACE, (0,)))).text
    app = opened("attention", text="I like you", edits=edits, language=language)
    ends = say("experiment.moved", language, switch="|", before="“like”", after="“have”")
    ends = ends.rpartition("|")[2]
    assert ends not in "".join(each.value for each in app.markdown)
    app.text_input(key="widget_sentence").set_value("I have a cat").run()
    assert ends in "".join(each.value for each in app.markdown)
    seen = next(b for b in app.button if b.label == say("experiment.way_seen", language))
    seen.click().run()
    assert ends not in "".join(each.value for each in app.markdown)
    assert state_of(app).edits == edits


def test_undo_is_a_way_out_and_an_example_brings_its_own_words() -> None:
    edits = Experiment((HeadsRedirected(PLACE, (), 1),)).text
    app = opened("switch", text="I like you", edits=edits)
    app.text_input(key="widget_sentence").set_value("I have a cat").run()
    undo = next(b for b in app.button if b.label == say("experiment.way_undo", "en"))
    undo.click().run()
    assert state_of(app).text == "I like you"
    for example in ("other-noun", "giver"):
        app = send(app, "example_cards", "pick", {"id": example})
        assert "in this sentence it touches" not in "".join(each.value for each in app.markdown)
