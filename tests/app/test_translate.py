"""The Translate page: what is shown first, what its controls do, what the state decides."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.state import State
from app.widgets.translate.choices_panel import signs, title
from app.widgets.translate.focus import attention_in_focus, pinned, step_in_focus
from app.widgets.translate.lead import cues
from app.widgets.word_lines import Pin
from core.reading.choices import Confidence, choice_at, confidence
from core.reading.repetition import Repetition
from tests.example_trace import WRITTEN, example_trace
from tests.opened_app import opened, state_of


@pytest.fixture
def open_app() -> Callable[..., AppTest]:
    return opened


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.get("html")))


def test_the_first_visit_shows_lines_of_the_last_layers_mean(
    open_app: Callable[..., AppTest],
) -> None:
    app = open_app()
    assert app.segmented_control(key="widget_links").value == "lines"
    assert app.segmented_control(key="widget_cross_layer").value == 1
    assert app.segmented_control(key="widget_cross_head").value == -1
    assert "the model was choosing between" in texts(app)
    (bars,) = charts(app)
    assert len(bars["data"][0]["text"]) == 6


def test_matrix_layer_and_head_are_state_and_stay(open_app: Callable[..., AppTest]) -> None:
    app = open_app()
    app.segmented_control(key="widget_links").set_value("matrix").run()
    assert state_of(app).links == "matrix"
    assert app.query_params["links"] == "matrix"
    assert len(charts(app)) == 2
    app.segmented_control(key="widget_cross_head").set_value(2).run()
    now = state_of(app)
    assert (now.kind, now.layer, now.head) == ("cross", 1, 2)
    app.segmented_control(key="widget_cross_layer").set_value(0).run()
    assert (state_of(app).layer, state_of(app).head) == (0, 2)
    app.segmented_control(key="widget_cross_head").set_value(-1).run()
    assert (state_of(app).layer, state_of(app).head) == (0, None)
    assert not app.exception


def test_the_pinned_word_decides_the_step(open_app: Callable[..., AppTest]) -> None:
    app = open_app(token="target:1")
    assert "For the first word the model was choosing between" in texts(app)
    app = open_app(token="target:1", language="zh")
    assert "译第一个词时" in texts(app)


def test_an_open_block_takes_the_place_of_the_words(open_app: Callable[..., AppTest]) -> None:
    app = open_app(block="decoder/1/cross_attention")
    with pytest.raises(KeyError):
        app.segmented_control(key="widget_links")
    app.button(key="block_close").click().run()
    assert state_of(app).block == ""
    assert app.segmented_control(key="widget_links").value == "lines"


@pytest.mark.parametrize("block", ["nothing", "encoder/9/feed_forward", "<b>"])
def test_a_block_that_is_not_there_opens_nothing(
    open_app: Callable[..., AppTest], block: str
) -> None:
    app = open_app(block=block)
    assert app.segmented_control(key="widget_links").value == "lines"


@pytest.mark.parametrize(
    "text",
    ["<b>x</b> and </s>", "$x$ &lt; :red[y] `z`", "the the the the", "I", "猫", "😀 likes me"],
)
@pytest.mark.parametrize("links", ["lines", "matrix"])
def test_odd_sentences_are_drawn(open_app: Callable[..., AppTest], text: str, links: str) -> None:
    assert not open_app(text=text, links=links).exception


def test_a_cross_attention_in_focus_anywhere_is_the_one_shown() -> None:
    trace = example_trace()
    assert attention_in_focus(State(), trace) == (1, None)
    assert attention_in_focus(State(kind="encoder", layer=0, head=1), trace) == (1, None)
    assert attention_in_focus(State(kind="cross", layer=0, head=1), trace) == (0, 1)


def test_without_a_pinned_output_word_the_least_sure_word_is_shown() -> None:
    trace = example_trace()
    assert step_in_focus(State(), trace) == 1
    assert step_in_focus(State(token=("source", 0)), trace) == 1
    assert step_in_focus(State(token=("target", 3)), trace) == 3
    only_marks = example_trace(output_tokens=("。", "?", "，", "<eos>"))
    assert step_in_focus(State(), only_marks) == 1
    assert pinned(State(token=("source", 2))) == Pin("source", 2)
    assert pinned(State()) is None


def test_cues_say_the_gravest_first() -> None:
    trace = example_trace()
    assert cues(trace, confidence(trace)) == [
        "Not in its vocabulary: “Zorblax”, “</s>”",
        "Unsure at 1 of 4 steps; least sure of “喜欢”, 40.0%",
    ]
    cut = example_trace(output_pieces=("<name1>", "喜欢", "，", "，"))
    assert cues(cut, confidence(cut))[0] == (
        "Cut off at the length limit after 4 words: the end is missing"
    )


def test_the_cue_names_the_end_and_what_is_said_again_and_again() -> None:
    trace = example_trace(source_unknown=())
    sure = Confidence((), (), weakest=3, probability=0.97, ended=True)
    assert cues(trace, sure) == ["Sure at every step; least sure of the end, 97.0%"]
    circling = replace(sure, repeated=Repetition(("machine", "learning"), 3))
    assert cues(trace, circling) == ["Repeats itself: “machine learning” 3 times in a row"]
    chinese = replace(sure, repeated=Repetition(("我", "爱", "机器", "学习", "和", "你"), 2))
    assert cues(trace, chinese) == ["Repeats itself: “我爱机器学习和 …” 2 times in a row"]


def test_large_type_gives_the_room_of_runners_up_to_the_words(
    open_app: Callable[..., AppTest],
) -> None:
    (bars,) = charts(open_app(size="150"))
    assert len(bars["data"][0]["text"]) == 4


def test_signs_among_the_runners_up_say_what_they_are() -> None:
    assert signs(["我", "<eos>", "<zh>", "<name1>"]) == {
        1: "end sign: the sentence is over",
        2: "begin sign: write Chinese",
    }


def test_many_unknown_words_are_counted() -> None:
    trace = example_trace(source_unknown=(0, 1, 2, 3))
    assert cues(trace, confidence(trace))[0] == (
        "Not in its vocabulary: “Zorblax”, “likes”, “</s>” … (4 words)"
    )


def test_the_title_of_the_choices_names_the_words_before() -> None:
    trace = example_trace()
    assert "For the first word the model was choosing between" in title(choice_at(trace, 0))
    second = title(choice_at(trace, 2))
    assert "<span>After </span><b><bdi>Zorblax 喜欢</bdi></b><span> the model was" in second
    assert 'title="After Zorblax 喜欢 the model was choosing between"' in second
    odd = example_trace(output_tokens=('<i>"', *WRITTEN[1:]))
    assert "&lt;i&gt;&quot; 喜欢" in title(choice_at(odd, 2))
    assert "<i>" not in title(choice_at(odd, 2))


def test_a_long_prefix_is_shortened_and_whole_on_hover() -> None:
    trace = example_trace()
    many = replace(choice_at(trace, 2), before=("a", "b", "c", "d", "e"))
    assert "<bdi>… b c d e</bdi>" in title(many)
    assert 'title="After a b c d e the model' in title(many)
