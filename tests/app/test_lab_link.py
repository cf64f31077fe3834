"""What is typed into the Lab stands in the link; a link types only what a bench can hold."""

from typing import Any

import pytest

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from tests.opened_app import in_link, opened, state_of, typed_in_lab
from tests.sent import data_of, send


def values(app: Any) -> dict[str, Any]:
    return {field["name"]: field["value"] for field in data_of(app, "typed")["fields"]}


def markdown(app: Any) -> str:
    return "\n".join(each.value for each in app.markdown)


@pytest.mark.parametrize(
    "bench, typed",
    [
        ("scaling", {"d_k": "16", "scores": ["1", "−2", "3"]}),
        ("dictionary", {"names": ["a, b", "5", "(c)"], "query": ["0", "1"]}),
        ("masks", {"mask": [[1, 1, 0, 0]] * 4, "meaning": "hidden", "precision": "float16"}),
        ("layer_norm", {"epsilon": "0.5"}),
        ("batch_norm", {"lengths": ["2", "2"]}),
        ("normalisers", {"shift": "3"}),
        ("depth", {"layers": "3", "seed": "7"}),
        ("split", {"heads": "4", "way": "concat"}),
        ("why", {"view": "time"}),
        ("one_matrix", {"heads": "4"}),
        ("skips", {"whose": "model"}),
        ("clones", {"steps": "3"}),
        ("added", {"positions": ["3", "1"]}),
        ("order", {"seen": "weights"}),
        ("memory", {"way": "split", "kind": "cross", "shape": ["1", "−1", "4", "28"]}),
        ("weighted_values", {"taken": "typed", "typed": ["3", "1"]}),
        ("nearest_words", {"first": "happy", "origin": "mean"}),
    ],
)
def test_typed_inputs_come_back_with_the_link(bench: str, typed: dict[str, Any]) -> None:
    app = typed_in_lab(opened("lab", lab=bench), bench, **typed)
    again = opened("lab", **dict(app.query_params))
    assert not markdown(again).count(say("link.left_out").partition("{")[0])
    shown = values(again)
    assert {name: shown[name] for name in typed} == typed
    assert shown == values(app)


def test_an_example_of_the_notes_too() -> None:
    app = typed_in_lab(
        opened("lab", example="softmax-alternatives"),
        "example_softmax-alternatives",
        scores=["9", "1"],
    )
    again = opened("lab", **dict(app.query_params))
    assert values(again)["scores"] == ["9", "1"]
    assert data_of(again, "typed")["edited"]


def test_only_what_differs_and_can_be_computed_is_in_the_link() -> None:
    app = typed_in_lab(opened("lab", lab="scaling"), "scaling", d_k="16", keys="8")
    assert in_link(app, "scaling") == {"d_k": "16"}
    app = typed_in_lab(app, "scaling", d_k="x")
    assert in_link(app, "scaling") == {"d_k": "16"}
    assert values(app)["d_k"] == "x"  # the reader is still typing
    again = opened("lab", **dict(app.query_params))
    assert values(again)["d_k"] == "16"
    app = send(app, "typed", "typed", {"reset": True, "nonce": "1"})
    assert state_of(app).inputs == ""
    assert values(app)["d_k"] == "64"


def test_the_browsers_back_button_types_what_stood_there_before() -> None:
    app = typed_in_lab(opened("lab", lab="scaling"), "scaling", d_k="16")
    stamp = data_of(app, "typed")["stamp"]
    app.query_params["inputs"] = "scaling:d_k,'32"
    app.run()
    assert values(app)["d_k"] == "32"
    assert data_of(app, "typed")["stamp"] != stamp  # the browser shows it, too


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "bad",
    [
        "scaling:d_k,'x",  # the bench refuses it
        "scaling:d_k,'9999999",
        "scaling:d_k,((1))",  # no input of this kind
        "scaling:scores," + "(" + ",".join(["1"] * 5000) + ")",
        "scaling:nothing,1",
        "depth:layers,3;scaling:keys,!",
    ],
)
def test_what_a_bench_cannot_hold_is_left_out_and_said(bad: str, language: str) -> None:
    app = opened("lab", lab="scaling", inputs=bad, language=language)
    assert in_link(app, "scaling") == {}
    assert in_link(app, "depth") == ({"layers": 3} if "depth" in bad else {})
    assert values(app)["d_k"] == "64"
    name = say("link.inputs", language)
    assert name in markdown(app)


def test_moved_words_and_the_view_of_layer_norm_are_in_the_link() -> None:
    app = opened("lab", lab="order", text="I like you", words="2,1,3,4")
    assert data_of(app, "words")["order"] == [1, 0, 2, 3]
    moved = [3, 1, 0, 2]
    app = send(app, "words", "order", moved)  # type: ignore[arg-type]
    assert list(state_of(app).words) == moved
    app.text_input(key="widget_sentence").set_value("I have a cat").run()
    assert state_of(app).words == ()
    assert state_of(opened("lab", lab="order", words="2,1")).words == ()
    app = opened("lab", lab="layer_norm", norms="stretched")
    assert say("lab_layer_norm.title_stretched") in markdown(app)
