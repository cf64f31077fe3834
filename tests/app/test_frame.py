"""The frame on every page: stage bar, languages, links, messages, what survives a page change."""

import re
from collections.abc import Callable
from unicodedata import bidirectional

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.frame.focus import focus_parts
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import FIRST_SENTENCE, State
from glassformer.app.ui.text import literal
from tests.hand_made import hand_made
from tests.opened_app import opened, state_of

PAGES = ("translate", "attention", "tensors", "training")


@pytest.fixture
def open_app() -> Callable[..., AppTest]:
    return opened


def markdown(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_first_visit_shows_the_first_sentence(open_app: Callable[..., AppTest]) -> None:
    app = open_app()
    assert app.text_input(key="widget_sentence").value == FIRST_SENTENCE
    assert "Cross-attention" in markdown(app)
    assert state_of(app) == State()
    assert dict(app.query_params) == {}


def test_a_typed_sentence_is_in_state_and_link(open_app: Callable[..., AppTest]) -> None:
    app = open_app(query="2")
    app.text_input(key="widget_sentence").set_value("I like you").run()
    assert state_of(app) == State(text="I like you")
    assert app.query_params["text"] == "I like you"


def test_chinese_from_the_switch_and_from_a_link(open_app: Callable[..., AppTest]) -> None:
    app = open_app(kind="cross", layer="2")
    app.segmented_control(key="widget_language").set_value("zh").run()
    assert "第 2 层" in markdown(app)
    assert "第 2 层" in markdown(open_app(kind="cross", layer="2", language="zh"))


def test_what_the_link_gets_wrong_is_said_and_left_out(open_app: Callable[..., AppTest]) -> None:
    app = open_app(layer="99", head="<b>", query="400", stage="scaled")
    assert state_of(app) == State(stage="scaled")
    shown = markdown(app)
    for wrong in ("layer “99”", "query “400”", f"head “{literal('<b>')}”"):
        assert wrong in shown
    app.segmented_control(key="widget_language").set_value("zh").run()
    assert "“99”" not in markdown(app)


@pytest.mark.parametrize(
    "language, names",
    [
        ("en", ("layer “7”", "head “99”", "attention “bogus”", "“foo” is no switch")),
        ("zh", ("层“7”", "头“99”", "注意力“bogus”", "没有“foo”这个开关")),
    ],
)
def test_a_bad_link_is_told_in_the_words_of_the_screen(
    open_app: Callable[..., AppTest], language: str, names: tuple[str, ...]
) -> None:
    app = open_app(head="99", layer="7", kind="bogus", edits="foo", language=language)
    for name in names:
        assert name in markdown(app)
    for internal in ("kind=", "edits=", "=99", "heads_off"):
        assert internal not in markdown(app)
    app.button(key="widget_left_out").click().run()
    assert "bogus" not in markdown(app)


def test_a_block_that_is_not_here_is_said_and_left_out(open_app: Callable[..., AppTest]) -> None:
    app = open_app(layer="9", block="output")
    assert state_of(app) == State()
    assert "block of the map “output”, layer “9”" in markdown(app)
    assert state_of(open_app(block="output/logits")) == State(block="output/logits")


def test_the_direction_is_said_in_the_language_of_the_screen(
    open_app: Callable[..., AppTest],
) -> None:
    assert "English → 中文" in markdown(open_app())
    app = open_app(language="zh")
    assert "英语 → 中文" in markdown(app)
    app.text_input(key="widget_sentence").set_value("我 喜欢 你").run()
    assert "中文 → 英语" in markdown(app)
    assert app.selectbox(key="widget_direction_zh").options[0] == "自动"


@pytest.mark.parametrize(
    "language, said",
    [("en", "has 600 words; at most 511 are allowed"), ("zh", "有 600 个词，最多允许 511 个")],
)
def test_a_long_text_is_counted_in_words(
    open_app: Callable[..., AppTest], language: str, said: str
) -> None:
    assert said in markdown(open_app(text="a " * 600, language=language))


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_000, "\u200b\u202e", "?!", "🙂🙂", "\x07"])
def test_bad_text_leaves_the_last_result(open_app: Callable[..., AppTest], text: str) -> None:
    app = open_app(text="I like you")
    app.text_input(key="widget_sentence").set_value(text).run()
    assert not app.exception
    assert "error" in markdown(app)
    assert "I like you" in markdown(app)
    app.text_input(key="widget_sentence").set_value("I have a cat").run()
    assert ":material/error:" not in markdown(app)


@pytest.mark.parametrize("text", ["<b>x</b>", "<s> hello </s>", "costs $x$ or $y$", "a &lt; b"])
def test_odd_words_are_shown_as_typed(open_app: Callable[..., AppTest], text: str) -> None:
    app = open_app(text=text, query="1")
    assert not app.exception
    assert app.text_input(key="widget_sentence").value == text


def test_an_unknown_model_is_said(open_app: Callable[..., AppTest]) -> None:
    app = open_app(model="../../secret")
    assert "secret" in markdown(app)
    assert ":material/error:" in markdown(app)


def test_pages_keep_the_state(open_app: Callable[..., AppTest]) -> None:
    app = open_app(text="I have a cat", layer="2", language="zh")
    for page in PAGES:
        app.switch_page(f"app/pages/{page}/page.py").run()
        assert not app.exception
        assert state_of(app) == State(text="I have a cat", layer=1, language="zh")
        assert app.text_input(key="widget_sentence").value == "I have a cat"


def test_release_and_settings(open_app: Callable[..., AppTest]) -> None:
    app = open_app(query="2", key="1", token="source:1")
    app.button(key="widget_release").click().run()
    assert state_of(app) == State()
    app.segmented_control(key="widget_precision").set_value(5).run()
    assert state_of(app) == State(precision=5)


def test_pinned_words_from_right_to_left_keep_to_themselves() -> None:
    """Numbers, dots and names beside them stay where they are: Unicode isolates the words."""
    trace = hand_made({}, source=("ال", "<eos>"), target=("<zh>", "של", "x"))
    now = State(kind="cross", query=1, key=0, token=("target", 0))
    said = " · ".join(focus_parts(now, trace, "attention"))
    assert "\u2068של\u2069" in said and "\u2068ال\u2069" in said
    left = re.sub("\u2068.*?\u2069", "", said)
    assert not any(bidirectional(each) in ("R", "AL", "AN") for each in left)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("page", "query"), [
    ("decoding", {}), ("training", {}), ("walkthrough", {}), ("attention", {"view": "motion"}),
])  # fmt: skip
def test_no_text_tells_to_press_an_arrow_where_it_leaves_the_scene(
    page: str, query: dict[str, str], language: str
) -> None:
    query = query | {"language": language}

    def told(app: AppTest) -> list[str]:
        sent = [each.proto.bytes.decode() for each in app.get("bidi_component")]
        texts = [*sent, *(each.value for each in app.caption)]
        return re.findall(
            r"[(（][←→][)）]|\"key\":\"[←→]|← → |← 和|← and|Page Down", "\n".join(texts)
        )

    assert told(opened(page, **query))
    assert not told(opened(page, presenting="", **query))
