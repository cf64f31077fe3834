"""What clicks lead to is sent before they are made: it is what the server sends after them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels import answers
from glassformer.app.runs import traces
from glassformer.app.session.codecs import sections_text
from glassformer.app.session.state import State
from glassformer.app.ui import scripts
from tests.opened_app import opened, state_of
from tests.sent import send

PAGES = {
    "heads": ("attention", {"text": "I have a cat"}),
    "scores": ("attention", {"text": "I have a cat", "stage": "scores", "kind": "cross"}),
    "a cell": ("attention", {"text": "I have a cat", "query": "2", "key": "3", "head": "2"}),
    "lines": ("attention", {"text": "I have a cat", "view": "lines"}),
    "steps": ("decoding", {"text": "I have a cat"}),
    "nodes": ("decoding", {"text": "I have a cat", "decoding": "beam"}),
    "tensors": ("tensors", {"text": "I have a cat", "address": "encoder/0/self_attention/q"}),
    "a pair": ("vectors", {"text": "I have a cat", "positions": "rotation"}),
    "heads of a training": ("training", {"text": "I have a cat", "replay": "attention"}),
}
FEW = 4  # places of each page that are gone to


@pytest.fixture(autouse=True)
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    answers._known.clear()
    traces._traces.clear()  # a full one forgets a run for each that it keeps
    monkeypatch.setattr(answers, "MOST_SECONDS", 1000)  # a slow machine has time for all of it
    with scripts.serve_scripts():
        yield


def sent_to(app: AppTest) -> dict[str, bytes]:
    """What each component of the page was given, by its key."""
    found = [each.proto for each in app.get("bidi_component")]
    return {proto.id.split("-", 2)[-1]: proto.bytes for proto in found}


def changed(data: Any, changes: list[list[Any]]) -> Any:
    whole = {"": json.loads(data)}
    for path, *value in changes:
        *way, last = ["", *path]
        place: Any = whole
        for name in way:
            place = place[name]
        if value:
            place[last] = value[0]
        else:
            del place[last]
    return whole[""]


@pytest.mark.parametrize("name", PAGES)
def test_it_is_what_the_server_sends(name: str) -> None:
    page, query = PAGES[name]
    app = opened(page, **query)
    here, state = sent_to(app), app.session_state["state"]
    asked = json.loads(here["bridge_answers"])
    assert "answered" not in asked  # nobody wants any yet
    send(app, "answers", "ask", {"version": asked["version"]})
    told = asked | json.loads(sent_to(app)["bridge_answers"])["answered"]
    assert {key: crc32(here[key]) for key in told["bases"]} == told["bases"]
    assert len(told["answers"]) >= FEW
    for place, changes, _ in few_of(told):
        fields = dict(zip(told["fields"], place, strict=True))
        app.session_state["state"] = replace(state, **fields)
        there = sent_to(app.run())
        assert changes
        for key, each in changes.items():
            assert changed(here[key], each) == json.loads(there[key]), (key, fields)
        assert "answered" not in json.loads(there["bridge_answers"])  # once
    assert any(each for _, changes, _ in told["answers"] for each in changes.values())


def few_of(told: dict[str, Any]) -> list[Any]:
    """Some of the places, and of each field one where that is another."""
    answers = told["answers"]
    found = answers[:: len(answers) // FEW]
    for at, now in enumerate(told["here"]):
        found += [each for each in answers if each[0][at] != now and each not in found][:1]
    return found


@pytest.mark.parametrize(
    ("name", "moved"),
    [("heads", {"head", "layer", "stage", "kind"}), ("tensors", {"head", "axes", "address"})],
)
def test_each_way_to_go_has_an_answer(name: str, moved: set[str]) -> None:
    page, query = PAGES[name]
    told, _ = answered(opened(page, **query))
    names, here = told["fields"], told["here"]
    found = {
        names[at]
        for place, *_ in told["answers"]
        for at, now in enumerate(here)
        if place[at] != now
    }
    assert moved <= found


def answered(app: AppTest, of: str = "") -> tuple[dict[str, Any], dict[str, bytes]]:
    """What is told of the places nearby, and what each component shows before."""
    here = sent_to(app)
    asked = json.loads(here["bridge_answers"])
    send(app, "answers", "ask", {"version": asked["version"], "of": of})
    return asked | json.loads(sent_to(app)["bridge_answers"])["answered"], here


@pytest.mark.parametrize("back", [False, True])
def test_a_head_that_is_turned_off_is_known_to_who_comes_to_its_switch(back: bool) -> None:
    app = opened("attention", text="I have a goat", kind="cross", layer="2", head="1")
    if back:
        app.button(key="attention_off").click().run()
    runs = len(traces._traces)
    told, here = answered(app)
    assert len(traces._traces) == runs  # nothing is computed for who only looks at other heads
    told, here = answered(app, "attention_off")
    assert len(traces._traces) == runs + (not back)  # the way back is the plain run
    ((place, changes, words),) = told["answers"]
    app.button(key="attention_off").click().run()
    assert dict(zip(told["fields"], place, strict=True))["edits"] == state_of(app).edits
    there = sent_to(app)
    assert {"attention_large", "head_grid", "attention_roles", "attention_terms"} == {*changes}
    for key, each in changes.items():
        assert changed(here[key], each) == json.loads(there[key]), key
    said = [each.value.replace("**", "") for each in app.markdown]
    assert [*words.values()] == [each for each in said if each.startswith("Without this head")]
    assert place != told["here"]
    assert changes["head_grid"]


BENCHES = "clones depth dictionary ngrams one_matrix pull scaling seq2seq skips split why".split()


@pytest.mark.parametrize("bench", BENCHES)
def test_of_the_inputs_of_the_lab_too(bench: str) -> None:
    app = opened("lab", lab=bench)
    here = sent_to(app)
    asked = json.loads(here["bridge_answers"])
    send(app, "answers", "ask", {"version": asked["version"]})
    told = asked | json.loads(sent_to(app)["bridge_answers"])["answered"]
    assert {key: crc32(here[key]) for key in told["bases"]} == told["bases"]
    for place, changes, _ in told["answers"][:: max(1, len(told["answers"]) // FEW)]:
        typed = dict(zip(told["fields"], place, strict=True))
        link = sections_text({bench: typed})
        there = sent_to(opened("lab", lab=bench, inputs=link))
        board = json.loads(there[f"typed_lab_{bench}"])
        shown = {each["name"]: each["value"] for each in board["fields"]}
        assert typed.items() <= shown.items() or (not changes)  # a link that has no answer
        for key, each in changes.items():
            assert changed(here[key], each) == json.loads(there[key]), (key, typed)
    assert any(each for _, changes, _ in told["answers"] for each in changes.values())


def test_no_more_is_sent_than_a_page_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in {"MOST_BYTES": 40_000, "MOST_HEADS": 20_000}.items():
        monkeypatch.setattr(answers, name, most)
    text = "The animal didn't cross the street because it was too tired. " * 4
    app = opened("attention", text=text)
    asked = json.loads(sent_to(app)["bridge_answers"])
    send(app, "answers", "ask", {"version": asked["version"]})
    answered = json.loads(sent_to(app)["bridge_answers"])["answered"]
    assert not answered["whole"]
    assert 20_000 < len(json.dumps(answered["answers"])) < 45_000
    assert 10_000 < len(json.dumps(answered["heads"])) < 22_000


def test_a_run_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("attention", text="I have a horse", layer="2", head="1")
    monkeypatch.setattr(answers, "MOST_SECONDS", 0)
    runs = len(traces._traces)
    assert answered(app, "attention_off")[0]["answers"] == []
    assert len(traces._traces) == runs  # it has been stopped


def test_parts_of_a_map_are_sent_as_far_as_there_is_room() -> None:
    move = answers.Move("grid", "head", "click")
    nearby = [{"head": head} for head in range(1000)]
    page = answers.Answers(State(), (), [move], nearby, draw=lambda state: None)
    parts = answers._parts(page, lambda state: [0.125, 0.25, 0.5, 1.0])
    assert parts == [([head], [0.125, 0.25, 0.5, 1.0]) for head in range(len(parts))]
    assert answers.MOST_PARTS - 100 < len(json.dumps(parts, separators=(",", ":"))) < 11_000


def test_two_who_look_at_the_same_are_sent_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []
    real = answers.answer
    monkeypatch.setattr(answers, "answer", lambda *of: made.append(real(*of)) or made[-1])
    for _ in range(2):
        app = opened("attention", text="I have a cat and a dog")
        asked = json.loads(sent_to(app)["bridge_answers"])
        send(app, "answers", "ask", {"version": asked["version"]})
        assert "answered" in json.loads(sent_to(app)["bridge_answers"])
    assert len(made) == 1


def test_a_question_about_another_run_has_no_answer() -> None:
    app = opened("attention", text="I have a cat")
    asked = json.loads(sent_to(app)["bridge_answers"])
    app.session_state["state"] = replace(app.session_state["state"], text="I have a dog")
    app.run()
    send(app, "answers", "ask", {"version": asked["version"]})
    assert "answered" not in json.loads(sent_to(app)["bridge_answers"])


def test_changes_of_json() -> None:
    for one, other in (
        ({"a": [1, {"b": 2}], "c": 3}, {"a": [1, {"b": 4}], "d": None}),
        ([1, 2], [1]),
        ({"a": 1}, {"a": True}),
        ({"a": {"x": []}}, {"a": {"x": [], "y": 1}}),
    ):
        changes = answers.list_changes(one, other)
        assert json.dumps(changed(json.dumps(one), changes)) == json.dumps(other)
    assert answers.list_changes({"a": 1}, {"a": 1}) == []
