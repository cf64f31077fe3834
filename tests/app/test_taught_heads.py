"""Heads that were taught where to look are marked, in both languages, and no other head is."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels.attention.heads import taught_note
from glassformer.app.runs import on_screen
from glassformer.core.text_models.checkpoints import load_about
from tests.opened_app import opened

MODEL = "translator"
PLAIN = "translator-plain"
PLACES = [("cross", "2", "1", "alignment"), ("encoder", "2", "1", "antecedent")]
WORD = {"en": "◥ taught", "zh": "◥ 教过"}
NO_CAUSE = {"en": "not a cause", "zh": "不是原因"}


def marked(app: AppTest, language: str) -> list[str]:
    """The hover texts of the titles with the mark."""
    return [each.help for each in app.markdown if WORD[language] in each.value]


def grid(app: AppTest) -> list[dict[str, Any]]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith("head_grid"))
    items: list[dict[str, Any]] = json.loads(data.bytes)["items"]
    return items


def test_the_places_below_are_those_of_the_bundled_model() -> None:
    heads = load_about(MODEL)["taught"]
    assert heads["alignment"] == {"address": "decoder/1/cross_attention/weights", "head": 0}
    assert heads["antecedent"] == {"address": "encoder/1/self_attention/weights", "head": 0}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("kind", "layer", "head", "lesson"), PLACES)
@pytest.mark.parametrize("page", ["attention", "training"])
def test_a_taught_head_is_marked(
    page: str, kind: str, layer: str, head: str, lesson: str, language: str
) -> None:
    place = {"kind": kind, "layer": layer, "head": head, "language": language}
    app = opened(page, model=MODEL, replay="attention", **place)
    (note,) = marked(app, language)
    assert NO_CAUSE[language] in note
    chosen = [item for item in grid(app) if item["marked"]]
    assert [(item["layer"], item["head"]) for item in chosen] == [(1, 0)]
    assert note in chosen[0]["title"]
    other = opened(page, model=MODEL, replay="attention", **place | {"head": "2"})
    assert not marked(other, language)


def test_the_film_strip_says_it_too() -> None:
    place = {"replay": "film", "kind": "cross", "layer": "2"}
    assert marked(opened("training", model=MODEL, head="1", **place), "en")
    assert not marked(opened("training", model=MODEL, **place), "en")  # the mean of all heads


@pytest.mark.parametrize("page", ["translate", "training"])
def test_the_lines_between_words_say_it_too(page: str) -> None:
    place = {"kind": "cross", "layer": "2"}
    (note,) = marked(opened(page, model=MODEL, head="1", **place), "en")
    assert NO_CAUSE["en"] in note
    assert not marked(opened(page, model=MODEL, **place), "en")


@pytest.mark.parametrize("page", ["attention", "training"])
def test_nothing_is_marked_in_the_plain_model(page: str) -> None:
    app = opened(page, model=PLAIN, kind="cross", layer="2", head="1", replay="attention")
    assert not marked(app, "en")
    assert not any(item["marked"] for item in grid(app))


def test_a_model_that_is_not_there_has_no_taught_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_screen, "made_by", lambda: ("nowhere", ""))
    assert taught_note("cross", 1, 0) == ""
