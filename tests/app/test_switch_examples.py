"""The examples of the Switch page: each does what its line of text says."""

from functools import cache

import pytest
import torch

from glassformer import Trace, load_model
from glassformer.app.pages.switch.examples.panel import (
    GROUPS,
    ExampleExperiment,
    example_experiments,
    example_translations,
    view_of,
)
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.effect import first_changed
from glassformer.core.text_models.checkpoints import load_about
from glassformer.core.text_models.translator import Translator
from tests.opened_app import opened, state_of
from tests.sent import data_of, send

FIELDS = {"before", "after", "gone", "first", "nan", "less_probable"}
EVERY = pytest.mark.parametrize("example", example_experiments(), ids=lambda each: each.id)


@cache
def model(name: str) -> Translator:
    return load_model(name or None)


def runs(example: ExampleExperiment) -> tuple[Trace, Trace]:
    """What the two translations of the panel are made by."""
    experiment, translator = Experiment.from_text(example.edits), model(example.model)
    if example.second:
        both = (run(experiment, translator, text) for text in (example.text, example.second))
        return next(both), next(both)
    return translator.trace(example.text), run(experiment, translator, example.text)


def log_chance(trace: Trace) -> float:
    rows = trace["output/logits"][0].double().log_softmax(-1)
    words = [trace.vocabulary.index(piece) for piece in trace.output_pieces]
    return float(sum(rows[row, word] for row, word in enumerate(words)))


@EVERY
def test_the_stated_effect_happens(example: ExampleExperiment) -> None:
    expect = example.expect
    assert expect.keys() <= FIELDS
    before, after = runs(example)
    assert (before.direction, after.direction) == (example.direction, example.direction)
    assert before.output_text == expect["before"]
    assert after.output_text == expect["after"]
    if gone := expect.get("gone"):
        assert gone in before.output_tokens
        assert gone not in after.output_tokens
    if "nan" in expect:
        assert bool(after["output/logits"].isnan().any()) is expect["nan"]
    if first := expect.get("first"):
        experiment = Experiment.from_text(example.edits)
        forced = run(experiment, model(example.model), example.text, expect["before"])
        assert forced.output_pieces == before.output_pieces
        assert first_changed(before, forced) == first
    if expect.get("less_probable"):
        assert log_chance(after) < log_chance(before) - 1
    if not example.second and expect["before"] == expect["after"]:
        assert not torch.equal(before["output/logits"], after["output/logits"])


@EVERY
def test_edits_and_view_read(example: ExampleExperiment) -> None:
    experiment = Experiment.from_text(example.edits)
    assert experiment
    assert experiment.text == example.edits
    before, _ = runs(example)
    lengths = len(before.source_tokens), len(before.target_tokens)
    assert experiment.misfits(before.config, *lengths) == {}
    shown = view_of(example)
    assert shown["address"] in before
    for name in example.view:
        assert name in shown
    assert example.group in GROUPS
    for language in LANGUAGES:
        for part in ("name", "note"):
            assert 0 < len(say(f"experiments.{example.id}.{part}", language)) <= 100


def test_there_are_enough_and_the_first_turns_the_pronoun() -> None:
    assert len(example_experiments()) >= 11
    assert len({each.id for each in example_experiments()}) == len(example_experiments())
    assert example_experiments()[0].edits.startswith(
        "heads_redirected:decoder/1/cross_attention,(),5"
    )
    assert sum(each.direction == "zh-en" for each in example_experiments()) >= 3
    groups = [each.group for each in example_experiments()]
    assert sorted(groups, key=GROUPS.index) == groups


def test_what_the_notes_say_of_single_words() -> None:
    """The parts of the notes that the text after does not show by itself."""
    found = {each.id: each for each in example_experiments()}
    taught = load_about("translator")["taught"]["antecedent"]
    assert found["taught"].edits == f"heads_off:{taught['address'][:-8]},({taught['head']})"
    weights = model("").trace(found["taught"].text)[taught["address"]]
    assert int(weights[0, taught["head"], 7].argmax()) == 1  # from "it" to "animal"
    assert model("").config.d_k == 28
    assert model("").config.d_model == 112
    even = runs(found["even"])[1]["decoder/0/self_attention/weights"][0, :, 2]
    assert torch.allclose(even, torch.full_like(even, 1 / even.size(-1)))


def test_a_click_loads_it_and_a_second_one_switches_back() -> None:
    app = opened("switch", text="I love machine learning")
    app = send(app, "example_cards", "pick", {"id": "counts"})
    now, found = state_of(app), next(each for each in example_experiments() if each.id == "counts")
    assert (now.text, now.model, now.edits) == (found.text, found.model, found.edits)
    assert (now.kind, now.layer, now.head, now.result) == ("cross", 0, 2, "words")
    assert data_of(app, "example_cards")["chosen"] == "counts"
    after = "".join(each["text"] for each in data_of(app, "effect_words")["sentences"][1])
    assert after == found.expect["after"]
    app = send(app, "example_cards", "pick", {"id": "counts"})
    now = state_of(app)
    assert (now.edits, now.text, now.model) == ("", "I love machine learning", "")
    assert data_of(app, "example_cards")["chosen"] == ""


def test_changed_parts_are_marked() -> None:
    found = {each.id: each for each in example_experiments()}
    same, one, other = ("Welcome to ", False), ("Beijing", True), ("Shanghai", True)
    assert example_translations(found["city"]) == [[same, one], [same, other]]
    assert example_translations(found["hidden-word"])[0][-1] == (" yesterday", True)
    before, after = example_translations(found["other-noun"])
    assert [text for text, changed in before if changed] == ["动物"]
    assert [text for text, changed in after if changed] == ["马路"]
    assert not any(changed for parts in example_translations(found["even"]) for _, changed in parts)
    for each in example_experiments():
        texts = ["".join(text for text, _ in parts) for parts in example_translations(each)]
        assert texts == [each.expect["before"], each.expect["after"]]


def test_the_gallery_goes_when_something_is_switched() -> None:
    app = opened("switch")
    cards = [card for group in data_of(app, "example_cards")["groups"] for card in group["cards"]]
    assert all(card["results"] for card in cards)
    assert not app.get("plotly_chart")  # no empty frames
    app = send(app, "example_cards", "pick", {"id": "city"})
    cards = [card for group in data_of(app, "example_cards")["groups"] for card in group["cards"]]
    assert not any(card["results"] for card in cards)
    assert app.get("plotly_chart")


def test_two_sentences_come_and_go_together() -> None:
    app = send(opened("switch"), "example_cards", "pick", {"id": "blind"})
    assert state_of(app).second == "欢迎 来 到 北京"
    rows = data_of(app, "effect_words")["rows"]
    assert {line["kind"] for line in rows} == {"same"}
    app = send(app, "example_cards", "pick", {"id": "blind"})
    assert (state_of(app).second, state_of(app).edits) == ("", "")
    app = send(app, "example_cards", "pick", {"id": "nobody"})
    assert state_of(app).edits == ""


def test_names_and_notes_follow_the_language() -> None:
    sent = data_of(opened("switch", language="zh"), "example_cards")
    names = [card["name"] for group in sent["groups"] for card in group["cards"]]
    assert names == [say(f"experiments.{each.id}.name", "zh") for each in example_experiments()]
    assert all(group["cards"] for group in sent["groups"])
