"""The Decoding page, step by step: its numbers against the model, and words given by hand."""

import math
import re
from typing import Any

import pytest

from glassformer.app.pages.decoding import run
from glassformer.app.runs.models import get_model, steps_of
from glassformer.app.runs.traces import get_run, get_trace
from glassformer.app.session.state import State
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.concepts import Dropout
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Fill, Lines
from tests.app.decoded import SHORT, TEXT, chart, columns, component, expected, ids_of, plain, said
from tests.opened_app import opened, state_of


def test_the_strip_has_every_step_of_the_run() -> None:
    app = opened("decoding", text=TEXT)
    trace = get_trace(TEXT)
    words = ids_of(trace)
    rows = expected(trace, words)
    found = columns(app)
    assert [each["writes"] for each in found[:-1]] == list(trace.output_tokens[:-1])
    assert found[-1]["writes"] == ""  # the end is a flag
    assert [each["reads"] for each in found] == list(trace.target_tokens)
    for place, each in enumerate(found):
        chance = float(rows[place, words[place]])
        entropy = float(-(rows[place] * rows[place].log()).sum())
        assert each["share"] == pytest.approx(chance, abs=1e-4)
        assert each["percent"] == f"{100 * chance:.1f}%"
        assert float(each["entropy"]) == pytest.approx(entropy, rel=0.05)
        assert not each["forced"]


def test_a_step_shows_its_distribution_and_where_it_looks() -> None:
    app = opened("decoding", text=TEXT, moment="4", kind="cross", layer="1", head="2")
    trace = get_trace(TEXT)
    row = expected(trace, ids_of(trace))[3]
    best = row.topk(10)
    figure = chart(app)
    shares = figure["data"][0]["x"]
    assert shares[:10] == pytest.approx(best.values.tolist(), abs=1e-6)
    assert shares[10] == pytest.approx(1 - float(best.values.sum()), abs=1e-5)
    entropy = float(-(row * row.log()).sum())
    assert f"**{entropy:.3f}** nats" in said(app)
    assert f"between **{math.exp(entropy):.2f}** equally" in said(app)
    weights = trace["decoder/0/cross_attention/weights"][0, 1, 3]
    titles = re.findall(r'title="([^"]*): ([^"]*)"', said(app))
    assert [float(weight) for _, weight in titles[: len(weights)]] == pytest.approx(
        weights.tolist(), rel=1e-4
    )
    own = trace["decoder/0/self_attention/weights"][0, 1, 3, :4]
    assert [float(weight) for _, weight in titles[len(weights) :]] == pytest.approx(
        own.tolist(), rel=1e-4
    )


def test_a_given_word_goes_on_from_there() -> None:
    trace = get_trace(SHORT)
    model = get_model()
    hate = model.tokenizer.vocabulary.id("讨厌")
    app = opened("decoding", text=SHORT, forced=f"2:{hate}", moment="2")
    found = columns(app)
    assert [each["writes"] for each in found[:2]] == [trace.output_tokens[0], "讨厌"]
    assert [each["forced"] for each in found] == [place == 1 for place in range(len(found))]
    words = [model.tokenizer.vocabulary.id(each["writes"] or "<eos>") for each in found]
    rows = expected(trace, words)
    for place, each in enumerate(found):
        assert each["share"] == pytest.approx(float(rows[place, words[place]]), abs=1e-4)
        if place > 1:  # what follows is the model's own choice
            assert words[place] == int(rows[place].argmax())
    assert "<mark>讨厌</mark>" in said(app)
    assert f"would have written **{trace.output_tokens[1]}**" in said(app)
    app.button(key="timeline_release").click().run()
    assert state_of(app).forced == ()
    assert "<mark>" not in said(app)


def test_taking_the_models_own_word_takes_the_mark_away(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = get_trace(SHORT)
    words = ids_of(trace)
    changes: list[dict[str, Any]] = []
    now = State(text=SHORT, forced=((1, 77), (2, 78)))
    monkeypatch.setattr(run.store, "get_state", lambda: now)
    monkeypatch.setattr(run.store, "update", lambda **change: changes.append(change))
    monkeypatch.setattr(run.on_screen, "model_on_screen", lambda: get_model())
    monkeypatch.setattr(run.on_screen, "edits_on_screen", lambda: ())
    decoding = run._of(trace)
    monkeypatch.setattr(run.Decoding, "current", lambda: decoding)
    run.take_word(1, words[1])
    run.take_word(1, 90)
    run.take_word(2, 91)
    run.take_back(2)
    assert changes == [
        {"moment": 1, "forced": ()},
        {"moment": 1, "forced": ((1, 90),)},  # what was given later belonged to another sentence
        {"moment": 2, "forced": ((1, 77), (2, 91))},
        {"moment": 2, "forced": ((1, 77),)},
    ]


def test_a_word_that_does_not_exist_is_said_in_place() -> None:
    app = opened("decoding", text=SHORT, forced="2:99999")
    assert "There is no word number 99999" in plain(app)
    assert not app.exception
    assert [each["forced"] for each in columns(app)] == [False] * len(columns(app))
    app.button(key="timeline_release").click().run()
    assert "99999" not in plain(app)
    app = opened("decoding", text=SHORT, forced="2:99999", decoding="forcing")
    assert "There is no word number 99999" in plain(app)


def test_steps_beyond_the_sentence_are_dropped_and_said() -> None:
    app = opened("decoding", text=SHORT, moment="60", forced="99:5")
    assert state_of(app).moment is None
    assert state_of(app).forced == ()
    assert "decoding step “60”" in plain(app).replace("\\", "")
    assert "forced word “99:5”" in plain(app).replace("\\", "")


def test_a_step_that_the_given_words_do_not_reach_is_said() -> None:
    hate = get_model().tokenizer.vocabulary.id("讨厌")
    app = opened("decoding", text=SHORT, forced=f"2:{hate}", moment="15")
    assert "There is no step 15" in plain(app)
    assert component(app, "decoding_strip")["now"] == len(columns(app)) - 1


def test_a_word_after_the_end_is_not_used_and_that_is_said() -> None:
    app = opened("decoding", text=SHORT, forced="9:77")
    assert "ends before step 9" in plain(app)
    assert not any(each["forced"] for each in columns(app))


def test_a_switched_run_is_decoded_with_its_switches() -> None:
    edits = Experiment((HeadsOff("decoder/1/cross_attention", (0, 1, 2, 3)),)).text
    app = opened("decoding", text=SHORT, edits=edits)
    trace = get_run(Experiment.from_text(edits), SHORT)
    rows = trace["output/probabilities"][0]
    for place, each in enumerate(columns(app)):
        chosen = trace.vocabulary.index(trace.output_pieces[place])
        assert each["share"] == pytest.approx(float(rows[place, chosen]), abs=1e-4)
    plain_trace = get_trace(SHORT)
    assert [each["share"] for each in columns(app)] != [
        round(step.probability, 4) for step in plain_trace.steps
    ]
    assert "every step is a whole pass" in plain(app)
    app = opened("decoding", text=SHORT, edits=edits, decoding="cache")
    assert "nothing is kept" in plain(app)
    assert "The price" not in plain(app)  # of a cache that there is not


def test_a_step_that_looks_ahead_is_said_to() -> None:
    assert "what is written so far" in plain(opened("decoding", text=SHORT))
    shown = plain(opened("decoding", text=SHORT, edits="causal", moment="1"))
    assert "later words too" in shown
    assert "what is written so far" not in shown


def test_dropout_that_the_words_did_not_have_is_said() -> None:
    app = opened("decoding", text=SHORT, edits=Experiment((Dropout(3, 0.2),)).text)
    assert "Dropout acts only in the recorded pass" in plain(app)


def test_what_the_repetition_guard_did_is_said() -> None:
    step = str(next(each for each in steps_of("") if each >= 100))
    trace = get_trace(TEXT, step=step)
    place, guarded = next(
        (place, each.guarded) for place, each in enumerate(trace.steps) if each.guarded is not None
    )
    app = opened("decoding", text=TEXT, step=step, moment=str(place + 1))
    found = columns(app)
    assert [each["guarded"] for each in found] == [each.guarded is not None for each in trace.steps]
    assert f"**{trace.vocabulary[guarded]}** was more probable" in said(app)
    texts = chart(app)["data"][0]["text"]
    at = [index for index, _ in trace.steps[place].candidates].index(guarded)
    assert "would go round in a circle" in texts[at]


@pytest.mark.parametrize("decoding", ["timeline", "forcing", "cache"])
def test_numbers_that_are_none_are_said_and_break_nothing(decoding: str) -> None:
    blind = (Fill("minus_infinity"), Lines("encoder/*/self_attention", (), (0, 1), ()))
    edits = Experiment(blind).text
    app = opened("decoding", text=SHORT, edits=edits, decoding=decoding)
    assert not app.warning
    assert {each["percent"] for each in columns(app)} == {"NaN"}
    if decoding != "cache":
        assert "no numbers (NaN)" in plain(app)


@pytest.mark.parametrize("decoding", ["timeline", "forcing", "cache"])
@pytest.mark.parametrize(
    "text", ["<b>$x$</b> likes **me**", "猫", "yes", "You, and I: a. b? c!", "我爱你。你好"]
)
def test_odd_sentences_are_drawn_in_both_languages(decoding: str, text: str) -> None:
    app = opened("decoding", text=text, decoding=decoding, language="zh")
    assert columns(app)
    assert not app.warning
