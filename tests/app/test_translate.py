"""The Translate page: what is shown first, what its controls do, what the state decides."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.translate.lead import (
    cues,
    lead_title,
    neighbouring_translations,
    sentence_signs,
)
from glassformer.app.panels.words.words_panel import (
    attention_in_focus,
    pinned_word,
    shown_piece,
    step_in_focus,
    why_never,
)
from glassformer.app.session.state import State
from glassformer.app.ui.components.word_lines import Pin
from glassformer.core.analysis.choices import choice_at
from glassformer.core.analysis.confidence import Confidence, Reason, confidence
from glassformer.core.decoding.step import Step
from glassformer.core.lectures.links import unpack_query as opened_link
from glassformer.core.text.vocabulary import SLOTS
from tests.example_trace import WRITTEN, example_trace
from tests.opened_app import drawn, opened, state_of
from tests.sent import data_of, send


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
    assert pinned_word(State(token=("source", 2))) == Pin("source", 2)
    assert pinned_word(State()) is None


def trusted(*reasons: Reason, level: str = "unsure", probability: float = 0.97) -> Confidence:
    return Confidence(level, 0.5, True, reasons, weakest=3, probability=probability)  # type: ignore[arg-type]


def test_the_badge_has_its_reasons_in_words() -> None:
    trace = example_trace()
    assert cues(trace, confidence(trace))[-2:] == [
        "undecided at 1 of 4 steps",
        "least sure of “喜欢”, 40.0%",
    ]
    cut = example_trace(output_pieces=("<name1>", "喜欢", "，", "，"))
    assert cues(cut, confidence(cut))[0] == "cut off at the length limit after 4 words"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (Reason("unknown", ("a", "b", "a"), 3), "not in the vocabulary, copied as typed: “a”, “b”"),
        (
            Reason("unknown", ("a", "b", "c", "d"), 4),
            "not in the vocabulary, copied as typed: “a”, “b”, “c” …",
        ),
        (Reason("unsaid", ("手机",), 1), "no word for “手机”"),
        (Reason("dropped", ("Zorblax",), 1), "left out: “Zorblax”"),
        (Reason("unseen", ("likes",), 1), "no word looks at “likes”"),
        (Reason("repeated", ("machine", "learning"), 3), "“machine learning” 3 times in a row"),
        (
            Reason("repeated", ("我", "爱", "机器", "学习", "和", "你"), 2),
            "“我爱机器学习和 …” 2 times in a row",
        ),
        (Reason("guarded", count=2), "2 × kept from going in circles"),
        (Reason("unusual"), "unlike the sentences it has learned"),
    ],
)
def test_every_reason_has_its_words(reason: Reason, text: str) -> None:
    assert cues(example_trace(), trusted(reason))[0] == text


def test_a_sure_translation_names_its_least_sure_word() -> None:
    trace = example_trace()
    assert cues(trace, trusted(level="sure")) == ["least sure of the end token, 97.0%"]


def test_several_sentences_have_a_cue_and_all_their_translations() -> None:
    trace = example_trace(further=("你爱我吗？", "我爱你。"))
    assert cues(trace, trusted(level="sure"))[0].startswith("3 sentences, translated one by one")
    assert neighbouring_translations(trace) == ((), ("你爱我吗？", "我爱你。"))
    assert neighbouring_translations(example_trace()) == ((), ())


def test_each_sentence_of_a_text_can_be_the_one_on_all_pages() -> None:
    text = "The cat is black. Do you love me? I love you."
    app = opened("translate", text=text, layer="2", query="1")
    whole = drawn(app)
    send(app, "headline", "sentence", {"to": 9})  # there is none
    assert state_of(app).sentence == 0
    send(app, "headline", "sentence", {"to": 1})
    second = drawn(app)
    assert second.source_text == "Do you love me?"
    assert second.output_text == whole.further[0]
    assert second["encoder/0/feed_forward/output"].shape[1] == len(second.source_tokens)
    assert app.text_input(key="widget_sentence").value == text
    assert state_of(app).query is None  # of another sentence
    data = data_of(app, "headline")
    assert data["before"] == [whole.output_text] and data["after"] == [whole.further[1]]
    assert "3 sentences" in data["cue"] and "number 2" in data["cue"]
    for page in ("attention", "decoding", "switch", "tensors", "walkthrough"):
        app.switch_page(f"app/pages/{page}/page.py").run()
        assert not app.exception and drawn(app).source_text == "Do you love me?"
    app.text_input(key="widget_sentence").set_value("I love you.").run()
    assert state_of(app).sentence == 0 and drawn(app).source_text == "I love you."


def test_a_link_to_a_sentence_that_is_not_there_shows_the_text() -> None:
    app = opened("translate", text="I love you.", sentence="7")
    assert not app.exception and drawn(app).source_text == "I love you."


def test_the_guard_is_named_among_the_choices() -> None:
    step = Step(10, 0.4, 1.0, ((12, 0.5), (10, 0.4)))
    trace = example_trace(steps=(step, replace(step, guarded=12), step, step))
    assert "the repetition guard forbade “爱”" in lead_title(choice_at(trace, 1))
    assert "guard" not in lead_title(choice_at(trace, 0))


@pytest.mark.parametrize("page", ["attention", "tensors"])
def test_other_pages_say_that_a_translation_is_doubtful(
    open_app: Callable[..., AppTest], page: str
) -> None:
    doubtful = open_app(page, text="asdf qwer the of cat blah")
    assert "Not sure" in texts(doubtful)
    assert "Not sure" not in texts(open_app(page, text="I love you."))


def test_large_type_gives_the_room_of_runners_up_to_the_words(
    open_app: Callable[..., AppTest],
) -> None:
    (bars,) = charts(open_app(size="150"))
    assert len(bars["data"][0]["text"]) == 4


def test_signs_among_the_runners_up_say_what_they_are() -> None:
    assert sentence_signs(["我", "<eos>", "<zh>", "<name1>"]) == {
        1: "end token: the sentence is over",
        2: "begin token: write Chinese",
    }


def test_the_title_of_the_choices_names_the_words_before() -> None:
    trace = example_trace()
    assert "For the first word the model was choosing between" in lead_title(choice_at(trace, 0))
    second = lead_title(choice_at(trace, 2))
    assert (
        "<span>After </span><b><bdi dir='ltr'>Zorblax 喜欢</bdi></b><span> the model was" in second
    )
    assert 'title="After Zorblax 喜欢 the model was choosing between"' in second
    odd = example_trace(output_tokens=('<i>"', *WRITTEN[1:]))
    assert "&lt;i&gt;&quot; 喜欢" in lead_title(choice_at(odd, 2))
    assert "<i>" not in lead_title(choice_at(odd, 2))


def test_a_long_prefix_is_shortened_and_whole_on_hover() -> None:
    trace = example_trace()
    many = replace(choice_at(trace, 2), before=("a", "b", "c", "d", "e"))
    assert "<bdi dir='ltr'>… b c d e</bdi>" in lead_title(many)
    assert 'title="After a b c d e the model' in lead_title(many)


def test_nonsense_says_how_probable_and_why_and_its_candidates_are_explained() -> None:
    text = "Quantum chromodynamics explains the blorf zorbed quux interaction"
    app = opened(text=text)
    trace = drawn(app)
    trust, sent = confidence(trace), data_of(app, "headline")
    assert trust.level == sent["level"] == "unsure"
    assert sent["cue"].startswith("how often such a translation is right was not measured: ")
    assert "not in the vocabulary, copied as typed" in sent["cue"] and "%" not in sent["cue_help"]
    (bars,) = charts(app)
    row = step_in_focus(state_of(app), trace)
    choice = choice_at(trace, row)
    said = dict(zip(bars["layout"]["yaxis"]["ticktext"], bars["data"][0]["text"], strict=True))
    for each in choice.others:
        if each.piece in SLOTS and each.piece not in trace.source_pieces:
            name = shown_piece(each.piece, each.token)
            assert name.startswith("copied ")
            (found,) = [text for label, text in said.items() if name in label]
            assert "the sentence has no such word" in found
    assert not any("noun4" in label for label in said)
    sure = data_of(opened(text="I love you."), "headline")
    assert "by its own numbers" not in sure["cue"]


@pytest.mark.parametrize(
    ("piece", "token", "shown"),
    [("<noun4>", "<noun4>", "copied noun 4"), ("<name1>", "Zorblax", "Zorblax"),
     ("<noun1>", "<noun2>", "<noun2>"), ("<eos>", "<eos>", "<eos>"), ("猫", "猫", "猫")],
)  # fmt: skip
def test_a_slot_that_nothing_fills_is_named(piece: str, token: str, shown: str) -> None:
    assert shown_piece(piece, token) == shown


def test_why_a_word_is_never_written() -> None:
    reasons = [why_never(piece) for piece in ("<noun4>", "<pad>", "cow")]
    assert [each.partition(":")[0] for each in reasons] == [
        "the sentence has no such word",
        "control token",
        "other language",
    ]


def test_a_long_text_is_in_the_link() -> None:
    words = "The dog that we saw in the park was tired because it had run after the cat".split()
    text = " ".join(f"{words[at % len(words)]}{at if at % 5 == 0 else ''}" for at in range(480))
    app = opened("translate")
    app.text_input(key="widget_sentence").set_value(text).run()
    assert not app.exception and len(drawn(app).source_tokens) > 450
    again = opened(
        "translate", **opened_link({name: app.query_params[name] for name in app.query_params})
    )
    assert drawn(again).source_text == text
