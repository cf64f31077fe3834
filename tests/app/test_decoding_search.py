"""Strategies and beam tree: what is shown equals plain loops over the model's logits."""

import json
import math
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import Trace, load_model
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.text_models.decodings import task_of
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.tape import Recorder
from tests.opened_app import on_screen, opened, state_of
from tests.plain_decoding import drawn, logits, numbered, shown, top_k, top_p, total

TEXT = "I like you because you are kind"


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def trace(model: Translator) -> Trace:
    return model.trace(TEXT)


def page(question: str, /, **query: str) -> AppTest:
    return opened("decoding", decoding=question, **{"text": TEXT, **query})


def component(app: AppTest, name: str) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith(name))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


def line(app: AppTest, name: str) -> dict[str, Any]:
    lines: list[dict[str, Any]] = component(app, "strategy_rows")["lines"]
    return next(each for each in lines if each["name"] == name)


def texts(app: AppTest, name: str) -> list[str]:
    return [word["text"] for word in line(app, name)["words"]]


def chart(app: AppTest, key: str) -> dict[str, Any]:
    found = next(each for each in app.get("plotly_chart") if key in each.proto.id)
    parsed: dict[str, Any] = json.loads(found.proto.spec)
    return parsed


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption, *app.warning))


@pytest.mark.parametrize("seed", [0, 3])
def test_every_row_is_what_plain_loops_write(model: Translator, trace: Trace, seed: int) -> None:
    app = page("strategies", seed=str(seed), temperature="1.8", top_k="4", top_p="0.8")
    greedy = [step.chosen for step in trace.steps]
    expected = {
        "greedy": greedy,
        "temperature": drawn(model, trace, 1.8, seed, lambda chances: chances),
        "top_k": drawn(model, trace, 1.8, seed, top_k(4)),
        "top_p": drawn(model, trace, 1.8, seed, top_p(0.8)),
    }
    for name, words in expected.items():
        found = line(app, name)
        assert [word["text"] for word in found["words"]] == shown(model, trace, words), name
        ln = float(found["numbers"][0].replace("−", "-"))
        assert ln == pytest.approx(total(model, trace, words), rel=6e-3, abs=1e-3)
        assert found["numbers"][1] == str(len(words))
        for at, word in enumerate(found["words"]):
            own = float(logits(model, trace, words[:at]).softmax(0)[words[at]])
            assert word["share"] == pytest.approx(own, abs=1e-4)
    assert expected["temperature"] != greedy  # hot enough to say something
    new = [word["text"] for word in line(app, "temperature")["words"] if word["new"]]
    assert new and not any(word["new"] for word in line(app, "greedy")["words"])


def test_the_cut_of_a_word_is_drawn_with_its_numbers(model: Translator, trace: Trace) -> None:
    app = page("strategies", strategy="top_k", moment="2", temperature="2", top_k="3")
    words = drawn(model, trace, 2.0, 0, top_k(3))
    row = logits(model, trace, words[:1])
    task = task_of(model, trace)
    own = row.softmax(0)
    row = row.double()
    row[list(task.forbidden)] = -torch.inf
    tempered, order = (row / 2).softmax(0).sort(descending=True, stable=True)
    bars = {each["name"]: each for each in chart(app, "strategies_cut")["data"]}
    assert bars["own"]["x"][:3] == pytest.approx(own[order[:3]].tolist(), abs=1e-5)
    assert bars["tempered"]["x"][:3] == pytest.approx(tempered[:3].tolist(), abs=1e-5)
    alone = torch.Generator().manual_seed(0)
    lots = [float(torch.rand((), dtype=torch.float64, generator=alone)) for _ in range(2)]
    assert bars["lot"]["x"][0] == pytest.approx(lots[1] * float(tempered[:3].sum()), abs=1e-5)
    assert bars["lot"]["y"][1] == int(order[:3].tolist().index(words[1]))
    assert "3 of the words stay" in said(app)


def test_the_same_seed_draws_the_same_and_the_button_the_next() -> None:
    first, again = (page("strategies", seed="7") for _ in range(2))
    assert component(first, "strategy_rows") == component(again, "strategy_rows")
    again.button(key="strategies_again").click().run()
    assert state_of(again).seed == 8
    assert texts(again, "temperature") != texts(first, "temperature")
    table = component(again, "bar_table")
    counts = [row["values"][1] for row in table["rows"]]
    assert sum(counts) == 5 and counts == sorted(counts, reverse=True)
    seeds = sorted(int(seed) for row in table["rows"] for seed in row["texts"][2].split(", "))
    assert seeds == [8, 9, 10, 11, 12]


def test_temperature_nothing_is_greedy_and_cuts_of_nothing_are_temperature() -> None:
    app = page("strategies", temperature="0")
    assert texts(app, "temperature") == texts(app, "top_k") == texts(app, "greedy")
    app = page("strategies", top_k="0", top_p="1", seed="2")
    assert texts(app, "top_k") == texts(app, "top_p") == texts(app, "temperature")
    assert "Nothing is cut" in said(app)


@pytest.mark.parametrize("alpha", ["0", "0.6", "1.8"])
def test_the_ranking_is_worked_out_again(model: Translator, trace: Trace, alpha: str) -> None:
    app = page("beam", alpha=alpha)
    task = task_of(model, trace)
    tree = component(app, "beam_tree")
    nodes = {node["i"]: node for node in tree["nodes"]}
    ids = numbered(trace)
    scores = []
    for row in component(app, "bar_table")["rows"]:
        path, at = list[int](), row["key"]
        while at:
            path.insert(0, ids[nodes[at]["x"]])
            at = nodes[at]["p"]
        ln = total(model, trace, path)
        penalty = ((5 + len(path)) / 6) ** float(alpha)
        shown_numbers = [float(text.replace("−", "-")) for text in row["texts"][2:6]]
        assert shown_numbers == pytest.approx([ln, len(path), penalty, ln / penalty], rel=6e-3)
        assert row["texts"][1] == format_percent(math.exp(ln))
        if path[-1] == task.end:
            scores.append(ln / penalty)
    assert len(scores) >= 4
    assert scores == sorted(scores, reverse=True)


def test_one_beam_is_greedy(trace: Trace) -> None:
    app = page("beam", beams="1")
    best = [node for node in component(app, "beam_tree")["nodes"] if node["b"] and node["i"]]
    assert [node["x"] for node in best] == list(trace.output_tokens)
    app = page("strategies", beams="1")
    assert texts(app, "beam") == texts(app, "greedy")


@pytest.mark.parametrize("beams", ["1", "3", "6"])
def test_more_may_finish_than_the_beam_is_wide(beams: str) -> None:
    app = page("beam", rule="transformers", beams=beams)
    nodes = component(app, "beam_tree")["nodes"]
    ranks = sorted(node["h"] for node in nodes if node["h"])
    assert ranks == list(range(1, len(ranks) + 1))
    assert len(ranks) <= int(beams)


def test_a_node_shows_its_numbers_and_where_it_looked(model: Translator, trace: Trace) -> None:
    node = next(
        each for each in component(page("beam"), "beam_tree")["nodes"]
        if each["f"] == "kept" and each["c"] == 3 and not each["b"]
    )  # fmt: skip
    app = page("beam", node=str(node["i"] + 1), kind="cross", layer="1", head="2")
    ids = numbered(trace)
    tree = component(app, "beam_tree")
    nodes = {each["i"]: each for each in tree["nodes"]}
    words = [ids[nodes[at]["x"]] for at in tree["path"][1:]]
    assert tree["focus"] == node["i"] and len(words) == 3
    recorder, task = Recorder(), task_of(model, trace)
    with torch.no_grad():
        target = torch.tensor([[task.start, *words[:-1]]])
        model.transformer(torch.tensor([task.source]), target, recorder)
    weights = recorder.tensors["decoder/0/cross_attention/weights"][0, 1, -1]
    bars = chart(app, "beam_looks")["data"][0]
    assert bars["x"] == pytest.approx(weights.tolist(), abs=1e-5)
    html = "\n".join(each.proto.body for each in app.get("html"))
    assert format_number(total(model, trace, words)) in html


def test_what_is_switched_is_decoded(trace: Trace) -> None:
    off = Experiment((HeadsOff("decoder/0/cross_attention", tuple(range(4))),))
    app = page("strategies", edits=off.text, run="second")
    switched = on_screen(app).trace
    assert texts(app, "greedy") == list(switched.output_tokens) != list(trace.output_tokens)
    plain = page("strategies", edits=off.text, run="first")
    assert texts(plain, "greedy") == list(trace.output_tokens)
    tree = component(page("beam", edits=off.text, beams="1", run="second"), "beam_tree")
    best = [node["x"] for node in tree["nodes"] if node["b"] and node["i"]]
    assert best == list(switched.output_tokens)


def test_words_given_by_hand_are_kept_and_let_go(trace: Trace) -> None:
    word = trace.vocabulary.index("猫")
    app = page("strategies", forced=f"2:{word}")
    for name in ("greedy", "beam", "temperature", "top_k", "top_p"):
        assert texts(app, name)[1] == "猫"
        assert [each["given"] for each in line(app, name)["words"]].index(True) == 1
    assert "Given by hand: step 2" in said(app)
    app = page("beam", forced=f"2:{word}")
    second = [node for node in component(app, "beam_tree")["nodes"] if node["c"] == 2]
    assert {node["x"] for node in second if node["f"] == "kept"} == {"猫"}
    app.button(key="beam_release").click().run()
    assert state_of(app).forced == ()
    assert not any(node["g"] for node in component(app, "beam_tree")["nodes"])


@pytest.mark.parametrize("question", ["strategies", "beam"])
def test_what_cannot_be_is_said_in_place(question: str) -> None:
    app = page(question, forced="1:999999")
    assert not app.exception
    assert "999999" in said(app)
    app.button(key=f"{question}_release").click().run()
    assert not app.exception and "999999" not in said(app)
    assert component(app, "strategy_rows" if question == "strategies" else "beam_tree")
    wild = page(question, node="900000", moment="40", beams="99", alpha="9", temperature="7")
    assert not wild.exception


@pytest.mark.parametrize("question", ["strategies", "beam"])
@pytest.mark.parametrize("text", ["<b>x</b> $y$ `z`", "你好", "a"])
def test_any_sentence_in_every_language(question: str, text: str) -> None:
    for language in LANGUAGES:
        app = page(question, text=text, language=language)
        assert not app.exception


def test_a_word_has_one_probability_whatever_strategy_wrote_it() -> None:
    app = page("strategies", edits="causal", beams="1")
    greedy, beam = line(app, "greedy"), line(app, "beam")
    assert texts(app, "beam") == texts(app, "greedy")
    assert [word["share"] for word in beam["words"]] == pytest.approx(
        [word["share"] for word in greedy["words"]], abs=1e-4
    )
    assert beam["numbers"] == greedy["numbers"]
