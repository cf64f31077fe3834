"""Two sentences that a model reads together, in the app: two boxes, a link, a saved run."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.switch.tensor_draft import parse_places
from glassformer.app.panels.address_words import run_lines
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_ablated_heads, get_trace
from glassformer.core.analysis.export import run_bytes
from glassformer.core.interventions import Experiment
from tests.opened_app import drawn, on_screen, opened, state_of
from tests.opened_files import open_in
from tests.sent import data_of
from tests.weights.folders import whole


@pytest.fixture(scope="module", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The operator's folder: a model that reads pairs, and one that reads one text alone."""
    root = tmp_path_factory.mktemp("models")
    for name in ("bert", "gpt2"):
        (root / name).mkdir()
        whole(name, root / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_MODELS", str(root))
        yield root


def said(app: AppTest) -> str:
    shown = [each.value for each in (*app.markdown, *app.caption)]
    return html.unescape(re.sub(r"<[^>]+>", "", "\n".join(shown)))


def test_a_tab_divides_a_pair_of_sentences() -> None:
    app = opened(model="bert", text="the cat ___\tit ___")
    assert not app.exception and drawn(app).text_pair == "it ___"
    assert "‖" in "".join(part for part, _ in data_of(app, "headline")["parts"])
    trace = get_trace("the cat ___\tit ___", "auto", "bert")
    assert (trace.source_text, trace.text_pair) == ("the cat ___", "it ___")
    heads = get_ablated_heads(Experiment(), trace.line, "auto", "bert")
    assert len(heads[0].before) == len(trace.source_pieces)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_second_box_takes_the_sentence_that_is_read_together(language: str) -> None:
    app = opened(model="bert", text="the cat ___", language=language)
    box = app.text_input(key="widget_text_pair")
    assert box.label == ("Second sentence (segment B)" if language == "en" else "第二句（片段 B）")
    alone = drawn(app)
    box.set_value("it ___").run()
    trace = drawn(app)
    assert not app.exception and (trace.source_text, trace.text_pair) == ("the cat ___", "it ___")
    asked = get_model("bert").trace("the cat ___", text_pair="it ___")
    assert torch.equal(trace["output/logits"], asked["output/logits"])
    assert trace is get_trace("the cat ___\tit ___", "auto", "bert") is not alone
    link = state_of(app).to_query()
    assert link["text_pair"] == "it ___"
    again = opened(**link)
    assert drawn(again) is trace
    assert again.text_input(key="widget_text_pair").value == "it ___"
    made: dict[str, Any] = {}
    lines = run_lines(trace, state_of(app))
    assert "text_pair='it ___'" in lines[-1]
    exec("\n".join(lines), made)
    assert torch.equal(made["trace"]["output/logits"], trace["output/logits"])
    box = app.text_input(key="widget_text_pair")
    box.set_value("").run()
    assert drawn(app) is alone


def test_a_tab_in_a_link_becomes_two_boxes_and_both_sentences_read_the_same_pair() -> None:
    app = opened(model="bert", text="the cat ___\tit ___", second="the house ___")
    state = state_of(app)
    assert (state.text, state.text_pair) == ("the cat ___", "it ___")
    pair = on_screen(app).pair
    assert pair is not None
    assert [each.text_pair for each in (pair.first, pair.second)] == ["it ___", "it ___"]


@pytest.mark.parametrize(
    ("language", "part"), [("en", "reads one text alone"), ("zh", "一次只读一段文字")]
)
def test_a_model_of_one_text_leaves_the_second_out_and_says_so(language: str, part: str) -> None:
    app = opened(model="bert", text="the cat ___", text_pair="it ___", language=language)
    app.selectbox(key=f"widget_model_{language}").set_value("gpt2").run()
    assert not app.exception and drawn(app).model_name == "gpt2"
    assert (state_of(app).text, state_of(app).text_pair) == ("the cat ___", "")
    assert part in said(app)
    assert not [box for box in app.text_input if box.key == "widget_text_pair"]
    app.selectbox(key=f"widget_model_{language}").set_value("bert").run()
    assert part not in said(app) and drawn(app).text_pair == ""


def test_a_saved_pair_reopens_in_two_boxes() -> None:
    app = opened("attention", text="I like you")
    trace = get_trace("the cat ___\tit ___", "auto", "bert")
    open_in(app, "a run.bin", run_bytes(trace))
    state = state_of(app)
    assert (state.model, state.text, state.text_pair) == ("bert", "the cat ___", "it ___")


def test_a_word_of_a_pair_is_found_by_its_name() -> None:
    trace = get_trace("the cat\tit ___", "auto", "bert")
    axis = next(each for each in trace.axes("encoder/0/self_attention/weights") if each.labels)
    plain = [each[2:] for each in trace.source_tokens]
    at = next(at for at, each in enumerate(plain) if each.isalpha() and plain.index(each) == at)
    shown, word = trace.source_tokens[at], plain[at]
    assert shown[:2] in ("A:", "B:")
    assert (axis.index_of(word), axis.index_of(shown), axis.index_of("dog")) == (at, at, None)
    assert parse_places(word, axis) == (at,)
