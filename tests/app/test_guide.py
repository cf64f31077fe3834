"""The glossary and the tour as data: every entry is whole, and every link opens what it names."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.frame.guide import glossary_terms, guide_words, tour_stops
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State, clamp
from glassformer.app.ui import scripts
from glassformer.core.explain.steps.steps import step_by_id, steps_of
from tests.browser.screenshots import PAGES
from tests.opened_app import opened

# What a lecture on the paper needs, whatever else is explained.
NEEDED = (
    "query key value d_k d_model n_heads source_length target_length logit softmax residual_stream"
    " layer_norm post_norm pre_norm cross_attention mask end_token teacher_forcing beam kv_cache"
    " entropy logit_lens ablation patching induction_head positional_encoding dropout"
).split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_is_whole_and_short(language: str) -> None:
    found = guide_words(language)
    assert len(found["terms"]) >= 60
    assert {each["id"] for each in found["terms"]} >= set(NEEDED)
    assert {each["topic"] for each in found["terms"]} == found["topics"].keys()
    for each in found["terms"]:
        sentences = re.findall(r"[.。](?=\s|$|[^\d\s])", re.sub(r"\d\.\d", "", each["about"]))
        assert 1 <= len(sentences) <= 3, each["about"]
        assert len(each["about"]) <= 170, each["about"]
        assert each["page"] in PAGES
        assert each["words"]
    owners = [(word, each["id"]) for each in found["terms"] for word in set(each["words"])]
    twice = {word for word, _ in owners if len({of for each, of in owners if each == word}) > 1}
    assert not twice, "a word with two entries"


def test_sections_and_equations_are_those_of_the_paper() -> None:
    sections = {"3", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.4", "3.5"}
    sections |= {"5", "5.1", "5.3", "5.4", "6.1"}
    told = [
        (term["paper"], term.get("equation"))
        for term in glossary_terms().values()
        if "paper" in term
    ]
    assert {section for section, _ in told} <= sections
    assert dict(each for each in told if each[1]).keys() <= {"3.2", "3.2.1", "3.3", "5.3"}
    equations = {"1": {"3.2", "3.2.1"}, "2": {"3.3"}, "3": {"5.3"}}
    assert all(section in equations[number] for section, number in told if number)


def test_where_a_term_is_seen_is_a_state_that_the_run_has() -> None:
    model = load_model()
    trace = model.trace(State().text)
    steps = steps_of(trace.config)
    for name, term in glossary_terms().items():
        state, dropped = State.from_query(term.get("at", {}))
        assert not dropped, name
        assert clamp(state, trace)[1] == (), name
        assert not state.walk or step_by_id(steps, state.walk), name
        assert not state.address or state.address in trace, name


def test_letters_of_shapes_are_told_once() -> None:
    letters = [term["symbol"] for term in glossary_terms().values() if term.get("shape")]
    assert sorted(letters) == sorted(set(letters)) == ["B", "H", "S", "T", "V"]


def test_seven_stops_on_pages_of_the_app() -> None:
    assert len(tour_stops()) == 7
    assert all(stop["page"] in PAGES and stop["find"] for stop in tour_stops())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rerun_carries_the_name_of_the_entries_alone(language: str) -> None:
    app: AppTest = opened("translate", language=language)
    assert not app.exception
    place = next(name for name in scripts._scripts if name.startswith(f"glossary-{language}-"))
    body = scripts._scripts[place]().decode()
    assert body.startswith("export default {")
    for term in guide_words(language)["terms"]:
        assert term["about"] in body
